public import WeirCore

/// An exact quantile of a number of each element, between neighbours by linear interpolation.
///
///     latencies.tumbling(.seconds(60)).aggregate(Quantile(0.99, of: \.milliseconds))
///
/// Of *n* sorted numbers it is the one at index `fraction · (n - 1)` (the definition of R's type 7, NumPy and
/// spreadsheets). NaN propagates. Remembers all numbers, and sorts them for the result.
///
/// - Complexity: O(1) to add, O(numbers) to merge; a result is O(k log k + n) for *k* changes since the last one.
@frozen
public struct Quantile<Input: Sendable>: InvertibleAggregate, MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Double
    @usableFromInline let fraction: Double
    @usableFromInline var added: [Double] = []
    @usableFromInline var removed: [Double] = []
    @usableFromInline var notNumbers = 0
    @usableFromInline var sorted: [Double] = []

    /// Creates the quantile of no elements.
    ///
    /// - Parameters:
    ///   - fraction: Which part of the numbers is below it, from 0 to 1.
    ///   - value: The number of an element; called once when it is added and once when it is removed.
    @inlinable
    public init(_ fraction: Double, of value: @escaping @Sendable (Input) -> Double) {
        precondition(fraction >= 0 && fraction <= 1, "Quantile: fraction must be between 0 and 1, but is \(fraction)")
        self.value = value
        self.fraction = fraction
    }

    /// Creates the median of no elements.
    ///
    /// - Parameter value: The number of an element; called once when it is added and once when it is removed.
    /// - Returns: The quantile at one half.
    @inlinable
    public static func median(of value: @escaping @Sendable (Input) -> Double) -> Quantile {
        Quantile(0.5, of: value)
    }

    @inlinable
    public static var keepsElements: Bool { true }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        let number = value(element)
        if number.isNaN { notNumbers += 1 } else { added.append(number) }
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&added)
        try state.exchange(&removed)
        try state.exchange(&notNumbers)
        try state.exchange(&sorted)
    }

    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        let number = value(element)
        if number.isNaN { notNumbers -= 1 } else { removed.append(number) }
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        added.append(contentsOf: other.added)
        added.append(contentsOf: other.sorted)
        removed.append(contentsOf: other.removed)
        notNumbers += other.notNumbers
    }

    /// NaN when there is no element.
    public mutating func result() -> Double {
        settle()
        guard notNumbers == 0, let last = sorted.last else { return .nan }
        let position = fraction * Double(sorted.count - 1)
        let index = Int(position)
        guard index + 1 < sorted.count else { return last }
        let (low, high, part) = (sorted[index], sorted[index + 1], position - Double(index))
        // Equal neighbours may be infinite, whose difference is NaN.
        if low == high || part == 0 { return low }
        let span = high - low
        return span.isFinite ? low + span * part : low * (1 - part) + high * part
    }

    /// Sorts the numbers that were added since the last result.
    private mutating func settle() {
        guard added.count + removed.count > 4 else {
            for number in added { sorted.insert(number, at: index(of: number)) }
            for number in removed { sorted.remove(at: index(of: number)) }
            added.removeAll(keepingCapacity: true)
            removed.removeAll(keepingCapacity: true)
            return
        }
        added.sort()
        removed.sort()
        var all: [Double] = []
        all.reserveCapacity(sorted.count + added.count)
        var (old, new, gone) = (0, 0, 0)
        while old < sorted.count || new < added.count {
            let number: Double
            if new == added.count || (old < sorted.count && sorted[old] <= added[new]) {
                number = sorted[old]
                old += 1
            } else {
                number = added[new]
                new += 1
            }
            if gone < removed.count, removed[gone] == number { gone += 1 } else { all.append(number) }
        }
        sorted = all
        added.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
    }

    /// The index of the first number that is not less.
    private func index(of number: Double) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
