public import WeirCore

extension EventStream {
    /// Emits an element when no other has followed it for a duration.
    ///
    ///     keystrokes.debounce(for: .milliseconds(300))
    ///
    /// Emits the youngest element at the time that is `duration` after its own, as soon as a watermark or an element
    /// reaches that time; of elements that are closer to each other, only the last. Elements that are older than one
    /// before them, or than the watermark, go to ``Debounce/late``: put the stream in order first. Remembers one
    /// element. Watermarks pass. The completion emits what is held, at the time at which it would have been due; a
    /// failure or an interruption discards it.
    ///
    /// - Parameter duration: The length of the pause after an element, in event time; positive.
    /// - Returns: The elements before a pause.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func debounce(for duration: Duration) -> Debounce<Self> {
        Debounce(self, Nanoseconds.positive(duration, "a pause"))
    }
}

/// The elements before a pause; made by `debounce`.
@frozen
public struct Debounce<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    /// The elements that were older than one before them, or than the watermark.
    public let late = SideOutput<Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let duration: Int64

    @inlinable
    init(_ upstream: Upstream, _ duration: Int64) {
        self.upstream = upstream
        self.duration = duration
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(DebounceSink(duration, late, sink))
    }
}

extension Debounce: GroupableStream where Upstream: GroupableStream {}

/// Holds an element until a pause follows it.
@frozen
@usableFromInline
struct DebounceSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let duration: Int64
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline var held: Input?
    @usableFromInline var time = Timestamp.distantPast
    // The youngest element or watermark.
    @usableFromInline var now = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ duration: Int64, _ late: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.duration = duration
        self.late = late
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= now else { return late.send(copy element, at: time) }
        now = time
        emit(ifDueBy: time)
        held = copy element
        self.time = time
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        now = max(now, watermark)
        emit(ifDueBy: watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emit(ifDueBy: .distantFuture) }
        held = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("debounce")
        try state.exchange(late)
        try state.exchange(&held)
        try state.exchange(&time)
        try state.exchange(&now)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emit(ifDueBy now: Timestamp) {
        let due = time.shifted(byNanoseconds: duration)
        guard let element = held, due <= now else { return }
        held = nil
        downstream.receive(element, at: due)
    }
}
