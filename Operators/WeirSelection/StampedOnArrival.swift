public import WeirCore

extension EventStream {
    /// Replaces event time with the time of arrival.
    ///
    ///     readings.stampedOnArrival(clock: EventClock())
    ///
    /// Emits each element when it arrives, with the clock's time; times never go back, even if the clock does. The
    /// watermark is the time of the last signal: it is sent before an element, and whenever a watermark arrives, if
    /// time has passed; the watermarks of event time are dropped. Remembers the last time. The completion passes.
    ///
    /// Only the time that travels with an element changes, not a time inside the element.
    ///
    /// - Parameters:
    ///   - clock: Read once for each element and each watermark.
    ///   - interval: How much time passes at least between two watermarks; not negative. Zero advances whenever time
    ///     passes, which costs a watermark per element where every element has a time of its own.
    /// - Returns: The same elements in arrival time.
    /// - Complexity: O(1) per element and a reading of the clock, without allocation.
    @inlinable
    public func stampedOnArrival<Clock: TimeSource>(
        clock: Clock,
        watermarkEvery interval: Duration = .zero
    ) -> StampedOnArrival<Self, Clock> {
        precondition(interval >= .zero, "stampedOnArrival: interval must not be negative, but is \(interval)")
        return StampedOnArrival(self, clock, interval.wholeNanoseconds)
    }
}

/// The elements of a stream in arrival time; made by `stampedOnArrival(clock:watermarkEvery:)`.
@frozen
public struct StampedOnArrival<Upstream: EventStream, Clock: TimeSource>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let clock: Clock
    @usableFromInline let interval: Int64

    @inlinable
    init(_ upstream: Upstream, _ clock: Clock, _ interval: Int64) {
        self.upstream = upstream
        self.clock = clock
        self.interval = interval
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(StampedOnArrivalSink(clock, interval, sink))
    }
}

extension StampedOnArrival: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements with the time of their arrival.
@frozen
@usableFromInline
struct StampedOnArrivalSink<Clock: TimeSource, Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let clock: Clock
    @usableFromInline let interval: Int64
    @usableFromInline var now = Timestamp.distantPast
    @usableFromInline var nextWatermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ clock: Clock, _ interval: Int64, _ downstream: consuming Downstream) {
        self.clock = clock
        self.interval = interval
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        passTime()
        downstream.receive(element, at: now)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        passTime()
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("stampedOnArrival")
        try state.exchange(&now)
        try state.exchange(&nextWatermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func passTime() {
        now = max(now, clock.now())
        guard now >= nextWatermark else { return }
        // At least a nanosecond: an equal watermark has no effect.
        nextWatermark = now.shifted(byNanoseconds: max(interval, 1))
        downstream.advance(to: now)
    }
}
