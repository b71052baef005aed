internal import Foundation
internal import WeirCore
internal import WeirRecords

extension Timestamp {
    /// Reads the text of a time with all of its digits, which `Double` could not hold.
    static let exactText: TextReader = { decoder in
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) { return text }
        return try container.decode(Decimal.self).description
    }

    /// The time as Foundation has it, to a fraction of a microsecond.
    var date: Date {
        let (seconds, rest) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Date(timeIntervalSince1970: Double(seconds) + Double(rest) / 1e9)
    }
}
