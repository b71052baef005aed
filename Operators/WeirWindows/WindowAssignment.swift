internal import WeirAggregates
public import WeirCore

/// Which windows an element is in.
@usableFromInline
protocol WindowAssignment: Sendable {
    /// Whether each time is in one window only.
    var isDisjoint: Bool { get }

    /// The windows of a time, made where they are missing.
    ///
    /// - Returns: Their indices; `nil` when the limit does not allow one of them.
    mutating func windows<Base, Downstream>(
        of time: Timestamp,
        in windows: inout OpenWindows<Base, Downstream>,
        _ initial: Base
    ) -> Range<Int>?

    /// Saves what the assignment has learned, or gives it back.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}
