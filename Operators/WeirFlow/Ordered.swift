public import WeirCore

extension EventStream {
    /// Restores the order of event time, for elements that arrive late by no more than a delay.
    ///
    ///     readings.ordered(within: .milliseconds(200), limit: 100_000)
    ///
    /// Holds each element until event time, as given by the latest element or a watermark, has advanced by `delay`, and
    /// emits the elements in the order of their times, equal times in the order of arrival, each with its own time. Its
    /// notion of how far event time has come moves in steps of an eighth of the delay, and each step is a watermark for
    /// what follows; watermarks from upstream count and pass as they are, if they are ahead.
    ///
    /// An element that is older than its watermark goes to ``Ordered/late``. Remembers the elements that wait; when
    /// there are `limit` of them, those of the oldest eighth of a delay are emitted ahead of time, and what would have
    /// had to come before them is late. The completion emits all that wait; a failure or an interruption discards it.
    ///
    /// - Parameters:
    ///   - delay: How long after younger elements an element may arrive, in event time; not negative.
    ///   - limit: How many elements may wait; positive.
    /// - Returns: The elements in order.
    /// - Complexity: O(log *n*) per element for *n* elements within a 64th of the delay, O(1) where these arrive in
    ///   order; without allocation once the buffers have grown.
    @inlinable
    public func ordered(within delay: Duration, limit: Int = 1 << 20) -> Ordered<Self> {
        precondition(delay >= .zero, "ordered: delay must not be negative, but is \(delay)")
        precondition(limit > 0, "ordered: limit must be positive, but is \(limit)")
        return Ordered(self, delay, limit)
    }
}

/// The elements of a stream in the order of their times; made by `ordered(within:limit:)`.
@frozen
public struct Ordered<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let delay: Duration
    @usableFromInline let limit: Int

    /// The elements that arrived too late to be put in order.
    public let late: SideOutput<Element>

    @inlinable
    init(_ upstream: Upstream, _ delay: Duration, _ limit: Int) {
        self.upstream = upstream
        self.delay = delay
        self.limit = limit
        late = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(OrderedSink(delay, limit, late, sink))
    }
}

extension Ordered: GroupableStream where Upstream: GroupableStream {}
