public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Looks back over a duration from each element.
    ///
    ///     readings.sliding(.seconds(10)).max(of: \.celsius)
    ///
    /// The window of an element at *t* holds the elements in `(t - size, t]` that have arrived, itself included; the
    /// result's `start` is excluded and its `end` included.
    ///
    /// Emits when an element arrives, with the element's time. An element that is older than one before it, or than
    /// the watermark, is late and goes to ``WindowedStream/late``: put the stream in order first. There is no lateness
    /// to allow, for a late element would change the results of all elements after it; and no early result, for each
    /// result is out when its element is. Watermarks and the completion pass; they close nothing.
    ///
    /// Remembers the elements of one window; with a `SelectingAggregate`, such as `Max`, a monotone sequence of values; with
    /// an aggregate that is only mergeable an aggregate for each element. An element that finds `limit` of them goes
    /// to ``WindowedStream/refused``.
    ///
    /// - Parameters:
    ///   - size: The length of a window; positive.
    ///   - limit: How many elements a window may remember; positive.
    /// - Returns: The windows.
    /// - Complexity: O(1) amortised per element, without allocation, for aggregates that are invertible, mergeable or
    ///   selecting; O(elements in the window) for others, and for the elements themselves.
    @inlinable
    public func sliding(_ size: Duration, limit: Int = 1_000_000) -> SlidingWindows<Self> {
        SlidingWindows(self, Nanoseconds.positive(size, "a window"), isCounting: false, limit)
    }

    /// Looks back over a number of elements from each element.
    ///
    ///     readings.sliding(count: 100).mean(of: \.celsius)
    ///
    /// Emits when an element arrives, with the element's time: the last `count` elements in the order of arrival, or
    /// fewer as long as fewer have arrived. `start` is the time of the first of them and `end` of the last, both included.
    /// Nothing is late. Watermarks and the completion pass. Remembers `count` elements.
    ///
    /// - Parameter count: The number of elements; positive.
    /// - Returns: The windows.
    /// - Complexity: That of `sliding(_:limit:)`.
    @inlinable
    public func sliding(count: Int) -> SlidingWindows<Self> {
        precondition(count > 0, "sliding: count must be positive, but is \(count)")
        return SlidingWindows(self, Int64(count), isCounting: true, .max)
    }
}

/// A window for each element; made by `sliding`.
@frozen
public struct SlidingWindows<Upstream: EventStream>: WindowedStream {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let size: Int64
    @usableFromInline let isCounting: Bool
    @usableFromInline let limit: Int
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(_ upstream: Upstream, _ size: Int64, isCounting: Bool, _ limit: Int) {
        precondition(limit > 0, "SlidingWindows: limit must be positive, but is \(limit)")
        self.upstream = upstream
        self.size = size
        self.isCounting = isCounting
        self.limit = limit
    }

    @inlinable
    public var late: SideOutput<Input> { sides.late }

    @inlinable
    public var refused: SideOutput<Input> { sides.refused }

    @inlinable
    func attach<State: SlidingState, S: Sink>(_ state: State, _ sink: consuming S) -> Subscription
    where State.Base.Input == Input, S.Input == WindowResult<State.Base.Output> {
        isCounting
            ? upstream.attach(CountSlidingSink(state, size, sink))
            : upstream.attach(SlidingSink(state, size, limit, sides, sink))
    }

    @inlinable
    public func attach<A: Aggregate, S: Sink>(folding aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(RefoldingState(aggregate), sink)
    }

    @inlinable
    public func attach<A: MergeableAggregate, S: Sink>(merging aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        // Aggregates that keep elements would keep each of them many times.
        A.keepsElements ? attach(RefoldingState(aggregate), sink) : attach(MergingState(aggregate), sink)
    }

    @inlinable
    public func attach<A: InvertibleAggregate, S: Sink>(inverting aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(InvertingState(aggregate), sink)
    }

    @inlinable
    public func attach<A: InvertibleAggregate & MergeableAggregate, S: Sink>(
        mergingOrInverting aggregate: A,
        _ sink: consuming S
    ) -> Subscription where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(InvertingState(aggregate), sink)
    }

    @inlinable
    public func attach<A: SelectingAggregate, S: Sink>(selecting aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(SelectingState(aggregate), sink)
    }
}

extension SlidingWindows: GroupableStream where Upstream: GroupableStream {}

/// Emits the aggregate of the time before each element.
@frozen
@usableFromInline
struct SlidingSink<State: SlidingState, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<State.Base.Output> {
    @usableFromInline typealias Input = State.Base.Input

    @usableFromInline var state: State
    @usableFromInline let size: Int64
    @usableFromInline let limit: Int
    @usableFromInline let sides: WindowSides<Input>
    // The time of the newest element, or the watermark.
    @usableFromInline var newest = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ state: State,
        _ size: Int64,
        _ limit: Int,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.state = state
        self.size = size
        self.limit = limit
        self.sides = sides
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= newest else { return sides.late.send(copy element, at: time) }
        newest = time
        let start = Nanoseconds.difference(time.nanosecondsSinceEpoch, size)
        state.evict(through: start)
        guard state.count < limit else { return sides.refused.send(copy element, at: time) }
        state.add(element, at: time, position: time.nanosecondsSinceEpoch)
        downstream.receive(WindowResult(start: Timestamp(start), end: time, value: state.result()), at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > newest { newest = watermark }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        state.evict(through: .max)
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        try exchange.begin("sliding")
        try sides.exchangeState(&exchange)
        try exchange.exchange(&newest)
        try state.exchangeState(&exchange)
        try downstream.exchangeState(&exchange)
    }
}

/// Emits the aggregate of the elements before each element.
@frozen
@usableFromInline
struct CountSlidingSink<State: SlidingState, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<State.Base.Output> {
    @usableFromInline typealias Input = State.Base.Input

    @usableFromInline var state: State
    @usableFromInline let size: Int64
    @usableFromInline var position: Int64 = 0
    @usableFromInline var times = Deque<Timestamp>()
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ state: State, _ size: Int64, _ downstream: consuming Downstream) {
        self.state = state
        self.size = size
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        position += 1
        if times.count == Int(size) { times.removeFirst() }
        times.append(time)
        state.evict(through: position - size)
        state.add(element, at: time, position: position)
        downstream.receive(WindowResult(start: times[0], end: time, value: state.result()), at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        state.evict(through: .max)
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        try exchange.begin("sliding")
        exchange.require(size)
        try exchange.exchange(&position)
        try exchange.exchange(&times)
        try state.exchangeState(&exchange)
        try downstream.exchangeState(&exchange)
    }
}
