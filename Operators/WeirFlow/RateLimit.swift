public import WeirCore

extension EventStream {
    /// Limits the rate of elements, with bursts.
    ///
    ///     requests.limit(100, per: .seconds(1), burst: 20)
    ///
    /// A token bucket in event time: it holds up to `burst` tokens, is full at the beginning, and gains `count` tokens
    /// per `duration`, evenly. The time from one token to the next is cut to whole nanoseconds, so that there are more
    /// at a rate near one per nanosecond: 600,000,000 per second become one per nanosecond. Emits an element when it
    /// arrives, with its time, if there is a token for it; the others go to ``RateLimit/refused``. Time that goes back
    /// adds no tokens. Remembers one time. Watermarks and the completion pass.
    ///
    /// - Parameters:
    ///   - count: How many elements per duration; positive, and at most one per nanosecond.
    ///   - duration: The duration; positive.
    ///   - burst: How many elements may come at once; positive.
    /// - Returns: The elements for which there was a token.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func limit(_ count: Int, per duration: Duration, burst: Int = 1) -> RateLimit<Self> {
        precondition(count > 0 && burst > 0, "a rate needs a positive count and burst, not \(count) and \(burst)")
        let spacing = duration.wholeNanoseconds / Int64(count)
        precondition(spacing > 0, "a rate of \(count) per \(duration) is more than one per nanosecond")
        return RateLimit(self, spacing, Nanoseconds.product(Int64(burst - 1), spacing))
    }
}

/// Elements at a limited rate; made by `limit(_:per:burst:)`.
@frozen
public struct RateLimit<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let spacing: Int64
    @usableFromInline let tolerance: Int64

    /// The elements for which there was no token.
    public let refused: SideOutput<Upstream.Element>

    @inlinable
    init(_ upstream: Upstream, _ spacing: Int64, _ tolerance: Int64) {
        self.upstream = upstream
        self.spacing = spacing
        self.tolerance = tolerance
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(RateLimitSink(spacing, tolerance, refused, sink))
    }
}

extension RateLimit: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements for which there is a token.
@frozen
@usableFromInline
struct RateLimitSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let spacing: Int64
    // How much earlier than evenly spaced an element may come: the tokens of a full bucket but one.
    @usableFromInline let tolerance: Int64
    @usableFromInline let refused: SideOutput<Input>
    // When the bucket is full again.
    @usableFromInline var full = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ spacing: Int64, _ tolerance: Int64, _ refused: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.spacing = spacing
        self.tolerance = tolerance
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if time >= full.shifted(byNanoseconds: -tolerance) {
            full = max(full, time).shifted(byNanoseconds: spacing)
            downstream.receive(element, at: time)
        } else {
            refused.send(copy element, at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("rateLimit")
        try state.exchange(refused)
        try state.exchange(&full)
        try downstream.exchangeState(&state)
    }
}
