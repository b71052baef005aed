public import Foundation
public import WeirCore

extension CodingUserInfoKey {
    /// The `TimeUnit` that a time written as a bare number counts.
    public static let weirTimeUnit: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "weir.timeUnit") else {
            preconditionFailure("a key of letters and a point is always valid")
        }
        return key
    }()
}

extension Timestamp: Decodable {
    /// Reads a time: a number, which counts the decoder's ``Swift/CodingUserInfoKey/weirTimeUnit``, or RFC 3339 text.
    ///
    /// Without such an entry a number counts milliseconds. Numbers are read exactly where the decoder allows it.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `DecodingError` when there is something else, or it does not fit.
    public init(from decoder: any Decoder) throws {
        let unit = decoder.userInfo[.weirTimeUnit] as? TimeUnit ?? .milliseconds
        let container = try decoder.singleValueContainer()
        let text: String
        if let value = try? container.decode(String.self) {
            text = value
        } else {
            text = try container.decode(Decimal.self).description
        }
        let bytes = Array(text.utf8)
        switch unsafe bytes.withUnsafeBufferPointer({ unsafe TimeText.nanoseconds($0, scale: unit.nanoseconds) }) {
        case .value(let nanoseconds): self.init(nanosecondsSinceEpoch: nanoseconds)
        case .outOfRange: throw Self.corrupted("is out of range", text, decoder)
        case .malformed: throw Self.corrupted("is neither a number nor an RFC 3339 time", text, decoder)
        }
    }

    /// The time as Foundation has it, to a fraction of a microsecond.
    public var date: Date {
        let (seconds, rest) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Date(timeIntervalSince1970: Double(seconds) + Double(rest) / 1e9)
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
