internal import WeirCore
internal import WeirFormats

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
    }

    /// Whether the server's version is not before another one.
    package func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        return parts.count == 2 && (parts[0], parts[1]) >= (major, minor)
    }
}

/// Access to the parts of JSON that a server writes.
extension JSONNode {
    var isObject: Bool { if case .object = value { true } else { false } }

    subscript(name: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.name == name }?.value
    }

    var text: String? { if case .text(let text) = value { text } else { nil } }
    var flag: Bool? { if case .boolean(let flag) = value { flag } else { nil } }
    var elements: [JSONNode] { if case .array(let elements) = value { elements } else { [] } }

    /// A whole number of 64 bits.
    var integer: Int? { if case .number(let text) = value { Int(text) } else { nil } }
    var unsigned: UInt64? { if case .number(let text) = value { UInt64(text) } else { nil } }
}
