public import WeirCore

extension EventStream {
    /// Combines the elements of each interval of event time into one value.
    ///
    ///     readings.conflate(every: .seconds(1), { $0.celsius }) { hottest, next in hottest = max(hottest, next.celsius) }
    ///
    /// Intervals begin at the multiples of `interval` since the epoch. Emits the value of an interval at its end, when
    /// a watermark or an element reaches that; nothing for intervals without elements. Elements of an interval that is
    /// over go to ``Conflate/late``. Remembers one value. Watermarks pass, those within an interval that has elements
    /// too. The completion emits the value of the interval that has begun; a failure or an interruption discards it.
    ///
    /// - Parameters:
    ///   - interval: How long an interval is; positive.
    ///   - start: Makes the value from the first element.
    ///   - combine: Combines the value with another element.
    /// - Returns: One value for each interval that has elements.
    /// - Complexity: The cost of `combine` per element.
    @inlinable
    public func conflate<Value: Sendable>(
        every interval: Duration,
        _ start: @escaping @Sendable (Element) -> Value,
        _ combine: @escaping @Sendable (inout Value, Element) -> Void
    ) -> Conflate<Self, Value> {
        Conflate(self, Nanoseconds.positive(interval, "an interval"), .max, start, combine)
    }

    /// Emits the last element of each interval of event time.
    ///
    ///     readings.sample(every: .seconds(1))
    ///
    /// Emits the element of an interval that arrived last at the interval's end. Remembers that element. Late elements,
    /// watermarks and the completion are those of ``conflate(every:_:_:)``.
    ///
    /// - Parameter interval: How long an interval is; positive.
    /// - Returns: One element for each interval that has any.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func sample(every interval: Duration) -> Conflate<Self, Element> {
        conflate(every: interval, { $0 }, { $0 = $1 })
    }

    /// Collects the elements of each interval of event time into an array.
    ///
    ///     readings.buffer(every: .seconds(1))
    ///
    /// Emits the elements of an interval, in the order of arrival, at its end. Remembers these, at most `limit`;
    /// further ones of the interval go to ``Conflate/refused``. Late elements, watermarks and the completion are those
    /// of ``conflate(every:_:_:)``.
    ///
    /// - Parameters:
    ///   - interval: How long an interval is; positive.
    ///   - limit: How many elements of an interval to remember; positive.
    /// - Returns: One array for each interval that has elements.
    /// - Complexity: O(1) amortised per element, one allocation per interval.
    @inlinable
    public func buffer(every interval: Duration, limit: Int = 1 << 20) -> Conflate<Self, [Element]> {
        precondition(limit > 0, "buffer: limit must be positive, but is \(limit)")
        return Conflate(self, Nanoseconds.positive(interval, "an interval"), limit, { [$0] }, { $0.append($1) })
    }
}

/// One value for each interval; made by `conflate`, `sample` and `buffer(every:)`.
@frozen
public struct Conflate<Upstream: EventStream, Value: Sendable>: EventStream {
    public typealias Element = Value

    @usableFromInline let upstream: Upstream
    @usableFromInline let interval: Int64
    @usableFromInline let limit: Int
    @usableFromInline let start: @Sendable (Upstream.Element) -> Value
    @usableFromInline let combine: @Sendable (inout Value, Upstream.Element) -> Void

    /// The elements of intervals that were over.
    public let late: SideOutput<Upstream.Element>

    /// The elements that the limit of `buffer(every:limit:)` left no room for.
    public let refused: SideOutput<Upstream.Element>

    @inlinable
    init(
        _ upstream: Upstream,
        _ interval: Int64,
        _ limit: Int,
        _ start: @escaping @Sendable (Upstream.Element) -> Value,
        _ combine: @escaping @Sendable (inout Value, Upstream.Element) -> Void
    ) {
        self.upstream = upstream
        self.interval = interval
        self.limit = limit
        self.start = start
        self.combine = combine
        late = SideOutput()
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ConflateSink(interval, limit, start, combine, late, refused, sink))
    }
}

extension Conflate: GroupableStream where Upstream: GroupableStream {}

/// Combines the elements of an interval.
@frozen
@usableFromInline
struct ConflateSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline let interval: Int64
    @usableFromInline let limit: Int
    @usableFromInline let start: @Sendable (Input) -> Downstream.Input
    @usableFromInline let combine: @Sendable (inout Downstream.Input, Input) -> Void
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline let refused: SideOutput<Input>
    @usableFromInline var count = 0
    @usableFromInline var value: Downstream.Input?
    @usableFromInline var begin = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ interval: Int64,
        _ limit: Int,
        _ start: @escaping @Sendable (Input) -> Downstream.Input,
        _ combine: @escaping @Sendable (inout Downstream.Input, Input) -> Void,
        _ late: SideOutput<Input>,
        _ refused: SideOutput<Input>,
        _ downstream: consuming Downstream
    ) {
        self.interval = interval
        self.limit = limit
        self.start = start
        self.combine = combine
        self.late = late
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= begin else {
            late.send(copy element, at: time)
            return
        }
        goOn(to: time)
        guard count < limit else {
            refused.send(copy element, at: time)
            return
        }
        count += 1
        // Moved out of the property while it changes: a second reference would copy an array.
        if var current = value.take() {
            combine(&current, copy element)
            value = current
        } else {
            value = start(copy element)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        goOn(to: watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emit() }
        value = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("conflate")
        try state.exchange(late)
        try state.exchange(refused)
        try state.exchange(&count)
        try state.exchange(&value)
        try state.exchange(&begin)
        try downstream.exchangeState(&state)
    }

    /// Moves to the interval of a time.
    @inlinable
    mutating func goOn(to time: Timestamp) {
        guard time >= begin.shifted(byNanoseconds: interval) else { return }
        emit()
        count = 0
        begin = time.roundedDown(toNanoseconds: interval)
    }

    @inlinable
    mutating func emit() {
        if let current = value.take() { downstream.receive(current, at: begin.shifted(byNanoseconds: interval)) }
    }
}
