public import WeirCore

extension EventStream {
    /// Runs a separate pipeline for each key, and merges what they emit.
    ///
    ///     readings.grouped(by: { $0.recording }, limit: 10_000) { recording in
    ///         recording.followedBy { previous, current in current.x - previous.x > 1 }
    ///     }
    ///
    /// A pipeline may use the key of its group, in what it emits too, and put late elements of all groups in one place:
    ///
    ///     let means = readings.grouped(by: \.station) { group in
    ///         let windows = group.tumbling(.seconds(60))
    ///         windows.late.forward(to: group.late)
    ///         return windows.mean(of: \.celsius).map { mean in (station: group.key, mean: mean.value) }
    ///     }
    ///     means.late.subscribeWithTime { reading, time in print("late:", reading) }
    ///
    /// Emits what the pipelines emit, when they emit it. Remembers a copy of the pipeline's state for each key, up to
    /// `limit`; the elements of further keys go to ``Grouped/refused``, and so do those whose key does not equal
    /// itself, like NaN, because their group could not be found again. A watermark reaches every group and is then
    /// forwarded; so is the completion. A new group gets the last watermark first, so that what is late is late in
    /// every group. What a pipeline emits is late, then, if the pipeline holds watermarks back, like `last()`.
    /// A pipeline that ends by itself, like one with `take`, `tryMap` or `timeout(after:)`, emits nothing more for its
    /// group, and its failure does not pass.
    ///
    /// The pipeline has to be a `GroupableStream`, because each group gets a copy of its state. Operators that join, share,
    /// concatenate, retry or group streams, move them to another context, or find patterns in them, do not compile there:
    /// put them before or behind the groups, use a key of two parts, and group patterns by their own `grouped(by:)`.
    ///
    /// With an idle duration, a group is evicted by the watermark that is at least the duration ahead of its youngest
    /// element, after the group has seen that watermark; `eviction` decides what happens to its state. A key that
    /// returns starts a new group. Without watermarks no group is evicted, and ``Grouped/stalls`` tells that.
    ///
    ///     clicks.grouped(by: \.session, evictingAfter: .seconds(1_800), limit: 100_000) { $0.buffer(100) }
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - idle: How long a group may be without elements, in event time; positive. `nil` keeps groups for ever.
    ///   - eviction: What happens to the state of a group that is evicted.
    ///   - limit: How many groups there can be; positive.
    ///   - pipeline: Builds the pipeline that every group gets a copy of; called with the first element. If it reads the
    ///     group's key, it is called for each group. An escaping closure may read the key without that.
    /// - Returns: What the pipelines emit.
    /// - Complexity: One hash look-up and the pipeline's own cost per element; O(groups) per watermark.
    @inlinable
    public func grouped<Key: Hashable & Sendable, Pipeline: GroupableStream>(
        by key: @escaping @Sendable (Element) -> Key,
        evictingAfter idle: Duration? = nil,
        _ eviction: GroupEviction = .finish,
        limit: Int = 1 << 20,
        _ pipeline: @escaping @Sendable (Group<Element, Key>) -> Pipeline
    ) -> Grouped<Self, Key, Pipeline> {
        precondition(limit > 0, "grouped: limit must be positive, but is \(limit)")
        let idle = idle.map { Nanoseconds.positive($0, "how long a group may be idle") }
        return Grouped(self, key, limit, idle, eviction, pipeline)
    }
}

/// What happens to the state of a group that is evicted.
@frozen
public enum GroupEviction: Sendable, Hashable {
    /// The group's pipeline gets its completion, and emits what it emits then.
    case finish
    /// It is discarded.
    case discard
}

/// What the pipelines of the groups emit, merged; made by `grouped`.
@frozen
public struct Grouped<Upstream: EventStream, Key: Hashable & Sendable, Pipeline: GroupableStream>: WatermarkWaiting {
    public typealias Element = Pipeline.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let key: @Sendable (Upstream.Element) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let idle: Int64?
    @usableFromInline let eviction: GroupEviction
    @usableFromInline let pipeline: @Sendable (Group<Upstream.Element, Key>) -> Pipeline

    @usableFromInline let sides = GroupSides<Upstream.Element>()

    @inlinable
    init(
        _ upstream: Upstream,
        _ key: @escaping @Sendable (Upstream.Element) -> Key,
        _ limit: Int,
        _ idle: Int64?,
        _ eviction: GroupEviction,
        _ pipeline: @escaping @Sendable (Group<Upstream.Element, Key>) -> Pipeline
    ) {
        self.upstream = upstream
        self.key = key
        self.limit = limit
        self.idle = idle
        self.eviction = eviction
        self.pipeline = pipeline
    }

    /// The elements of keys beyond the limit of groups, and those that pipelines forwarded to ``Group/refused``.
    @inlinable
    public var refused: SideOutput<Upstream.Element> { sides.refused }

    /// Tells that no watermark has come that could evict a group, and what pipelines forwarded to ``Group/stalls``.
    @inlinable
    public var stalls: SideOutput<WatermarkStall> { sides.stalls }

    /// The elements that pipelines forwarded to ``Group/late``.
    @inlinable
    public var late: SideOutput<Upstream.Element> { sides.late }

    /// The elements that pipelines forwarded to ``Group/dropped``.
    @inlinable
    public var dropped: SideOutput<Upstream.Element> { sides.dropped }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let downstream = SinkHandle(sink)
        let pipeline = pipeline
        let build: @Sendable (Group<Upstream.Element, Key>) -> Void = { group in
            SinkTemplate.attach { pipeline(group).attach(GroupOutputSink(downstream)) }
        }
        return upstream.attach(GroupedSink(key, limit, idle, eviction, sides, build, downstream))
    }
}
