public import WeirCore

/// A quantile of a number of each element within a relative error, in bounded memory (DDSketch: Masson, Rim and Lee,
/// "DDSketch: a fast and fully-mergeable quantile sketch with relative-error guarantees", 2019).
///
///     latencies.hopping(.seconds(60), every: .seconds(1)).aggregate(QuantileSketch(0.99, of: \.milliseconds))
///
/// The result differs from the number of rank `floor(fraction · (n - 1))` by no more than `relativeError` times its
/// magnitude, as long as the magnitudes span fewer than `maximumBins` bins: with the defaults 4096 bins of 1 %, 80
/// powers of two, 24 of ten. Beyond, the smallest magnitudes share a bin and only they lose the guarantee. Magnitudes
/// below 2.3e-308 count as zero, infinities as the greatest finite numbers; NaN propagates.
///
/// - Complexity: O(1) to add and to remove, O(bins) to merge and for the result.
@frozen
public struct QuantileSketch<Input: Sendable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Double
    @usableFromInline let fraction: Double
    @usableFromInline let scale: Double
    @usableFromInline var positive: BinCounts
    @usableFromInline var negative: BinCounts
    @usableFromInline var zeros = 0
    @usableFromInline var notNumbers = 0

    /// Creates the quantile of no elements.
    ///
    /// - Parameters:
    ///   - fraction: Which part of the numbers is below it, from 0 to 1.
    ///   - value: The number of an element; called once when it is added and once when it is removed.
    ///   - relativeError: How far the result may be off, as a part of it; from 0.0001 to 0.5.
    ///   - maximumBins: How many bins there may be for numbers of one sign; positive. A bin takes eight bytes.
    public init(
        _ fraction: Double,
        of value: @escaping @Sendable (Input) -> Double,
        relativeError: Double = 0.01,
        maximumBins: Int = 4096
    ) {
        precondition(
            fraction >= 0 && fraction <= 1,
            "QuantileSketch: fraction must be between 0 and 1, but is \(fraction)"
        )
        precondition(
            relativeError >= 0.0001 && relativeError <= 0.5,
            "a sketch takes relative errors from 0.0001 to 0.5, not \(relativeError)"
        )
        precondition(maximumBins > 0, "QuantileSketch: maximumBins must be positive, but is \(maximumBins)")
        self.value = value
        self.fraction = fraction
        // A bin of width w in `position` spans at most a factor of e^w, which must not exceed (1 + a) / (1 - a); the
        // logarithm of that is greater than 2a.
        scale = 1 / (2 * relativeError)
        positive = BinCounts(maximumBins)
        negative = BinCounts(maximumBins)
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { change(value(element), 1) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&positive)
        try state.exchange(&negative)
        try state.exchange(&zeros)
        try state.exchange(&notNumbers)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) { change(value(element), -1) }

    public mutating func merge(_ other: Self) {
        positive.merge(other.positive)
        negative.merge(other.negative)
        zeros += other.zeros
        notNumbers += other.notNumbers
    }

    /// NaN when there is no element.
    public mutating func result() -> Double {
        let count = positive.total + negative.total + zeros
        guard notNumbers == 0, count > 0 else { return .nan }
        let rank = Int(fraction * Double(count - 1))
        if rank < negative.total { return -middle(of: negative.bin(ofRank: negative.total - 1 - rank)) }
        if rank < negative.total + zeros { return 0 }
        return middle(of: positive.bin(ofRank: rank - negative.total - zeros))
    }

    @usableFromInline
    mutating func change(_ number: Double, _ change: Int) {
        let magnitude = min(number.magnitude, .greatestFiniteMagnitude)
        if number.isNaN {
            notNumbers += change
        } else if magnitude < .leastNormalMagnitude {
            zeros += change
        } else if number > 0 {
            positive.change(bin(of: magnitude), change)
        } else {
            negative.change(bin(of: magnitude), change)
        }
    }

    /// The bin of a magnitude: the exponent and the significand make a logarithm that is linear between powers of two,
    /// with a slope between 1 and 2 over the natural logarithm.
    private func bin(of magnitude: Double) -> Int {
        Int(((Double(magnitude.exponent) + (magnitude.significand - 1)) * scale).rounded(.down))
    }

    /// The number that is relatively as far from the lower bound of a bin as from the upper.
    private func middle(of bin: Int) -> Double {
        let (low, high) = (bound(bin), bound(bin + 1))
        return low + (high - low) * (low / (low + high))
    }

    private func bound(_ bin: Int) -> Double {
        let position = Double(bin) / scale
        let exponent = position.rounded(.down)
        guard exponent <= 1023 else { return .greatestFiniteMagnitude }
        return Double(sign: .plus, exponent: Int(exponent), significand: 1 + (position - exponent))
    }
}

/// Counts of neighbouring bins; the lowest ones share a bin when there are too many.
@frozen
@usableFromInline
struct BinCounts: Sendable {
    let maximum: Int
    // The bin of the first count.
    var lowest = 0
    var counts: [Int] = []
    var total = 0

    init(_ maximum: Int) {
        self.maximum = maximum
    }

    mutating func change(_ bin: Int, _ change: Int) {
        total += change
        cover(bin)
        counts[max(0, bin - lowest)] += change
    }

    mutating func merge(_ other: BinCounts) {
        for (index, count) in other.counts.enumerated() where count != 0 { change(other.lowest + index, count) }
    }

    func bin(ofRank rank: Int) -> Int {
        var below = 0
        for (index, count) in counts.enumerated() {
            below += count
            if below > rank { return lowest + index }
        }
        return lowest + counts.count - 1
    }

    /// Makes a count for a bin, unless it is below the lowest that there can be.
    private mutating func cover(_ bin: Int) {
        if counts.isEmpty {
            lowest = bin
            counts = [0]
        } else if bin < lowest {
            let missing = min(lowest - bin, maximum - counts.count)
            counts.insert(contentsOf: repeatElement(0, count: missing), at: 0)
            lowest -= missing
        } else if bin >= lowest + counts.count {
            let excess = bin - lowest + 1 - maximum
            if excess > 0 {
                let shared = counts.prefix(excess).reduce(0, +)
                counts.removeFirst(min(excess, counts.count))
                lowest += excess
                if counts.isEmpty { counts = [0] }
                counts[0] += shared
            }
            counts.append(contentsOf: repeatElement(0, count: bin - lowest + 1 - counts.count))
        }
    }
}
