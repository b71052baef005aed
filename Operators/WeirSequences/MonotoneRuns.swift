public import WeirCore

/// What happens to a run that becomes longer than an operator remembers.
@frozen
public enum LongRun: Sendable, Hashable {
    /// The run is emitted, and the next element begins another one.
    case split

    /// The oldest element of the run is forgotten for each new one.
    case dropOldest
}

/// Which way values go.
@frozen
@usableFromInline
enum Trend: Sendable {
    case rising
    case notFalling
    case falling
    case notRising

    /// Returns whether `next` continues the run of `previous`.
    @inlinable
    func goesOn<Value: Comparable>(from previous: Value, to next: Value) -> Bool {
        switch self {
        case .rising: next > previous
        case .notFalling: next >= previous
        case .falling: next < previous
        case .notRising: next <= previous
        }
    }
}

/// The monotone runs of a stream; made by `rising` and `falling`.
@frozen
public struct MonotoneRuns<Upstream: EventStream, Value: Comparable & Sendable>: EventStream {
    public typealias Element = [Upstream.Element]

    /// The elements that were forgotten because a run was too long.
    public let dropped = SideOutput<Upstream.Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let value: @Sendable (Upstream.Element) -> Value
    @usableFromInline let trend: Trend
    @usableFromInline let least: Int
    @usableFromInline let limit: Int
    @usableFromInline let longRun: LongRun

    @inlinable
    init(
        _ upstream: Upstream,
        _ value: @escaping @Sendable (Upstream.Element) -> Value,
        _ trend: Trend,
        _ least: Int,
        _ limit: Int,
        _ longRun: LongRun
    ) {
        precondition(least > 0, "MonotoneRuns: least must be positive, but is \(least)")
        precondition(limit >= least, "runs of at least \(least) elements can not be found by remembering \(limit)")
        self.upstream = upstream
        self.value = value
        self.trend = trend
        self.least = least
        self.limit = limit
        self.longRun = longRun
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(MonotoneRunsSink(value, trend, least, limit, longRun, dropped, sink))
    }
}

extension MonotoneRuns: GroupableStream where Upstream: GroupableStream {}

/// Collects elements as long as their values go the same way.
@frozen
@usableFromInline
struct MonotoneRunsSink<Input: Sendable, Value: Comparable & Sendable, Downstream: Sink>: Sink
where Downstream.Input == [Input] {
    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline let trend: Trend
    @usableFromInline let least: Int
    @usableFromInline let limit: Int
    @usableFromInline let longRun: LongRun
    @usableFromInline let dropped: SideOutput<Input>
    // The run as a ring: the oldest element is at `head` when the ring is full, else at 0.
    @usableFromInline var run: [(element: Input, time: Timestamp)] = []
    @usableFromInline var head = 0
    @usableFromInline var previous: Value?
    @usableFromInline var lastTime = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ value: @escaping @Sendable (Input) -> Value,
        _ trend: Trend,
        _ least: Int,
        _ limit: Int,
        _ longRun: LongRun,
        _ dropped: SideOutput<Input>,
        _ downstream: consuming Downstream
    ) {
        self.value = value
        self.trend = trend
        self.least = least
        self.limit = limit
        self.longRun = longRun
        self.dropped = dropped
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let next = value(copy element)
        if let previous, !trend.goesOn(from: previous, to: next) { end() }
        if run.count < limit {
            run.append((copy element, time))
        } else if longRun == .split {
            end()
            run.append((copy element, time))
        } else {
            dropped.send(run[head].element, at: run[head].time)
            run[head] = (copy element, time)
            head = head + 1 == limit ? 0 : head + 1
        }
        previous = next
        lastTime = time
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = max(self.watermark, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { end() }
        run = []
        previous = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("rising")
        state.require(limit)
        try state.exchange(dropped)
        try state.exchange(&run)
        try state.exchange(&head)
        try state.exchange(&previous)
        try state.exchange(&lastTime)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    /// Ends the run, and emits it when it is long enough.
    @inlinable
    mutating func end() {
        if run.count >= least {
            var elements: [Input] = []
            elements.reserveCapacity(run.count)
            for entry in run[head...] { elements.append(entry.element) }
            for entry in run[..<head] { elements.append(entry.element) }
            downstream.receive(elements, at: max(lastTime, watermark))
        }
        run.removeAll(keepingCapacity: true)
        head = 0
    }
}
