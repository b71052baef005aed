public import WeirAggregates
public import WeirCore

extension EventStream {
    /// Cuts the stream into windows of a number of elements that follow each other.
    ///
    ///     readings.tumbling(count: 1000).mean(of: \.celsius)
    ///
    /// Counts in the order of arrival, so nothing is late. Emits a window when its last element arrives, with that
    /// element's time; `start` is the earliest time of its elements and `end` the latest, both included. The completion
    /// emits the last window, which may hold fewer, at its `end` or the last watermark, whichever is later; a failure
    /// discards it. Watermarks pass.
    ///
    /// Early results carry the time of the element or watermark that caused them, or the watermark if that is later;
    /// the element that fills a window makes no early one.
    ///
    /// Remembers one aggregate, which holds no more than `count` elements.
    ///
    /// - Parameters:
    ///   - count: The number of elements; positive.
    ///   - emission: When a window emits, besides when it closes.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element, without allocation unless the aggregate allocates.
    @inlinable
    public func tumbling(count: Int, emit emission: Emission = .onClose) -> CountWindows<Self> {
        CountWindows(self, count, count, WindowSettings(.zero, emission, WindowLimit()))
    }

    /// Cuts the stream into windows of a number of elements that start at regular distances and overlap.
    ///
    ///     readings.hopping(count: 1000, every: 100).max(of: \.celsius)
    ///
    /// The first window starts at the first element, the next one `slide` elements later. Emits, completes and counts
    /// like `tumbling(count:emit:)`; the completion emits all windows that have begun. There are no early results, which
    /// would be those of several windows at a time: `sliding(count:)` looks back from each element.
    ///
    /// Remembers one aggregate for each pane, which is as long as the greatest common divisor of `count` and `slide`, if
    /// the aggregate is a `MergeableAggregate`; the elements of a window otherwise.
    ///
    /// - Parameters:
    ///   - count: The number of elements; positive.
    ///   - slide: The distance between the starts of windows; positive, not more than `count`.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element, O(panes of a window) per result.
    @inlinable
    public func hopping(count: Int, every slide: Int) -> CountWindows<Self> {
        CountWindows(self, count, slide, WindowSettings(.zero, .onClose, WindowLimit()))
    }
}

/// Windows of a number of elements; made by `tumbling(count:emit:)` and `hopping(count:every:)`.
@frozen
public struct CountWindows<Upstream: EventStream>: WindowedStream {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let size: Int
    @usableFromInline let slide: Int
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(_ upstream: Upstream, _ size: Int, _ slide: Int, _ settings: WindowSettings) {
        precondition(size > 0, "a window needs room for an element, not for \(size)")
        precondition(slide > 0, "the distance between windows must be at least an element, not \(slide)")
        precondition(slide <= size, "windows of \(size) every \(slide) would leave out elements between them")
        self.upstream = upstream
        self.size = size
        self.slide = slide
        self.settings = settings
    }

    /// Stays empty: windows of a number of elements go by arrival.
    @inlinable
    public var late: SideOutput<Input> { sides.late }

    /// Stays empty: the number of elements is the limit.
    @inlinable
    public var refused: SideOutput<Input> { sides.refused }

    @inlinable
    public func attach<A: Aggregate, S: Sink>(folding aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        if size == slide { return attach(tumbling: aggregate, sink) }
        return upstream.attach(CountHoppingSink(Buffered(aggregate), size, slide, sink))
    }

    @inlinable
    public func attach<A: MergeableAggregate, S: Sink>(merging aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        if size == slide { return attach(tumbling: aggregate, sink) }
        return upstream.attach(CountHoppingSink(aggregate, size, slide, sink))
    }

    @inlinable
    func attach<A: Aggregate, S: Sink>(tumbling aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        settings.emitsOnlyOnClose
            ? upstream.attach(CountTumblingSink(aggregate, size, sink))
            : upstream.attach(CountGrowingSink(aggregate, size, settings, sink))
    }
}

