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
