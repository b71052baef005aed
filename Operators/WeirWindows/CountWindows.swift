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
    /// or an interruption discards it. Watermarks pass.
    ///
    /// Early results carry the time of the element or watermark that caused them, or the watermark if that is later;
    /// the element that fills a window makes no early one. Those of ``Emission/every(_:)`` need watermarks, and
    /// ``CountWindows/stalls`` tells when none comes.
    ///
    /// Remembers one aggregate of at most `count` elements.
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
    /// like `tumbling(count:emit:)`; the completion emits all windows that have begun. There are no early results,
    /// which would be those of several windows at a time: `sliding(count:)` looks back from each element.
    ///
    /// Remembers one aggregate for each pane, which is as long as the greatest common divisor of `count` and `slide`,
    /// if the aggregate is a `MergeableAggregate`; the elements of a window otherwise.
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
public struct CountWindows<Upstream: EventStream>: WindowedStream, WatermarkWaiting {
    public typealias Input = Upstream.Element
    public typealias Element = WindowResult<[Input]>

    @usableFromInline let upstream: Upstream
    @usableFromInline let size: Int
    @usableFromInline let slide: Int
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides = WindowSides<Input>()

    @inlinable
    init(_ upstream: Upstream, _ size: Int, _ slide: Int, _ settings: WindowSettings) {
        precondition(size > 0, "CountWindows: size must be positive, but is \(size)")
        precondition(slide > 0, "CountWindows: slide must be positive, but is \(slide)")
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
    public var stalls: SideOutput<WatermarkStall> { sides.stalls }

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
            : upstream.attach(CountGrowingSink(aggregate, size, settings, sides.stalls, sink))
    }
}

extension CountWindows: GroupableStream where Upstream: GroupableStream {}
