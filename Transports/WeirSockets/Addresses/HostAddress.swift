internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// A host and a port, as in `//127.0.0.1:9000` or `//[::1]:9000`.
struct HostAddress {
    /// The host as it was written; empty where none was.
    let host: String
    let address: cweir_net_address_t

    /// Reads a place.
    ///
    /// - Parameters:
    ///   - place: The part of the address behind the scheme; `*` as host stands for all of IPv4.
    ///   - whole: The whole address, for messages.
    ///   - loopback: Whether no host means this machine alone; otherwise a host has to be named.
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for anything else, and
    ///   ``TransportError/cannotOpen(address:reason:)`` for a host that is not known.
    init(_ place: String, whole: String, loopback: Bool) throws(TransportError) {
        func refuse(_ reason: String) -> TransportError { .badAddress(address: whole, reason: reason) }
        let text = place.hasPrefix("//") ? place.dropFirst(2) : place[...]
        guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else {
            throw refuse("the port is missing; write udp://HOST:PORT")
        }
        let port = String(text[text.index(after: colon)...])
        guard let number = UInt16(port), port.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }) else {
            throw refuse("'\(port)' is not a port; ports are numbers from 0 to 65535")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw refuse("an address of IPv6 stands in brackets; write udp://[\(host)]:\(port)")
        }
        guard !host.utf8.contains(0) else { throw refuse("the host contains a zero") }
        guard !host.isEmpty || loopback else { throw refuse("the host is missing; write udp://HOST:PORT") }
        let name = host.isEmpty ? "127.0.0.1" : host == "*" ? "0.0.0.0" : host
        var address = cweir_net_address_t()
        let error = unsafe cweir_net_resolve(name, String(number), &address)
        guard error == 0 else {
            let reason = unsafe String(cString: cweir_net_resolve_error(error))
            throw .cannotOpen(
                address: whole,
                reason: "'\(name)' is not known: \(reason.prefix(1).lowercased() + reason.dropFirst())"
            )
        }
        self.host = host
        self.address = address
    }

    var isMulticast: Bool { unsafe withUnsafePointer(to: address) { unsafe cweir_net_is_multicast($0) } }

    var family: Int32 { unsafe withUnsafePointer(to: address) { unsafe cweir_net_family($0) } }
}

extension cweir_net_address_t {
    /// The port, or zero.
    var port: UInt16 { unsafe withUnsafePointer(to: self) { unsafe cweir_net_port($0) } }
}
