public import WeirCore

/// The covariance of two numbers of each element, by Welford's method.
///
///     readings.tumbling(.seconds(60)).aggregate(Covariance(of: \.celsius, \.humidity))
///
/// A NaN or an infinity makes it NaN as long as it is in.
/// Remembers seven numbers; O(1) to add and merge.
@frozen
public struct Covariance<Input: Sendable>: MergeableAggregate {
    @usableFromInline let x: @Sendable (Input) -> Double
    @usableFromInline let y: @Sendable (Input) -> Double
    @usableFromInline let population: Population
    @usableFromInline var moments = JointMoments()

    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - x: The first number of an element; called once.
    ///   - y: The second number.
    ///   - population: Whether the elements are all there are, or a sample.
    @inlinable
    public init(
        of x: @escaping @Sendable (Input) -> Double,
        _ y: @escaping @Sendable (Input) -> Double,
        _ population: Population = .sample
    ) {
        self.x = x
        self.y = y
        self.population = population
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { moments.add(x(element), y(element)) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&moments)
    }

    @inlinable
    public mutating func merge(_ other: Self) { moments.merge(other.moments) }

    @inlinable
    public func result() -> Double { moments.covariance(of: population) }
}
