public import WeirCore

extension EventStream {
    /// Runs a pipeline of its own for each key, and merges what they emit.
    ///
    ///     readings.grouped(by: { $0.recording }, limit: 10_000) { recording in
    ///         recording.followedBy { previous, current in current.x - previous.x > 1 }
    ///     }
    ///
    /// Emits what the pipelines emit, when they emit it. Remembers a copy of the pipeline's state for each key, up to
    /// `limit`; the elements of further keys go to `onRefused`. A watermark goes to every group and then on; the
    /// completion too.
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - limit: How many groups there can be; positive.
    ///   - onRefused: Takes each element that would have needed one group too many.
    ///   - pipeline: Called once, when a sink is attached: builds the pipeline that every group gets a copy of.
    /// - Returns: What the pipelines emit.
    /// - Complexity: One hash look-up and the pipeline's own cost per element; O(groups) per watermark.
    @inlinable
    public func grouped<Key: Hashable & Sendable, Pipeline: EventStream>(
        by key: @escaping @Sendable (Element) -> Key,
        limit: Int,
        onRefused: (@Sendable (Element, Timestamp) -> Void)? = nil,
        _ pipeline: @escaping @Sendable (Group<Element>) -> Pipeline
    ) -> Grouped<Self, Key, Pipeline> {
        precondition(limit > 0, "a grouped stream needs room for a group, not for \(limit)")
        return Grouped(self, key, limit, onRefused, pipeline)
    }
}

/// What the pipelines of the groups emit, merged; made by `grouped(by:limit:onRefused:_:)`.
@frozen
public struct Grouped<Upstream: EventStream, Key: Hashable & Sendable, Pipeline: EventStream>: EventStream {
    public typealias Element = Pipeline.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let key: @Sendable (Upstream.Element) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let onRefused: (@Sendable (Upstream.Element, Timestamp) -> Void)?
    @usableFromInline let pipeline: @Sendable (Group<Upstream.Element>) -> Pipeline

    @inlinable
    init(
        _ upstream: Upstream,
        _ key: @escaping @Sendable (Upstream.Element) -> Key,
        _ limit: Int,
        _ onRefused: (@Sendable (Upstream.Element, Timestamp) -> Void)?,
        _ pipeline: @escaping @Sendable (Group<Upstream.Element>) -> Pipeline
    ) {
        self.upstream = upstream
        self.key = key
        self.limit = limit
        self.onRefused = onRefused
        self.pipeline = pipeline
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let downstream = SinkHandle(sink)
        let group = Group<Upstream.Element>()
        pipeline(group).attach(GroupOutputSink(downstream))
        return upstream.attach(GroupedSink(key, limit, onRefused, group.prototype(), downstream))
    }
}
