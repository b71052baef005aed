public import WeirCore

extension EventStream {
    /// Emits the last element of each stretch of time that an element begins.
    ///
    ///     positions.audit(for: .seconds(1))
    ///
    /// An element that comes while no stretch runs begins one. Emits the element that arrived last within it, at the time at
    /// which it ends, when a watermark or a later element comes; an element of exactly that time is the last one, and is emitted
    /// when it arrives. Then the next element begins another. `throttle(for:edges:)` with `.trailing` keeps emitted elements
    /// that far apart instead.
    ///
    /// Elements that are older than the watermark go to ``Audit/late``. Remembers one element and two times. Watermarks
    /// pass. The completion emits what is held, at the time at which it would have been due; a failure or an interruption
    /// discards it.
    ///
    /// - Parameter duration: How long a stretch is, in event time; positive.
    /// - Returns: One element for each stretch.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func audit(for duration: Duration) -> Audit<Self> {
        Audit(self, Nanoseconds.positive(duration, "a stretch of time"))
    }
}

/// The last elements of stretches that elements begin; made by `audit`.
@frozen
public struct Audit<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    /// The elements that were older than the watermark.
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
        upstream.attach(AuditSink(duration, late, sink))
    }
}

extension Audit: GroupableStream where Upstream: GroupableStream {}

/// Holds the last element until its stretch ends.
@frozen
@usableFromInline
struct AuditSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let duration: Int64
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline var held: Input?
    // When the stretch ends that the held element is part of.
    @usableFromInline var end = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ duration: Int64, _ late: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.duration = duration
        self.late = late
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= watermark else { return late.send(copy element, at: time) }
        if held != nil, time >= end {
            guard time > end else {
                held = nil
                return downstream.receive(element, at: time)
            }
            emitHeld()
        }
        if held == nil { end = time.shifted(byNanoseconds: duration) }
        held = copy element
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = max(self.watermark, watermark)
        if watermark >= end { emitHeld() }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emitHeld() }
        held = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("audit")
        try state.exchange(late)
        try state.exchange(&held)
        try state.exchange(&end)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emitHeld() {
        if let element = held.take() { downstream.receive(element, at: end) }
    }
}
