package import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Where a socket with connections is: a Unix socket or a port.
package enum SocketPlace: Sendable {
    case unix(UnixPlace, SocketKind)
    case port(cweir_net_address_t)

    /// What came of connecting.
    package enum Attempt {
        case made(Int32)
        /// The socket can be written to once it is connected, or could not be.
        case begun(Int32)
        case failed(SystemError)
    }

    /// How the socket carries bytes.
    var kind: SocketKind {
        switch self {
        case .unix(_, let kind): kind
        case .port: .stream
        }
    }

    /// The address for the system.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)``.
    func address(for whole: String) throws(TransportError) -> cweir_net_address_t {
        switch self {
        case .unix(let place, _): try place.address(for: whole)
        case .port(let address): address
        }
    }

    /// Connects, or begins to.
    ///
    /// - Parameter whole: The address, for messages.
    /// - Returns: What came of it.
    package func connect(for whole: String) -> Attempt {
        guard let target = try? address(for: whole) else { return .failed(.missing) }
        return unsafe withUnsafePointer(to: target) { target in
            let made = unsafe cweir_net_socket(target, kind.number)
            if let error = SystemError(made) { return .failed(error) }
            if case .port = self { cweir_net_prepare_connection(made) }
            switch unsafe SystemError(cweir_net_connect(made, target)) {
            case nil: return .made(made)
            case .inProgress?: return .begun(made)
            case let error?:
                cweir_net_close(made)
                return .failed(error)
            }
        }
    }

    /// Finds out what came of connecting, once the socket can be written to.
    ///
    /// - Returns: Why it is not connected; `nil` where it is.
    package static func error(ofConnecting socket: Int32) -> SystemError? {
        if let error = SystemError(cweir_net_error(socket)) { return error }
        // Where no program listens, the system may choose the very port that is called for this side, and the socket is
        // then connected to itself.
        var local = cweir_net_address_t()
        _ = unsafe cweir_net_local_address(socket, &local)
        return cweir_net_address_t(peerOf: socket)?.text == local.text ? .refused : nil
    }
}
