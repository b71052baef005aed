/// What the compact strategy holds, and what it has had to give up.
@frozen
public struct CompactMetrics: Sendable, Hashable {
    /// Nodes of the graph, with those that have expired and not been reclaimed yet.
    public var nodeCount = 0
    /// Events that partial matches have captured.
    public var eventCount = 0
    /// Bytes of all tables, without what the events own elsewhere.
    public var bytes = 0
    /// Bytes of all tables but the one that keeps the events.
    public var bytesWithoutEvents = 0
    /// Events that were refused at the limit.
    public var refusedEvents: UInt64 = 0
    /// First events of partial matches that were forgotten at the limit.
    public var droppedStarts: UInt64 = 0
    /// Whether the limit was met under `fail`.
    public var hasFailed = false
}
