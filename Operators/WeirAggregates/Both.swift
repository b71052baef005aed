public import WeirCore

/// Two aggregates of the same elements; nest it for more.
///
///     readings.tumbling(.seconds(1)).aggregate(Both(Mean(of: \.celsius), Count()))
///
/// Can be merged when both can, and elements can be removed when both can do that.
@frozen
public struct Both<First: Aggregate, Second: Aggregate>: Aggregate where First.Input == Second.Input {
    public typealias Input = First.Input

    @usableFromInline var first: First
    @usableFromInline var second: Second

    /// Creates the aggregate of no elements.
    @inlinable
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    public static var keepsElements: Bool { First.keepsElements || Second.keepsElements }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        first.add(element, at: time)
        second.add(element, at: time)
    }

    @inlinable
    public mutating func result() -> (First.Output, Second.Output) {
        (first.result(), second.result())
    }
}

extension Both: InvertibleAggregate where First: InvertibleAggregate, Second: InvertibleAggregate {
    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        first.remove(element, at: time)
        second.remove(element, at: time)
    }
}

extension Both: MergeableAggregate where First: MergeableAggregate, Second: MergeableAggregate {
    @inlinable
    public mutating func merge(_ other: Self) {
        first.merge(other.first)
        second.merge(other.second)
    }
}
