public import WeirCore

extension CodingUserInfoKey {
    /// The `TimeUnit` that a time written as a bare number counts; nanoseconds where there is no such entry.
    public static let weirTimeUnit = named("weir.timeUnit")

    /// A function that reads the text of a number, for decoders that know more digits than `Double` does.
    package static let weirNumberText = named("weir.numberText")

    private static func named(_ name: String) -> CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: name) else {
            preconditionFailure("a key of letters and a point is always valid")
        }
        return key
    }
}

extension Timestamp: Codable {
    /// What reads the text of a number or of a string from a decoder.
    package typealias TextReader = @Sendable (any Decoder) throws -> String

    /// Reads a time: a number, which counts the decoder's `CodingUserInfoKey/weirTimeUnit`, or RFC 3339 text.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `DecodingError` when there is something else, or it does not fit.
    public init(from decoder: any Decoder) throws {
        let unit = decoder.userInfo[.weirTimeUnit] as? TimeUnit ?? .nanoseconds
        let text = try Self.text(from: decoder)
        let bytes = Array(text.utf8)
        switch unsafe bytes.withUnsafeBufferPointer({ unsafe TimeText.nanoseconds($0, scale: unit.nanoseconds) }) {
        case .value(let nanoseconds): self.init(nanosecondsSinceEpoch: nanoseconds)
        case .outOfRange: throw Self.corrupted("is out of range", text, decoder)
        case .malformed: throw Self.corrupted("is neither a number nor a time", text, decoder)
        }
    }

    /// Writes the time as a number that counts the encoder's `CodingUserInfoKey/weirTimeUnit`.
    ///
    /// A time between two whole numbers is written as a `Double`, which has about 16 digits: of a time of our days in
    /// seconds, what is below a quarter of a microsecond is rounded. In nanoseconds, the default, every time is exact.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        let unit = encoder.userInfo[.weirTimeUnit] as? TimeUnit ?? .nanoseconds
        var container = encoder.singleValueContainer()
        let (count, rest) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: unit.nanoseconds)
        if rest == 0 {
            try container.encode(count)
        } else {
            try container.encode(Double(count) + Double(rest) / Double(unit.nanoseconds))
        }
    }

    private static func text(from decoder: any Decoder) throws -> String {
        if let read = decoder.userInfo[.weirNumberText] as? TextReader { return try read(decoder) }
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) { return String(number) }
        if let text = try? container.decode(String.self) { return text }
        return try container.decode(Double.self).description
    }

    private static func corrupted(_ reason: String, _ text: String, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "\(reason): '\(Excerpt.of(text.utf8, limit: 40))'"
            )
        )
    }
}
