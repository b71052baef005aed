public import WeirCore

extension EventStream {
    /// Runs a pipeline of its own for each key, and merges what they emit.
    ///
    ///     readings.grouped(by: { $0.recording }, limit: 10_000) { recording in
    ///         recording.followedBy { previous, current in current.x - previous.x > 1 }
    ///     }
    ///
    /// Emits what the pipelines emit, when they emit it. Remembers a copy of the pipeline's state for each key, up to
    /// `limit`; the elements of further keys go to ``Grouped/refused``, and so do those whose key does not equal itself,
    /// like NaN, for their group could not be found again. A watermark goes to every group and then on; the
    /// completion too. A group that begins is told the last watermark first, so that what is late is late in every group.
    /// What a pipeline emits is late, then, if the pipeline holds watermarks back, like `last()`.
    ///
    /// What joins several streams, shares one, moves it to a context, goes on with another, groups it again, or finds
    /// patterns in it, has a state that cannot be copied, and traps in a pipeline: put it before the groups or behind them,
    /// take a key of two parts, and group patterns by their own `grouped(by:)`.
    ///
    /// With an idle duration, a group is evicted by the watermark that is at least so far ahead of its youngest element,
    /// after the group has seen that watermark; what becomes of its state is up to `eviction`. When the key comes back, it
    /// starts anew.
    ///
    ///     clicks.grouped(by: \.session, limit: 100_000, evictingAfter: .seconds(1_800)) { $0.buffer(100) }
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - limit: How many groups there can be; positive.
    ///   - idle: How long a group may be without elements, in event time; positive. For ever if there is none.
    ///   - eviction: What becomes of the state of a group that is evicted.
    ///   - pipeline: Called once, when a sink is attached: builds the pipeline that every group gets a copy of.
    /// - Returns: What the pipelines emit.
    /// - Complexity: One hash look-up and the pipeline's own cost per element; O(groups) per watermark.
    @inlinable
    public func grouped<Key: Hashable & Sendable, Pipeline: EventStream>(
        by key: @escaping @Sendable (Element) -> Key,
        limit: Int,
        evictingAfter idle: Duration? = nil,
        _ eviction: GroupEviction = .finish,
        _ pipeline: @escaping @Sendable (Group<Element>) -> Pipeline
    ) -> Grouped<Self, Key, Pipeline> {
        precondition(limit > 0, "a grouped stream needs room for a group, not for \(limit)")
        let idle = idle.map { Nanoseconds.positive($0, "how long a group may be idle") }
        return Grouped(self, key, limit, idle, eviction, pipeline)
    }
}

/// What becomes of the state of a group that is evicted.
@frozen
public enum GroupEviction: Sendable, Hashable {
    /// The group's pipeline gets its completion, and emits what it emits then.
    case finish
    /// It is forgotten.
    case discard
}

/// What the pipelines of the groups emit, merged; made by `grouped`.
@frozen
public struct Grouped<Upstream: EventStream, Key: Hashable & Sendable, Pipeline: EventStream>: EventStream {
    public typealias Element = Pipeline.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let key: @Sendable (Upstream.Element) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let idle: Int64?
    @usableFromInline let eviction: GroupEviction
    @usableFromInline let pipeline: @Sendable (Group<Upstream.Element>) -> Pipeline

    /// The elements that would have needed one group too many.
    public let refused: SideOutput<Upstream.Element>

    @inlinable
    init(
        _ upstream: Upstream,
        _ key: @escaping @Sendable (Upstream.Element) -> Key,
        _ limit: Int,
        _ idle: Int64?,
        _ eviction: GroupEviction,
        _ pipeline: @escaping @Sendable (Group<Upstream.Element>) -> Pipeline
    ) {
        self.upstream = upstream
        self.key = key
        self.limit = limit
        self.idle = idle
        self.eviction = eviction
        self.pipeline = pipeline
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let downstream = SinkHandle(sink)
        let group = Group<Upstream.Element>()
        Prototype.make { pipeline(group).attach(GroupOutputSink(downstream)) }
        return upstream.attach(GroupedSink(key, limit, idle, eviction, refused, group.makeSinks(), downstream))
    }
}
