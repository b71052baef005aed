/// What a channel has done so far, at one moment.
public struct ChannelMetrics: Sendable, Hashable {
    /// How many events were published and accepted.
    public var published: UInt64

    /// How many events were dropped by the overflow policy.
    public var droppedByOverflow: UInt64

    /// How many events were published after the end, and dropped.
    public var droppedAfterEnd: UInt64

    /// How many events ran too far ahead in event time, and were dropped.
    public var droppedAhead: UInt64

    /// How many events were dropped, for whatever cause.
    public var dropped: UInt64 { droppedByOverflow + droppedAfterEnd + droppedAhead }

    /// How many watermarks were ignored because they were before an earlier one.
    public var ignoredWatermarks: UInt64

    /// How many events wait.
    public var waiting: Int

    /// The most events that have waited at once.
    public var waitingHighWaterMark: Int
}

extension ChannelMetrics: MetricSnapshot {
    public func samples(_ labels: [String: String]) -> [Metric] {
        var list = MetricList("weir_channel", labels)
        list.counter("published", published)
        list.counter("dropped", cause: "overflow", droppedByOverflow)
        list.counter("dropped", cause: "ended", droppedAfterEnd)
        list.counter("dropped", cause: "ahead", droppedAhead)
        list.counter("ignored_watermarks", ignoredWatermarks)
        list.gauge("waiting", Double(waiting))
        list.gauge("waiting_peak", Double(waitingHighWaterMark))
        return list.metrics
    }
}
