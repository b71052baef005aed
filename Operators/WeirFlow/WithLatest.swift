public import WeirCore

extension EventStream {
    /// Pairs each element with the latest element of another stream.
    ///
    ///     orders.withLatest(from: prices)
    ///
    /// Emits a pair with each element of this stream, once the other has had one, with the element's own time; the
    /// latest is the one that arrived last. Elements that come before go to ``WithLatest/refused``. Remembers one
    /// element of the other stream. Watermarks pass: the earlier one of the two streams. Finishes with this stream;
    /// ends when one fails or is interrupted.
    ///
    /// - Parameter other: The other stream; it may run on another thread.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func withLatest<Other: EventStream>(from other: Other) -> WithLatest<Self, Other> {
        WithLatest(self, other)
    }
}

/// The elements of a stream, each with the latest of another one; made by `withLatest(from:)`.
@frozen
public struct WithLatest<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = (First.Element, Second.Element)

    @usableFromInline let first: First
    @usableFromInline let second: Second

    /// The elements that came before the other stream had one.
    public let refused: SideOutput<First.Element>

    @inlinable
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(WithLatestState<First.Element, Second.Element, S>(refused, sink), inputs: 2)
        // The other stream first, so that what it emits when attached is there.
        let other = second.attach(junction.input(1, RightPort()))
        return junction.subscription(other, first.attach(junction.input(0, LeftPort())))
    }
}

/// Remembers the latest element of the second input.
@frozen
@usableFromInline
struct WithLatestState<Left: Sendable, Right: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (Left, Right) {
    @usableFromInline let refused: SideOutput<Left>
    @usableFromInline var latest: Right?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ refused: SideOutput<Left>, _ downstream: consuming Downstream) {
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Left, Right>, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element):
            guard let latest else { return refused.send(element, at: time) }
            downstream.receive((element, latest), at: time)
        case .second(let element):
            latest = element
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { input == 0 }

    @inlinable
    mutating func finish(_ completion: Completion) {
        latest = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("withLatest")
        try state.exchange(refused)
        try state.exchange(&latest)
        try downstream.exchangeState(&state)
    }
}
