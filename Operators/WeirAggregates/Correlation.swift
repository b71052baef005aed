public import WeirCore

/// The correlation (Pearson's) of two numbers of each element, by Welford's method.
///
///     readings.tumbling(.seconds(60)).aggregate(Correlation(of: \.celsius, \.humidity))
///
/// NaN when one of them does not vary, and as long as a NaN or an infinity is in.
/// Remembers seven numbers; O(1) to add and merge.
@frozen
public struct Correlation<Input: Sendable>: MergeableAggregate {
    @usableFromInline let x: @Sendable (Input) -> Double
    @usableFromInline let y: @Sendable (Input) -> Double
    @usableFromInline var moments = JointMoments()

    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - x: The first number of an element; called once.
    ///   - y: The second number.
    @inlinable
    public init(
        of x: @escaping @Sendable (Input) -> Double,
        _ y: @escaping @Sendable (Input) -> Double
    ) {
        self.x = x
        self.y = y
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) { moments.add(x(element), y(element)) }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&moments)
    }

    @inlinable
    public mutating func merge(_ other: Self) { moments.merge(other.moments) }

    @inlinable
    public func result() -> Double { moments.correlation }
}
