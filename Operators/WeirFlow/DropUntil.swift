public import WeirCore

extension EventStream {
    /// Leaves out elements until another stream has one.
    ///
    ///     readings.dropUntil(openings)
    ///
    /// Emits each element when it arrives, with its time, once the other stream has had an element; then it detaches from
    /// that. Remembers whether that has come. Watermarks of this stream pass at all times, and it finishes with this stream;
    /// an other stream that finishes without an element keeps it closed. Until the other stream has an element, a failure or
    /// an interruption of that ends this one, too.
    ///
    /// - Parameter other: The stream whose first element is waited for; it may run on another thread.
    /// - Returns: The elements after the first one of the other stream.
    /// - Complexity: O(1) per element, without allocation.
    // Not `drop(until:)`: each further `drop` makes the compiler look at the closures of `drop { }` once more, and
    // a typo in a long chain is then no longer found.
    @inlinable
    public func dropUntil<Other: EventStream>(_ other: Other) -> DropUntil<Self, Other> {
        DropUntil(self, other)
    }
}

/// The elements of a stream after the first element of another one; made by `dropUntil(_:)`.
@frozen
public struct DropUntil<First: EventStream, Second: EventStream>: EventStream {
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
        let other = DeferredSubscription()
        let junction = Junction(DropUntilState<Second.Element, S>(other, sink), inputs: 2)
        // The other stream first, so that what it emits when attached counts.
        other.set(second.attach(junction.input(1, RightPort())))
        return junction.subscription(first.attach(junction.input(0, LeftPort())), Subscription { other.cancel() })
    }
}

/// Forwards elements of the first input once the second has had one.
@frozen
@usableFromInline
struct DropUntilState<Right: Sendable, Downstream: Sink>: JunctionState {
    @usableFromInline typealias Signal = Either<Downstream.Input, Right>

    @usableFromInline let other: DeferredSubscription
    @usableFromInline var isOpen = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ other: DeferredSubscription, _ downstream: consuming Downstream) {
        self.other = other
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element): if isOpen { downstream.receive(element, at: time) }
        case .second:
            isOpen = true
            other.cancel()
        }
    }

    @inlinable
    mutating func advance(_ input: Int, to watermark: Timestamp) {
        if input == 0 { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { input == 0 }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("dropUntil(_:)")
        try state.exchange(&isOpen)
        if state.isRestoring, isOpen { other.cancel() }
        try downstream.exchangeState(&state)
    }
}
