public import WeirCore

/// Five aggregates of the same elements; their results are one tuple.
///
/// `aggregate` and `running` make it of five arguments. It can be merged, and elements can be removed, when all can.
@frozen
public struct Aggregates5<
    First: Aggregate,
    Second: Aggregate,
    Third: Aggregate,
    Fourth: Aggregate,
    Fifth: Aggregate
>: Aggregate
where
    First.Input == Second.Input,
    First.Input == Third.Input,
    First.Input == Fourth.Input,
    First.Input == Fifth.Input
{
    public typealias Input = First.Input

    @usableFromInline var first: First
    @usableFromInline var second: Second
    @usableFromInline var third: Third
    @usableFromInline var fourth: Fourth
    @usableFromInline var fifth: Fifth

    /// Creates the aggregate of no elements.
    @inlinable
    public init(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.fifth = fifth
    }

    @inlinable
    public static var keepsElements: Bool {
        First.keepsElements || Second.keepsElements || Third.keepsElements || Fourth.keepsElements
            || Fifth.keepsElements
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        first.add(element, at: time)
        second.add(element, at: time)
        third.add(element, at: time)
        fourth.add(element, at: time)
        fifth.add(element, at: time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try first.exchangeState(&state)
        try second.exchangeState(&state)
        try third.exchangeState(&state)
        try fourth.exchangeState(&state)
        try fifth.exchangeState(&state)
    }

    @inlinable
    public mutating func result() -> (First.Output, Second.Output, Third.Output, Fourth.Output, Fifth.Output) {
        (first.result(), second.result(), third.result(), fourth.result(), fifth.result())
    }
}

extension Aggregates5: InvertibleAggregate
where
    First: InvertibleAggregate,
    Second: InvertibleAggregate,
    Third: InvertibleAggregate,
    Fourth: InvertibleAggregate,
    Fifth: InvertibleAggregate
{
    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        first.remove(element, at: time)
        second.remove(element, at: time)
        third.remove(element, at: time)
        fourth.remove(element, at: time)
        fifth.remove(element, at: time)
    }
}

extension Aggregates5: MergeableAggregate
where
    First: MergeableAggregate,
    Second: MergeableAggregate,
    Third: MergeableAggregate,
    Fourth: MergeableAggregate,
    Fifth: MergeableAggregate
{
    @inlinable
    public mutating func merge(_ other: Self) {
        first.merge(other.first)
        second.merge(other.second)
        third.merge(other.third)
        fourth.merge(other.fourth)
        fifth.merge(other.fifth)
    }
}

/// Six aggregates of the same elements; their results are one tuple.
///
/// `aggregate` and `running` make it of six arguments. It can be merged, and elements can be removed, when all can.
@frozen
public struct Aggregates6<
    First: Aggregate,
    Second: Aggregate,
    Third: Aggregate,
    Fourth: Aggregate,
    Fifth: Aggregate,
    Sixth: Aggregate
>: Aggregate
where
    First.Input == Second.Input,
    First.Input == Third.Input,
    First.Input == Fourth.Input,
    First.Input == Fifth.Input,
    First.Input == Sixth.Input
{
    public typealias Input = First.Input

    @usableFromInline var first: First
    @usableFromInline var second: Second
    @usableFromInline var third: Third
    @usableFromInline var fourth: Fourth
    @usableFromInline var fifth: Fifth
    @usableFromInline var sixth: Sixth

    /// Creates the aggregate of no elements.
    @inlinable
    public init(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.fifth = fifth
        self.sixth = sixth
    }

    @inlinable
    public static var keepsElements: Bool {
        First.keepsElements || Second.keepsElements || Third.keepsElements || Fourth.keepsElements
            || Fifth.keepsElements || Sixth.keepsElements
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        first.add(element, at: time)
        second.add(element, at: time)
        third.add(element, at: time)
        fourth.add(element, at: time)
        fifth.add(element, at: time)
        sixth.add(element, at: time)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try first.exchangeState(&state)
        try second.exchangeState(&state)
        try third.exchangeState(&state)
        try fourth.exchangeState(&state)
        try fifth.exchangeState(&state)
        try sixth.exchangeState(&state)
    }

    @inlinable
    public mutating func result() -> (
        First.Output, Second.Output, Third.Output, Fourth.Output, Fifth.Output, Sixth.Output
    ) {
        (first.result(), second.result(), third.result(), fourth.result(), fifth.result(), sixth.result())
    }
}

extension Aggregates6: InvertibleAggregate
where
    First: InvertibleAggregate,
    Second: InvertibleAggregate,
    Third: InvertibleAggregate,
    Fourth: InvertibleAggregate,
    Fifth: InvertibleAggregate,
    Sixth: InvertibleAggregate
{
    @inlinable
    public mutating func remove(_ element: borrowing Input, at time: Timestamp) {
        first.remove(element, at: time)
        second.remove(element, at: time)
        third.remove(element, at: time)
        fourth.remove(element, at: time)
        fifth.remove(element, at: time)
        sixth.remove(element, at: time)
    }
}

extension Aggregates6: MergeableAggregate
where
    First: MergeableAggregate,
    Second: MergeableAggregate,
    Third: MergeableAggregate,
    Fourth: MergeableAggregate,
    Fifth: MergeableAggregate,
    Sixth: MergeableAggregate
{
    @inlinable
    public mutating func merge(_ other: Self) {
        first.merge(other.first)
        second.merge(other.second)
        third.merge(other.third)
        fourth.merge(other.fourth)
        fifth.merge(other.fifth)
        sixth.merge(other.sixth)
    }
}
