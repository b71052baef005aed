public import WeirCore

extension EventStream {
    /// Makes watermarks of the elements' times: for sources that send none.
    ///
    ///     readings.watermarks(lag: .seconds(2)).tumbling(.seconds(60)).mean(of: \.celsius)
    ///     readings.watermarks(lag: .zero).tumbling(.seconds(60)).count()  // in order
    ///
    /// A watermark is the youngest time so far less `lag`: how long after younger elements an element may come. Emits an
    /// element when it arrives, after the watermark that its time makes, if that is later than the last one. An element
    /// that is older than the watermark passes, too, and is late for the operators behind. To have the elements in order
    /// as well, use `ordered(within:)` instead.
    ///
    /// Remembers the last watermark. Later watermarks from upstream and the completion pass. No element, no watermark: for
    /// sources that may fall idle see `watermarks(idleAfter:on:)`. Of streams that are merged or joined, give each its own,
    /// with the lag of its source; the earliest of them counts behind.
    ///
    /// - Parameters:
    ///   - lag: How much older than the youngest element one may be that is not late; not negative.
    ///   - step: How far event time moves between two watermarks, at least; not negative. Behind groups and windows, where
    ///     each watermark costs, more than zero is quicker, and results come up to as much later.
    /// - Returns: The same elements, with watermarks.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func watermarks(lag: Duration, every step: Duration = .zero) -> Watermarks<Self> {
        Watermarks(self, lag, step)
    }
}

/// A stream with watermarks made of its elements' times; made by `watermarks(lag:every:)`.
@frozen
public struct Watermarks<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let lag: Int64
    @usableFromInline let step: Int64

    @inlinable
    init(_ upstream: Upstream, _ lag: Duration, _ step: Duration) {
        precondition(lag >= .zero, "watermarks: lag must not be negative, but is \(lag)")
        precondition(step >= .zero, "watermarks: every must not be negative, but is \(step)")
        self.upstream = upstream
        self.lag = lag.wholeNanoseconds
        self.step = step.wholeNanoseconds
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(WatermarksSink(lag, step, sink))
    }
}

extension Watermarks: GroupableStream where Upstream: GroupableStream {}

/// Sends a watermark before each element that moves time on far enough.
@frozen
@usableFromInline
struct WatermarksSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let lag: Int64
    @usableFromInline let step: Int64
    @usableFromInline var watermark = Timestamp.distantPast
    // No older element makes a watermark.
    @usableFromInline var next = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ lag: Int64, _ step: Int64, _ downstream: consuming Downstream) {
        self.lag = lag
        self.step = step
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if time >= next { advance(to: time.shifted(byNanoseconds: -lag)) }
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        self.watermark = watermark
        next = watermark.shifted(byNanoseconds: lag).shifted(byNanoseconds: step)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("watermarks")
        try state.exchange(&watermark)
        try state.exchange(&next)
        try downstream.exchangeState(&state)
    }
}
