public import WeirCore

extension EventStream {
    /// Runs the stream once for all sinks that are attached.
    ///
    ///     let parsed = lines.map(parse).share()
    ///     parsed.filter { $0.isAlarm }.subscribe(ring)
    ///     parsed.subscribe(write)
    ///
    /// Emits each element when it arrives, with its time, to each sink in the order in which the sinks were attached; a
    /// sink gets what comes after it was attached. Attaches to the stream with the first sink, and stays attached.
    /// Remembers the sinks. Watermarks and the completion pass; a sink that comes after the completion gets that.
    ///
    /// - Returns: The same elements; an object that all its sinks share.
    /// - Complexity: O(*s*) per element for *s* sinks, without allocation.
    @inlinable
    public func share() -> Shared<Self> {
        Shared(self)
    }

    /// Runs the stream once for all sinks, each of which starts with the last elements.
    ///
    ///     let parsed = lines.map(parse).share(replaying: 1)
    ///
    /// A sink that is attached gets up to `limit` of the elements that came last, with their times, and the last watermark,
    /// before what comes next; also after the completion. Remembers these elements beside the sinks. Everything else is as in
    /// ``share()``.
    ///
    /// - Parameter limit: How many elements to remember; positive. Older ones are forgotten.
    /// - Returns: The same elements; an object that all its sinks share.
    /// - Complexity: O(*s*) per element for *s* sinks, without allocation once there are `limit`.
    @inlinable
    public func share(replaying limit: Int) -> Shared<Self> {
        precondition(limit > 0, "share: limit must be positive, but is \(limit)")
        return Shared(self, .last(limit))
    }

    /// The stream twice, to be used in two places, run once: `share()` for two.
    ///
    ///     let (measured, recorded) = readings.duplicate()
    ///
    /// Emits, remembers and completes as `share()`; a third place may use either of the two.
    ///
    /// - Returns: The same shared stream, twice.
    /// - Complexity: O(*s*) per element for *s* sinks, without allocation.
    @inlinable
    public func duplicate() -> (Shared<Self>, Shared<Self>) {
        let shared = share()
        return (shared, shared)
    }
}

/// A stream that runs once for all its sinks; made by `share`.
///
/// Thread safety: all members, from any thread.
public final class Shared<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let multicast: Multicast<Element>
    private let isAttached = Locked(false)
    // Where the one subscription to the stream is.
    private let places = SinkNumbers()

    @usableFromInline
    init(_ upstream: Upstream, _ replay: MulticastReplay<Element> = .nothing) {
        self.upstream = upstream
        multicast = Multicast(replaying: replay)
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let subscription = multicast.attach(sink)
        connect()
        return subscription
    }

    @usableFromInline
    func connect() {
        let isFirst = isAttached.withLock { isAttached in
            defer { isAttached = true }
            return !isAttached
        }
        if isFirst { _ = places.attach { upstream.attach(MulticastSink(multicast)) } }
        places.lend()
    }
}

/// Forwards signals to the sinks of a multicast.
@frozen
@usableFromInline
struct MulticastSink<Input: Sendable>: Sink {
    @usableFromInline let multicast: Multicast<Input>

    @inlinable
    init(_ multicast: Multicast<Input>) {
        self.multicast = multicast
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        multicast.send(copy element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        multicast.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        multicast.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try multicast.exchangeState(&state)
    }
}
