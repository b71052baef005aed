internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Sockets that the parent process opened for the program, as systemd does: numbers 3 and up.
///
/// A transport takes one with the option `inherit`, by its place in the list, from 0, or by its name.
public struct InheritedSockets: Sendable {
    private let names: [String]

    /// No sockets.
    public static let none = InheritedSockets(names: [])

    /// Reads what the starter says in the environment (`LISTEN_PID`, `LISTEN_FDS`, `LISTEN_FDNAMES`).
    ///
    /// - Parameters:
    ///   - environment: Looks a variable up.
    ///   - process: The number of this process: what is meant for another one is not for us.
    public init(environment: (String) -> String?, process: Int32) {
        guard environment("LISTEN_PID").flatMap({ Int32($0) }) == process,
            let count = environment("LISTEN_FDS").flatMap({ Int($0) }), (1...1024).contains(count)
        else {
            self = .none
            return
        }
        let given = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        names = (0..<count).map { $0 < given.count ? String(given[$0]) : "" }
    }

    private init(names: [String]) {
        self.names = names
    }

    private static let first: Int32 = 3

    /// Takes a socket.
    ///
    /// The inherited descriptor stays open: the next input takes it again, after a restart or beside this one.
    ///
    /// - Parameters:
    ///   - name: Its place or its name.
    ///   - kind: Of what kind it must be.
    ///   - family: Of what family it must be.
    ///   - address: For messages.
    /// - Returns: A descriptor of its own, which the caller closes.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` where there is none, or it is another kind of socket.
    func take(_ name: String, kind: SocketKind, family: Int32, address: String) throws(TransportError) -> Int32 {
        guard let index = Int(name) ?? names.firstIndex(of: name), names.indices.contains(index) else {
            let reason = names.isEmpty ? "no socket was inherited" : "there are \(names.count) inherited sockets"
            throw .cannotOpen(address: address, reason: "there is no inherited socket '\(name)'; \(reason)")
        }
        let descriptor = Self.first + Int32(index)
        let found = cweir_net_adopt(descriptor)
        if let error = SystemError(found) {
            throw .cannotOpen(address: address, reason: "the inherited descriptor \(descriptor): \(error)")
        }
        var local = cweir_net_address_t()
        _ = unsafe cweir_net_local_address(descriptor, &local)
        guard found == kind.number, unsafe cweir_net_family(&local) == family || family < 0 else {
            throw .cannotOpen(
                address: address,
                reason: "the inherited descriptor \(descriptor) is another kind of socket"
            )
        }
        let own = cweir_net_duplicate(descriptor)
        if let error = SystemError(own) { throw .cannotOpen(address: address, reason: "\(error)") }
        return own
    }
}

/// How a socket carries bytes.
package enum SocketKind {
    case stream, datagram, packets

    /// The kind as the functions in C number it.
    var number: Int32 {
        switch self {
        case .stream: Int32(CWEIR_NET_STREAM.rawValue)
        case .datagram: Int32(CWEIR_NET_DATAGRAM.rawValue)
        case .packets: Int32(CWEIR_NET_SEQPACKET.rawValue)
        }
    }
}
