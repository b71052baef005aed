public import WeirCore

/// The standard deviation of a number of each element, by Welford's method.
///
///     readings.sliding(.seconds(10)).aggregate(StandardDeviation(of: \.celsius))
///
/// NaN and infinities make it NaN as long as they are in. Remembers four numbers; O(1) to add and merge.
@frozen
public struct StandardDeviation<Input: Sendable>: MergeableAggregate {
    @usableFromInline let value: @Sendable (Input) -> Double
    @usableFromInline let population: Population
    @usableFromInline var moments = Moments()

    /// Creates the standard deviation of no elements, which is NaN.
    ///
    /// - Parameters:
    ///   - value: The number of an element; called once.
    ///   - population: Whether the elements are all there are, or a sample.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Double, _ population: Population = .sample) {
        self.value = value
        self.population = population
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { moments.add(value(element)) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&moments)
    }

    @inlinable
    public mutating func merge(_ other: Self) { moments.merge(other.moments) }

    @inlinable
    public func result() -> Double { moments.variance(of: population).squareRoot() }
}
