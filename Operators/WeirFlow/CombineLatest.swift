public import WeirCore

extension EventStream {
    /// Pairs the latest elements of two streams whenever one of them changes.
    ///
    ///     temperature.combineLatest(humidity)
    ///
    /// Emits a pair with each element of either stream, as soon as both have had one, with the later of the two event
    /// times; the latest is the one that arrived last. Remembers one element of each. Watermarks pass: the earlier one
    /// of the two streams. Finishes when both streams have, or one without having had an element; ends when one fails
    /// or is interrupted.
    ///
    /// - Parameter other: The other stream; it may run on another thread.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func combineLatest<Other: EventStream>(_ other: Other) -> CombineLatest<Self, Other> {
        CombineLatest(self, other)
    }
}

/// The latest elements of two streams; made by `combineLatest`.
@frozen
public struct CombineLatest<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = (First.Element, Second.Element)

    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(CombineLatestState<First.Element, Second.Element, S>(sink), inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, LeftPort())),
            second.attach(junction.input(1, RightPort()))
        )
    }
}

/// Remembers the latest element of each input.
@frozen
@usableFromInline
struct CombineLatestState<Left: Sendable, Right: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (Left, Right) {
    @usableFromInline var left: Left?
    @usableFromInline var right: Right?
    @usableFromInline var leftTime = Timestamp.distantPast
    @usableFromInline var rightTime = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Left, Right>, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element): (left, leftTime) = (element, time)
        case .second(let element): (right, rightTime) = (element, time)
        }
        if let left, let right { downstream.receive((left, right), at: max(leftTime, rightTime)) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool {
        input == 0 ? left == nil : right == nil
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        left = nil
        right = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("combineLatest")
        try state.exchange(&left)
        try state.exchange(&right)
        try state.exchange(&leftTime)
        try state.exchange(&rightTime)
        try downstream.exchangeState(&state)
    }
}
