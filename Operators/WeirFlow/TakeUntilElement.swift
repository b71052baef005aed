public import WeirCore

extension EventStream {
    /// Ends the stream when another one says something.
    ///
    ///     readings.take(until: shutdowns)
    ///
    /// Emits each element when it arrives, with its time, until the first element of the other stream arrives; then it
    /// finishes at once, and detaches from both. It goes by arrival: for a point in event time, `take(until:)` takes a
    /// timestamp. Remembers whether that happened. Watermarks of this stream pass until then, the other's hold nothing
    /// back. Finishes with this stream; goes on when the other one finishes without an element; fails when one fails. The
    /// streams may run on different threads; signals that meet a busy one wait in a ring of 1,024, and then the thread
    /// that brings them waits.
    ///
    /// - Parameter other: The stream whose first element ends this one.
    /// - Returns: The elements that arrive before it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func take<Other: EventStream>(until other: Other) -> TakeUntilElement<Self, Other> {
        TakeUntilElement(self, other)
    }
}

/// The elements of a stream until another one says something; made by `take(until:)`.
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
        let own = LateSubscription()
        let junction = Junction(TakeUntilElementState<Second.Element, S>(own, sink), inputs: 2)
        // The other stream first, so that what it has to say at once is there.
        let other = second.attach(junction.input(1, RightPort()))
        return own.set(junction.subscription(other, first.attach(junction.input(0, LeftPort()))))
    }
}

/// Hands on what the first input says until the second one says something.
@frozen
public struct TakeUntilElementState<Right: Sendable, Downstream: Sink>: JunctionState {
    @usableFromInline let own: LateSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ own: LateSubscription, _ downstream: consuming Downstream) {
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ signal: Either<Downstream.Input, Right>, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element): if !isFinished { downstream.receive(element, at: time) }
        case .second: finish(.finished)
        }
    }

    @inlinable
    public mutating func advance(_ input: Int, to watermark: Timestamp) {
        if input == 0, !isFinished { downstream.advance(to: watermark) }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finishInput(_ input: Int) -> Bool { input == 0 }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        downstream.finish(completion)
        own.cancel()
    }
}
