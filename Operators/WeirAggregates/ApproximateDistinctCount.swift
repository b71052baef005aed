public import WeirCore

/// How many different values there are, about, in bounded memory (HyperLogLog: Flajolet and others, 2007, with the
/// estimator of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017).
///
///     requests.hopping(.seconds(3600), every: .seconds(60)).aggregate(ApproximateDistinctCount(of: \.user))
///
/// The standard error is 1.04 / √2^precision at any count: 0.8 % with the default of 14, which takes 16 KiB. So two in
/// three results are within 0.8 %, and 997 in 1000 within 2.4 %. Hashes are stable, so equal streams give equal results
/// in every process.
///
/// - Complexity: O(1) to add, O(2^precision) to merge and for the result.
@frozen
public struct ApproximateDistinctCount<Input: Sendable, Value: StableHashable>: MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline let precision: Int
    // Empty until there is a value.
    @usableFromInline var ranks: [UInt8] = []

    /// Creates the count of no elements.
    ///
    /// - Parameters:
    ///   - value: The value of an element; called once.
    ///   - precision: The binary logarithm of the number of bytes, from 4 to 18.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Value, precision: Int = 14) {
        precondition(precision >= 4 && precision <= 18, "a precision is from 4 to 18, not \(precision)")
        self.value = value
        self.precision = precision
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        if ranks.isEmpty { ranks = Array(repeating: 0, count: 1 << precision) }
        let hash = value(element).stableHash
        let index = Int(hash >> UInt64(64 - precision))
        let rest = hash << UInt64(precision) | (1 << UInt64(precision - 1))
        ranks[index] = max(ranks[index], UInt8(rest.leadingZeroBitCount + 1))
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(precision)
        try state.exchange(&ranks)
    }

    public mutating func merge(_ other: Self) {
        precondition(precision == other.precision, "only counts of the same precision can be merged")
        guard !ranks.isEmpty, !other.ranks.isEmpty else {
            if ranks.isEmpty { ranks = other.ranks }
            return
        }
        for index in ranks.indices { ranks[index] = max(ranks[index], other.ranks[index]) }
    }

    public func result() -> Int {
        guard !ranks.isEmpty else { return 0 }
        let highest = 64 - precision
        var counts = Array(repeating: 0.0, count: highest + 2)
        for rank in ranks { counts[Int(rank)] += 1 }
        let size = Double(ranks.count)
        var sum = size * Self.tau(1 - counts[highest + 1] / size)
        for rank in (1...highest).reversed() { sum = (sum + counts[rank]) / 2 }
        sum += size * Self.sigma(counts[0] / size)
        // 1 / (2 ln 2).
        let estimate = 0.721_347_520_444_481_7 * size * size / sum
        // Values chosen for their hashes can fill all registers, and then the estimate is infinite.
        return Int(exactly: estimate.rounded()) ?? .max
    }

    /// x + Σ x^(2^k) · 2^(k - 1), of the registers that are zero.
    private static func sigma(_ x: Double) -> Double {
        guard x < 1 else { return .infinity }
        var (power, factor, sum, before) = (x, 1.0, x, -1.0)
        while sum != before {
            before = sum
            power *= power
            sum += power * factor
            factor += factor
        }
        return sum
    }

    /// (1 - x - Σ (1 - x^(2^-k))² · 2^-k) / 3, of the registers that are full.
    private static func tau(_ x: Double) -> Double {
        guard x > 0, x < 1 else { return 0 }
        var (root, factor, sum, before) = (x, 1.0, 1 - x, -1.0)
        while sum != before {
            before = sum
            root = root.squareRoot()
            factor /= 2
            sum -= (1 - root) * (1 - root) * factor
        }
        return sum / 3
    }
}
