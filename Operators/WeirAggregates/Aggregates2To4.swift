public import WeirCore

/// Two aggregates of the same elements; their results are one tuple.
///
/// `aggregate` and `running` make it of two arguments. It can be merged, and elements can be removed, when all can.
@frozen
public struct Aggregates2<
    First: Aggregate,
    Second: Aggregate
>: Aggregate
where First.Input == Second.Input {
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
    public static var keepsElements: Bool {
        First.keepsElements || Second.keepsElements
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        first.add(element, at: time)
        second.add(element, at: time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try first.exchangeState(&state)
        try second.exchangeState(&state)
    }

    @inlinable
    public mutating func result() -> (First.Output, Second.Output) {
        (first.result(), second.result())
    }
}

extension Aggregates2: InvertibleAggregate
where
    First: InvertibleAggregate,
    Second: InvertibleAggregate
{
    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        first.remove(element, at: time)
        second.remove(element, at: time)
    }
}

extension Aggregates2: MergeableAggregate
where
    First: MergeableAggregate,
    Second: MergeableAggregate
{
    @inlinable
    public mutating func merge(_ other: Self) {
        first.merge(other.first)
        second.merge(other.second)
    }
}

/// Three aggregates of the same elements; their results are one tuple.
///
/// `aggregate` and `running` make it of three arguments. It can be merged, and elements can be removed, when all can.
@frozen
public struct Aggregates3<
    First: Aggregate,
    Second: Aggregate,
    Third: Aggregate
>: Aggregate
where First.Input == Second.Input, First.Input == Third.Input {
    public typealias Input = First.Input

    @usableFromInline var first: First
    @usableFromInline var second: Second
    @usableFromInline var third: Third

    /// Creates the aggregate of no elements.
    @inlinable
    public init(_ first: First, _ second: Second, _ third: Third) {
        self.first = first
        self.second = second
        self.third = third
    }

    @inlinable
    public static var keepsElements: Bool {
        First.keepsElements || Second.keepsElements || Third.keepsElements
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        first.add(element, at: time)
        second.add(element, at: time)
        third.add(element, at: time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try first.exchangeState(&state)
        try second.exchangeState(&state)
        try third.exchangeState(&state)
    }

    @inlinable
    public mutating func result() -> (First.Output, Second.Output, Third.Output) {
        (first.result(), second.result(), third.result())
    }
}

extension Aggregates3: InvertibleAggregate
where
    First: InvertibleAggregate,
    Second: InvertibleAggregate,
    Third: InvertibleAggregate
{
    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        first.remove(element, at: time)
        second.remove(element, at: time)
        third.remove(element, at: time)
    }
}

extension Aggregates3: MergeableAggregate
where
    First: MergeableAggregate,
    Second: MergeableAggregate,
    Third: MergeableAggregate
{
    @inlinable
    public mutating func merge(_ other: Self) {
        first.merge(other.first)
        second.merge(other.second)
        third.merge(other.third)
    }
}

/// Four aggregates of the same elements; their results are one tuple.
///
/// `aggregate` and `running` make it of four arguments. It can be merged, and elements can be removed, when all can.
@frozen
public struct Aggregates4<
    First: Aggregate,
    Second: Aggregate,
    Third: Aggregate,
    Fourth: Aggregate
>: Aggregate
where First.Input == Second.Input, First.Input == Third.Input, First.Input == Fourth.Input {
    public typealias Input = First.Input

    @usableFromInline var first: First
    @usableFromInline var second: Second
    @usableFromInline var third: Third
    @usableFromInline var fourth: Fourth

    /// Creates the aggregate of no elements.
    @inlinable
    public init(_ first: First, _ second: Second, _ third: Third, _ fourth: Fourth) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    @inlinable
    public static var keepsElements: Bool {
        First.keepsElements || Second.keepsElements || Third.keepsElements || Fourth.keepsElements
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        first.add(element, at: time)
        second.add(element, at: time)
        third.add(element, at: time)
        fourth.add(element, at: time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try first.exchangeState(&state)
        try second.exchangeState(&state)
        try third.exchangeState(&state)
        try fourth.exchangeState(&state)
    }

    @inlinable
    public mutating func result() -> (First.Output, Second.Output, Third.Output, Fourth.Output) {
        (first.result(), second.result(), third.result(), fourth.result())
    }
}

extension Aggregates4: InvertibleAggregate
where
    First: InvertibleAggregate,
    Second: InvertibleAggregate,
    Third: InvertibleAggregate,
    Fourth: InvertibleAggregate
{
    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        first.remove(element, at: time)
        second.remove(element, at: time)
        third.remove(element, at: time)
        fourth.remove(element, at: time)
    }
}

extension Aggregates4: MergeableAggregate
where
    First: MergeableAggregate,
    Second: MergeableAggregate,
    Third: MergeableAggregate,
    Fourth: MergeableAggregate
{
    @inlinable
    public mutating func merge(_ other: Self) {
        first.merge(other.first)
        second.merge(other.second)
        third.merge(other.third)
        fourth.merge(other.fourth)
    }
}
