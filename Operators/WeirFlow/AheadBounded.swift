public import WeirCore

extension EventStream {
    /// Rejects the elements that run too far ahead in event time.
    ///
    ///     let readings = recorded.bounded(maxAhead: .ofRecent(.seconds(60)))
    ///     readings.ahead.subscribeWithTime { reading, time in print("from the future:", reading) }
    ///
    /// They go to ``AheadBounded/ahead`` and do not advance event time. Watermarks and the completion pass.
    ///
    /// With a limit of recent times the first seven elements are held back until the seventh, a watermark or the
    /// completion arrives, because a first element from the future cannot be distinguished from a valid one.
    ///
    /// - Parameter limit: How far an element may run ahead.
    /// - Returns: The elements within the limit.
    /// - Complexity: O(1) per element; remembers 31 times and at most six elements.
    @inlinable
    public func bounded(maxAhead limit: AheadLimit) -> AheadBounded<Self> {
        AheadBounded(self, limit)
    }

    /// Restores the order of event time as `ordered(within:limit:)` does, without the elements that run too far ahead.
    ///
    ///     readings.ordered(within: .milliseconds(200), maxAhead: .ofRecent(.seconds(60)))
    ///
    /// One element with a time far in the future would make all that follow late. Those beyond the limit go to
    /// ``Ordered/ahead`` instead, and do not move event time; see `bounded(maxAhead:)`.
    ///
    /// - Parameters:
    ///   - delay: How long after younger elements an element may arrive, in event time; not negative.
    ///   - maxAhead: How far an element may run ahead: of a clock for live sources, of the recent elements otherwise.
    ///   - limit: How many elements may wait; positive.
    /// - Returns: The elements in order.
    /// - Complexity: As `ordered(within:limit:)`.
    @inlinable
    public func ordered(
        within delay: Duration,
        maxAhead: AheadLimit,
        limit: Int = 1 << 20
    ) -> Ordered<AheadBounded<Self>> {
        bounded(maxAhead: maxAhead).ordered(within: delay, limit: limit)
    }
}

/// A stream that has a side output for elements that run too far ahead.
public protocol AheadBounding: EventStream {
    /// The elements that run too far ahead.
    var ahead: SideOutput<Element> { get }
}

extension Ordered: AheadBounding where Upstream: AheadBounding {
    /// The elements that run too far ahead; they do not advance event time.
    public var ahead: SideOutput<Element> { upstream.ahead }
}

/// The elements of a stream that do not run too far ahead; made by `bounded(maxAhead:)`.
@frozen
public struct AheadBounded<Upstream: EventStream>: AheadBounding {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let limit: AheadLimit

    public let ahead: SideOutput<Element>

    @inlinable
    init(_ upstream: Upstream, _ limit: AheadLimit) {
        self.upstream = upstream
        self.limit = limit
        ahead = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(AheadBoundedSink(limit, ahead, sink))
    }
}

extension AheadBounded: GroupableStream where Upstream: GroupableStream {}

/// Separates the elements that run too far ahead.
@frozen
@usableFromInline
struct AheadBoundedSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var limit: AheadLimit
    @usableFromInline let ahead: SideOutput<Input>
    // The first elements, until there are enough to decide on them.
    @usableFromInline var held: ContiguousArray<(element: Input, time: Timestamp)> = []
    @usableFromInline var isHolding: Bool
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ limit: AheadLimit, _ ahead: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.limit = limit
        self.ahead = ahead
        self.downstream = downstream
        isHolding = !limit.isSettled
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isHolding else { return hold(copy element, time) }
        if limit.admits(time) { downstream.receive(element, at: time) } else { ahead.send(copy element, at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        release()
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        release()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("aheadBounded")
        try limit.exchangeState(&state)
        try state.exchange(ahead)
        try state.exchange(&held)
        try state.exchange(&isHolding)
        try downstream.exchangeState(&state)
    }

    @inlinable
    @inline(never)
    mutating func hold(_ element: Input, _ time: Timestamp) {
        limit.note(time)
        held.append((element, time))
        guard limit.isSettled else { return }
        release()
        isHolding = false
    }

    /// Decides on the elements that are held back.
    @inlinable
    mutating func release() {
        guard !held.isEmpty else { return }
        for (element, time) in held {
            if limit.allows(time) { downstream.receive(element, at: time) } else { ahead.send(element, at: time) }
        }
        held = []
    }
}
