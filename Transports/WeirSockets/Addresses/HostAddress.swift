package import CWeirSockets
internal import WeirCore
package import WeirRecords

/// A host and a port, as in `//127.0.0.1:9000` or `//[::1]:9000`.
package struct HostAddress {
    /// The host as it was written; empty where none was.
    package let host: String
    package let address: cweir_net_address_t

    /// Reads a place.
    ///
    /// - Parameters:
    ///   - place: The part of the address behind the scheme; `*` as host stands for all of IPv4.
    ///   - whole: The whole address, for messages.
    ///   - loopback: Whether no host means this machine alone; otherwise a host has to be named.
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for anything else, and
    ///   ``TransportError/cannotOpen(address:reason:)`` for a host that is not known.
    package init(_ place: String, whole: String, loopback: Bool) throws(TransportError) {
        let scheme = whole.prefix { $0 != ":" }
        func refuse(_ reason: String) -> TransportError { .badAddress(address: whole, reason: reason) }
        let text = place.hasPrefix("//") ? place.dropFirst(2) : place[...]
        guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else {
            throw refuse("the port is missing; write \(scheme)://HOST:PORT")
        }
        let port = String(text[text.index(after: colon)...])
        guard let number = UInt16(port), port.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }) else {
            throw refuse("'\(port)' is not a port; ports are numbers from 0 to 65535")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw refuse("an address of IPv6 stands in brackets; write \(scheme)://[\(host)]:\(port)")
        }
        guard !host.utf8.contains(0) else { throw refuse("the host contains a zero") }
        guard !host.isEmpty || loopback else { throw refuse("the host is missing; write \(scheme)://HOST:PORT") }
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
    /// Reads a host's number and a port, such as `127.0.0.1:9000` or `[::1]:9000`; `nil` for anything else, and for port 0.
    ///
    /// Names are not looked up.
    ///
    /// - Parameter text: What to read.
    package init?(numbers text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let port = text[text.index(after: colon)...]
        guard let number = UInt16(port), number > 0, port.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }) else {
            return nil
        }
        var host = text[..<colon]
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]")
        if isInBrackets { host = host.dropFirst().dropLast() }
        var bytes = [UInt8](repeating: 0, count: 16)
        let family = unsafe cweir_net_parse_number(String(host), &bytes)
        guard family != 0, isInBrackets == (family != Int32(CWEIR_NET_IPV4.rawValue)) else { return nil }
        var address = cweir_net_address_t()
        guard unsafe cweir_net_resolve(String(host), String(port), &address) == 0 else { return nil }
        self = address
    }

    /// The address of the other side of a connection; `nil` where there is none any more, or it has no number.
    init?(peerOf socket: Int32) {
        var address = cweir_net_address_t()
        guard unsafe cweir_net_peer_address(socket, &address) == 0, address.hostNumber != nil else { return nil }
        self = address
    }

    /// The number of the host, where it has one.
    var hostNumber: HostNumber? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let family = unsafe withUnsafePointer(to: self) { unsafe cweir_net_host_number($0, &bytes) }
        guard family != 0 else { return nil }
        return HostNumber(bytes, isIPv4: family == Int32(CWEIR_NET_IPV4.rawValue))
    }

    /// The host's number and the port, such as `127.0.0.1:9000` or `[::1]:9000`.
    var text: String {
        var bytes = [CChar](repeating: 0, count: 64)
        unsafe withUnsafePointer(to: self) { unsafe cweir_net_describe($0, &bytes, bytes.count) }
        let host = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The port, or zero.
    package var port: UInt16 { unsafe withUnsafePointer(to: self) { unsafe cweir_net_port($0) } }
}
