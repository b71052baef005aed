/// The values that events share, in the form in which tables compare them.
struct EventKey: Sendable, Hashable {
    /// The bytes of ``KeyEncoding`` where they are up to 15, with their number in the last one; of more of them the hash
    /// and 255.
    let words: SIMD2<UInt64>

    /// The bytes where there are more than 15.
    let long: [UInt8]?

    /// Creates the key without values.
    init() { (words, long) = (.zero, nil) }

    /// Creates a key.
    ///
    /// - Parameter bytes: The values, as ``KeyEncoding`` writes them.
    init(_ bytes: [UInt8]) {
        guard bytes.count <= 15 else {
            words = SIMD2(UInt64(bitPattern: Int64(bytes.hashValue)), .max)
            long = bytes
            return
        }
        var (first, second) = (UInt64(0), UInt64(bytes.count))
        for index in 0..<min(8, bytes.count) { first |= UInt64(bytes[index]) << UInt64(56 - index * 8) }
        if bytes.count > 8 {
            for index in 8..<bytes.count { second |= UInt64(bytes[index]) << UInt64(120 - index * 8) }
        }
        (words, long) = (SIMD2(first, second), nil)
    }

    /// Creates a key of its parts.
    init(_ words: SIMD2<UInt64>, long: [UInt8]?) { (self.words, self.long) = (words, long) }

    /// Creates the key of a whole number, which has the same bytes as that of the value.
    init(_ number: Int64) {
        let bits = UInt64(bitPattern: number)
        words = SIMD2(UInt64(KeyEncoding.Tag.integer.rawValue) << 56 | bits >> 8, bits << 56 | 9)
        long = nil
    }

    /// The number, where it is the key of a whole number alone.
    var wholeNumber: Int64? {
        guard words.y & 0xFF == 9, words.x >> 56 == UInt64(KeyEncoding.Tag.integer.rawValue) else { return nil }
        return Int64(bitPattern: words.x << 8 | words.y >> 56)
    }

    /// Whether there are more than 15 bytes.
    var isLong: Bool { long != nil }

    /// Whether words of up to 15 bytes are those that their bytes have: equal keys have equal words.
    var hasNothingBehindItsBytes: Bool {
        let count = words.y & 0xFF
        guard count > 8 else { return words.x << (count * 8) == 0 && words.y >> 8 == 0 }
        return count < 16 && (words.y >> 8) << (count * 8 - 56) == 0
    }

    /// The values, as ``KeyEncoding`` writes them.
    var bytes: [UInt8] {
        if let long { return long }
        return (0..<Int(words.y & 0xFF)).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? words.x : words.y) >> UInt64(56 - index % 8 * 8))
        }
    }

    /// How many combinations of the values of keys are looked at.
    static let mostCombinations = 1_000

    /// The keys of an event: a combination of the values of each field.
    ///
    /// - Parameters:
    ///   - set: The fields.
    ///   - value: The value of a field.
    /// - Returns: The keys, and how many combinations were left out; no keys where a value is missing that must not.
    static func keys(_ set: [QueryPlan.Key], _ value: (Int) -> QueryValue) -> (keys: [EventKey], leftOut: Int) {
        var (keys, leftOut): ([[UInt8]], Int) = ([[]], 0)
        for key in set {
            var values = value(key.field).elements
            if values.isEmpty, key.acceptsMissing { values = [.missing] }
            var next: [[UInt8]] = []
            for start in keys {
                for value in values {
                    guard next.count < mostCombinations else {
                        leftOut += 1
                        continue
                    }
                    var bytes = start
                    KeyEncoding.append(value, to: &bytes)
                    if values.count == 1 || !next.contains(bytes) { next.append(bytes) }
                }
            }
            keys = next
        }
        return (keys.map { EventKey($0) }, leftOut)
    }
}
