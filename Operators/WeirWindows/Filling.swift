public import WeirAggregates
public import WeirCore

extension AggregatedWindows {
    /// Emits a result also for each window without elements.
    ///
    ///     readings.tumbling(.seconds(60)).count().filling { _ in 0 }
    ///     readings.tumbling(.seconds(60)).mean(of: \.celsius).filling { last in last }
    ///
    /// The windows begin with the first one that holds something. A window without elements is emitted when the watermark
    /// reaches its end, or before the next result, with the time of its last instant. All else passes.
    ///
    /// - Parameters:
    ///   - limit: How many windows without elements there may be in a row; positive. A watermark that jumps emits all that it
    ///     closes. Of a longer gap the rest goes to ``FilledWindows/gaps`` when it, or the stream, is over.
    ///   - value: Takes the value of the window before, and returns that of a window without elements.
    /// - Returns: The results.
    /// - Complexity: O(1) per result and window.
    @inlinable
    public func filling<Upstream: EventStream>(
        limit: Int = 100_000,
        _ value: @escaping @Sendable (Route.Base.Output) -> Route.Base.Output
    ) -> FilledWindows<Self, Route.Base.Output> where Windows == AlignedWindows<Upstream> {
        precondition(limit > 0, "filling: limit must be positive, but is \(limit)")
        return FilledWindows(self, windows.slide, limit, value)
    }
}

/// The results of windows, and those of windows without elements; made by `filling`.
@frozen
public struct FilledWindows<Upstream: EventStream, Value: Sendable>: EventStream
where Upstream.Element == WindowResult<Value> {
    public typealias Element = WindowResult<Value>

    /// The stretches of time whose windows were not emitted, as they were more than the limit.
    public let gaps = SideOutput<Range<Timestamp>>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let slide: Int64
    @usableFromInline let limit: Int
    @usableFromInline let value: @Sendable (Value) -> Value

    @inlinable
    init(_ upstream: Upstream, _ slide: Int64, _ limit: Int, _ value: @escaping @Sendable (Value) -> Value) {
        self.upstream = upstream
        self.slide = slide
        self.limit = limit
        self.value = value
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(FillingSink(slide, limit, gaps, value, sink))
    }
}

extension FilledWindows: GroupableStream where Upstream: GroupableStream {}

/// Emits the windows between results.
@frozen
@usableFromInline
struct FillingSink<Value: Sendable, Downstream: Sink>: Sink where Downstream.Input == WindowResult<Value> {
    @usableFromInline typealias Input = WindowResult<Value>

    @usableFromInline let slide: Int64
    @usableFromInline let limit: Int
    @usableFromInline let gaps: SideOutput<Range<Timestamp>>
    @usableFromInline let value: @Sendable (Value) -> Value
    // The window that was emitted last.
    @usableFromInline var last: WindowResult<Value>?
    // How many windows without elements there were since the last one with some.
    @usableFromInline var emptyCount = 0
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ slide: Int64,
        _ limit: Int,
        _ gaps: SideOutput<Range<Timestamp>>,
        _ value: @escaping @Sendable (Value) -> Value,
        _ downstream: consuming Downstream
    ) {
        self.slide = slide
        self.limit = limit
        self.gaps = gaps
        self.value = value
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing WindowResult<Value>, at time: Timestamp) {
        let start = element.start
        if element.phase == .closing {
            fill { $0.start < start }
            noteGap(before: start, at: time)
            emptyCount = 0
            last = copy element
        } else if element.phase == .late, last.map({ $0.start == start }) ?? true {
            // It replaces the result before.
            last = copy element
        }
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        // At the end of time there would be no end of windows.
        if watermark < .distantFuture {
            self.watermark = watermark
            fill { $0.end <= watermark }
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if let last, next(after: last).end <= watermark { noteGap(before: watermark, at: watermark) }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("filling")
        state.require(slide)
        try state.exchange(gaps)
        try state.exchange(&last)
        try state.exchange(&emptyCount)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    /// The times of the window behind one.
    @inlinable
    func next(after window: borrowing WindowResult<Value>) -> (start: Timestamp, end: Timestamp) {
        (window.start.shifted(byNanoseconds: slide), window.end.shifted(byNanoseconds: slide))
    }

    /// Emits windows without elements, one after the other.
    @inlinable
    mutating func fill(while isWanted: ((start: Timestamp, end: Timestamp)) -> Bool) {
        while let last, emptyCount < limit {
            let times = next(after: last)
            guard times.end > last.end, isWanted(times) else { return }
            let empty = WindowResult(start: times.start, end: times.end, value: value(last.value), phase: .closing)
            self.last = empty
            emptyCount += 1
            downstream.receive(empty, at: empty.end.shifted(byNanoseconds: -1))
        }
    }

    /// Tells which windows there was no room for.
    @inlinable
    func noteGap(before start: Timestamp, at time: Timestamp) {
        guard let last, emptyCount >= limit else { return }
        let first = next(after: last).start
        if first < start { gaps.send(first..<start, at: time) }
    }
}
