public import WeirCore

extension EventStream {
    /// Ends the stream at the first element of another one.
    ///
    ///     readings.take(until: shutdowns)
    ///
    /// Emits each element when it arrives, with its time, until the first element of the other stream arrives; then it
    /// finishes at once, and detaches from both. The order of arrival decides; for a point in event time,
    /// `take(until:)` takes a timestamp. Remembers whether it has finished. Watermarks of this stream pass until then,
    /// the other's hold nothing back. Finishes with this stream; goes on when the other one finishes without an
    /// element; ends when one fails or is interrupted. The streams may run on different threads; signals that meet a
    /// busy one wait in a ring of 1,024, and when that is full the publishing thread waits.
    ///
    /// - Parameter other: The stream whose first element ends this one.
    /// - Returns: The elements that arrive before it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take<Other: EventStream>(until other: Other) -> TakeUntilElement<Self, Other> {
        TakeUntilElement(self, other)
    }
}

/// The elements of a stream until the first element of another one; made by `take(until:)`.
@frozen
public struct TakeUntilElement<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = First.Element

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
        let own = DeferredSubscription()
        let junction = Junction(TakeUntilElementState<Second.Element, S>(own, sink), inputs: 2)
        // The other stream first, so that what it emits when attached is there.
        let other = second.attach(junction.input(1, RightPort()))
        return own.set(junction.subscription(other, first.attach(junction.input(0, LeftPort()))))
    }
}

/// Forwards the signals of the first input until the second input has an element.
@frozen
@usableFromInline
struct TakeUntilElementState<Right: Sendable, Downstream: Sink>: JunctionState {
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Downstream.Input, Right>, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element): if !isFinished { downstream.receive(element, at: time) }
        case .second: finish(.finished)
        }
    }

    @inlinable
    mutating func advance(_ input: Int, to watermark: Timestamp) {
        if input == 0, !isFinished { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { input == 0 }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("take(until:)")
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
