internal import CWeirSockets
internal import WeirCore
internal import WeirFormats
internal import WeirSockets

/// What a server says of itself.
package struct NATSServerInfo: Sendable, Hashable {
    /// Its version, such as `2.12.0`.
    package var version = ""

    /// How long a message may be, with its headers, in bytes.
    package var payloadLimit = 1 << 20

    /// Whether it speaks nothing but TLS.
    package var requiresTLS = false

    /// Whether it takes headers.
    package var takesHeaders = false

    /// Other servers of the same cluster, as it tells; those that have names and no numbers are left out, because looking one
    /// up would take time.
    package var others: [String] = []

    /// How many other servers are kept.
    private static let limitOfOthers = 64

    init() {}

    /// Reads the JSON of INFO.
    ///
    /// - Throws: ``NATSError`` for anything else.
    init(_ bytes: ArraySlice<UInt8>) throws(NATSError) {
        guard let json = try? JSONNode.read(Array(bytes), allowsRepeatedNames: true), json.isObject else {
            throw .garbage("what it says of itself, '\(Excerpt.of(bytes, limit: 40))', is no object of JSON")
        }
        version = json["version"]?.text ?? ""
        if let limit = json["max_payload"]?.integer {
            guard (1...1 << 30).contains(limit) else { throw .garbage("its limit for messages is \(limit) bytes") }
            payloadLimit = limit
        }
        requiresTLS = json["tls_required"]?.flag ?? false
        takesHeaders = json["headers"]?.flag ?? false
        for text in json["connect_urls"]?.elements.compactMap(\.text) ?? [] where others.count < Self.limitOfOthers {
            guard cweir_net_address_t(numbers: text) != nil, !others.contains(text) else { continue }
            others.append(text)
        }
    }

    /// Whether the server's version is not before another one.
    package func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        return parts.count == 2 && (parts[0], parts[1]) >= (major, minor)
    }
}
