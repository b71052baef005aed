/// What came out of a workload: how many elements, and a number that depends on all of them.
@frozen
public struct Tally: Sendable, Equatable {
    public var count: Int
    public var sum: Double

    /// Creates a tally, empty unless told otherwise.
    @inlinable
    public init(count: Int = 0, sum: Double = 0) {
        self.count = count
        self.sum = sum
    }

    /// Counts a value.
    @inlinable
    public mutating func add(_ value: Double) {
        count += 1
        sum += value
    }

    /// Whether this is what it should be; sums may differ by rounding.
    ///
    /// - Parameter reference: What it should be.
    /// - Returns: Whether the counts are equal and the sums are, but for rounding.
    public func agrees(with reference: Tally) -> Bool {
        count == reference.count && (sum - reference.sum).magnitude <= 1e-11 * reference.sum.magnitude
    }
}

extension CommonStream {
    /// The results that two engines, or an engine and an independent computation, agree on, for ten million events.
    public enum Reference {
        /// `filter(value > 0.5)`, `map(value × 2)`, running sum: how many sums, and the last one.
        public static let runningSum = Tally(count: 4_999_088, sum: 7_498_967.819_936_592)

        /// Neighbours whose values differ by more than 0.9: how many pairs, and the sum of their differences.
        public static let jumps = Tally(count: 100_354, sum: 93_653.269_493_878_79)

        /// The average of each 1,000 events, which is each second: how many, and their sum.
        ///
        /// In exact arithmetic the sum is
        /// 4999.832894165777788…, that of all values divided by 1,000.
        public static let means = Tally(count: 10_000, sum: 4_999.832_894_165_778)

        /// The greatest value of 10 s, every second: how many windows, and the sum of the values.
        public static let maxima = Tally(count: 10_009, sum: 10_008.031_794_367_2)

        /// The running sum of each key: how many, and the sum of all.
        public static let sumsByKey = Tally(count: 10_000_000, sum: 25_007_913_856.235_7)
    }
}
