/// An element of one of two streams.
@frozen
public enum Either<First: Sendable, Second: Sendable>: Sendable {
    /// An element of the first stream.
    case first(First)
    /// An element of the second stream.
    case second(Second)
}

extension Either: Equatable where First: Equatable, Second: Equatable {}
extension Either: Hashable where First: Hashable, Second: Hashable {}

/// An element of one of three streams.
@frozen
public enum EitherOfThree<First: Sendable, Second: Sendable, Third: Sendable>: Sendable {
    /// An element of the first stream.
    case first(First)
    /// An element of the second stream.
    case second(Second)
    /// An element of the third stream.
    case third(Third)
}

extension EitherOfThree: Equatable where First: Equatable, Second: Equatable, Third: Equatable {}
extension EitherOfThree: Hashable where First: Hashable, Second: Hashable, Third: Hashable {}

/// An element of one of four streams.
@frozen
public enum EitherOfFour<First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable>: Sendable {
    /// An element of the first stream.
    case first(First)
    /// An element of the second stream.
    case second(Second)
    /// An element of the third stream.
    case third(Third)
    /// An element of the fourth stream.
    case fourth(Fourth)
}

extension EitherOfFour: Equatable where First: Equatable, Second: Equatable, Third: Equatable, Fourth: Equatable {}
extension EitherOfFour: Hashable where First: Hashable, Second: Hashable, Third: Hashable, Fourth: Hashable {}

/// An element of one of five streams.
@frozen
public enum EitherOfFive<
    First: Sendable,
    Second: Sendable,
    Third: Sendable,
    Fourth: Sendable,
    Fifth: Sendable
>: Sendable {
    /// An element of the first stream.
    case first(First)
    /// An element of the second stream.
    case second(Second)
    /// An element of the third stream.
    case third(Third)
    /// An element of the fourth stream.
    case fourth(Fourth)
    /// An element of the fifth stream.
    case fifth(Fifth)
}

extension EitherOfFive: Equatable
where
    First: Equatable,
    Second: Equatable,
    Third: Equatable,
    Fourth: Equatable,
    Fifth: Equatable
{}

extension EitherOfFive: Hashable
where
    First: Hashable,
    Second: Hashable,
    Third: Hashable,
    Fourth: Hashable,
    Fifth: Hashable
{}

/// An element of one of six streams.
@frozen
public enum EitherOfSix<
    First: Sendable,
    Second: Sendable,
    Third: Sendable,
    Fourth: Sendable,
    Fifth: Sendable,
    Sixth: Sendable
>: Sendable {
    /// An element of the first stream.
    case first(First)
    /// An element of the second stream.
    case second(Second)
    /// An element of the third stream.
    case third(Third)
    /// An element of the fourth stream.
    case fourth(Fourth)
    /// An element of the fifth stream.
    case fifth(Fifth)
    /// An element of the sixth stream.
    case sixth(Sixth)
}

extension EitherOfSix: Equatable
where
    First: Equatable,
    Second: Equatable,
    Third: Equatable,
    Fourth: Equatable,
    Fifth: Equatable,
    Sixth: Equatable
{}

extension EitherOfSix: Hashable
where
    First: Hashable,
    Second: Hashable,
    Third: Hashable,
    Fourth: Hashable,
    Fifth: Hashable,
    Sixth: Hashable
{}