/// Emits an aggregate of every so many elements.
@frozen
public struct CountTumblingSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    public typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    @usableFromInline var start = Timestamp.distantFuture
    @usableFromInline var end = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ downstream: consuming Downstream) {
        self.initial = initial
        self.size = size
        aggregate = initial
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        aggregate.add(element, at: time)
        if time < start { start = time }
        if time > end { end = time }
        count += 1
        if count == size { emit(at: time) }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if case .finished = completion, count > 0 { emit(at: max(end, watermark)) }
        downstream.finish(completion)
    }

    @inlinable
    mutating func emit(at time: Timestamp) {
        downstream.receive(WindowResult(start: start, end: end, value: aggregate.result()), at: time)
        aggregate = initial
        count = 0
        (start, end) = (.distantFuture, .distantPast)
    }
}

/// Emits an aggregate of every so many elements, and results while they become so many.
@frozen
public struct CountGrowingSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    public typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline let settings: WindowSettings
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    @usableFromInline var isChanged = false
    @usableFromInline var start = Timestamp.distantFuture
    @usableFromInline var end = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ settings: WindowSettings, _ downstream: consuming Downstream) {
        self.initial = initial
        self.size = size
        self.settings = settings
        aggregate = initial
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        aggregate.add(element, at: time)
        if time < start { start = time }
        if time > end { end = time }
        count += 1
        isChanged = true
        if count == size {
            close(at: time)
        } else if settings.emitsOnEveryElement {
            emit(.early, at: max(time, watermark))
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark { self.watermark = watermark }
        if settings.isDue(at: watermark, &nextResult), isChanged { emit(.early, at: watermark) }
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if case .finished = completion, count > 0 { close(at: max(end, watermark)) }
        downstream.finish(completion)
    }

    @inlinable
    mutating func close(at time: Timestamp) {
        emit(.closing, at: time)
        aggregate = initial
        count = 0
        (start, end) = (.distantFuture, .distantPast)
    }

    @inlinable
    mutating func emit(_ phase: WindowPhase, at time: Timestamp) {
        isChanged = false
        let result = WindowResult(start: start, end: end, value: aggregate.result(), phase: phase)
        downstream.receive(result, at: time)
    }
}

/// Emits an aggregate of so many elements every so many elements, made of panes that results share.
@frozen
public struct CountHoppingSink<Base: MergeableAggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    public typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline let slide: Int
    @usableFromInline let width: Int
    // The last one is being filled, or full when the next element starts another. The times are included.
    @usableFromInline var panes: ContiguousArray<Cell<Base>> = []
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ slide: Int, _ downstream: consuming Downstream) {
        self.initial = initial
        self.size = size
        self.slide = slide
        var (divisor, remainder) = (size, slide)
        while remainder != 0 { (divisor, remainder) = (remainder, divisor % remainder) }
        width = divisor
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        var index = panes.count - 1
        if index < 0 || panes[index].count == width {
            panes.append(Cell(.max, .min, initial))
            index += 1
        }
        panes[index].aggregate.add(element, at: time)
        panes[index].count += 1
        panes[index].start = min(panes[index].start, time.nanosecondsSinceEpoch)
        panes[index].end = max(panes[index].end, time.nanosecondsSinceEpoch)
        if panes[index].count == width, panes.count == size / width {
            emit(at: time)
            panes.removeFirst(slide / width)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            while !panes.isEmpty {
                emit(at: nil)
                panes.removeFirst(min(panes.count, slide / width))
            }
        }
        panes = []
        downstream.finish(completion)
    }

    @inlinable
    mutating func emit(at time: Timestamp?) {
        var aggregate = initial
        var (start, end) = (Int64.max, Int64.min)
        for pane in panes {
            aggregate.merge(pane.aggregate)
            start = min(start, pane.start)
            end = max(end, pane.end)
        }
        let result = WindowResult(start: Timestamp(start), end: Timestamp(end), value: aggregate.result())
        downstream.receive(result, at: time ?? max(Timestamp(end), watermark))
    }
}
