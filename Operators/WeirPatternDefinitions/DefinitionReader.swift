internal import WeirCore
internal import WeirExpressions
internal import WeirPatterns

/// Reads an object of a definition: knows all of its keys, and its durations as text or in nanoseconds.
struct DefinitionReader<Key: CodingKey & CaseIterable> {
    private let decoder: any Decoder
    private let container: KeyedDecodingContainer<Key>

    /// Begins to read.
    ///
    /// - Throws: `SchemaError` for a key that there is not.
    init(_ decoder: any Decoder, _ keys: Key.Type) throws {
        try KnownKeys.check(decoder, Key.allCases.map(\.stringValue))
        self.decoder = decoder
        container = try decoder.container(keyedBy: keys)
    }

    func required<Value: Decodable>(_ key: Key) throws -> Value {
        try container.decode(Value.self, forKey: key)
    }

    func optional<Value: Decodable>(_ key: Key) throws -> Value? {
        try container.decodeIfPresent(Value.self, forKey: key)
    }

    /// A duration that is there as text, such as `10 s`, or as a number of nanoseconds under another key.
    func nanoseconds(_ number: Key, text: Key) throws -> Int64? {
        let nanoseconds: Int64? = try optional(number)
        guard container.contains(text) else { return nanoseconds }
        let place = KnownKeys.place(of: decoder)
        guard nanoseconds == nil else {
            throw SchemaError.invalidDocument(
                "'\(text.stringValue)' and '\(number.stringValue)' \(place) are the same; leave out one"
            )
        }
        guard let given = try? container.decode(String.self, forKey: text) else {
            throw SchemaError.invalidDocument("'\(text.stringValue)' \(place) must be a text such as \"10 s\"")
        }
        guard let duration = Duration(text: Self.joined(given)) else {
            throw SchemaError.invalidDocument(
                "'\(given)' for '\(text.stringValue)' \(place) is no duration; write one such as \"10 s\" or \"1h30m\""
            )
        }
        return duration.wholeNanoseconds
    }

    /// The text of a duration without the spaces between numbers and units.
    private static func joined(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).reduce("") { joined, part in
            guard let last = joined.last, let first = part.first else { return joined + part }
            // Two numbers, or two units, stay apart: they are no duration.
            return last.isLetter == first.isLetter ? "\(joined) \(part)" : joined + part
        }
    }
}
