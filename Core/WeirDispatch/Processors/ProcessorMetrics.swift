/// What a processor has done so far, at one moment.
public struct ProcessorMetrics: Sendable, Hashable {
    /// How many events were handled.
    public var handled: UInt64

    /// How many jobs of actors and tasks, and other pieces of work, were run.
    public var jobs: UInt64

    /// How many events were pending when the processor stopped, and were dropped.
    public var discarded: UInt64

    /// How long the handler that runs now has been running, to the millisecond; `nil` when none runs.
    ///
    /// A handler that blocks shows here.
    public var busyFor: Duration?

    /// How long handlers took, of a sample of one event in 32.
    public var handlerTimes: DurationHistogram

    /// What the mailbox has taken and dropped, and how full it is.
    public var mailbox: MailboxMetrics
}

/// How many durations fell into each power of two of nanoseconds.
public struct DurationHistogram: Sendable, Hashable {
    /// The counts: place `n` counts durations from 2^n up to 2^(n+1) nanoseconds, place 0 also shorter ones.
    public var counts: [UInt64]

    /// How many durations were counted.
    public var total: UInt64 { counts.reduce(0, +) }

    /// The duration that a share of all durations does not exceed, rounded up to a power of two.
    ///
    /// - Parameter share: From 0 to 1.
    /// - Returns: `nil` when nothing was counted.
    public func quantile(_ share: Double) -> Duration? {
        let total = total
        guard total > 0 else { return nil }
        let rank = UInt64((Double(total) * min(max(share, 0), 1)).rounded(.up))
        var seen: UInt64 = 0
        for (place, count) in counts.enumerated() {
            seen += count
            if seen >= max(1, rank) { return .nanoseconds(Int64(1) << min(62, place + 1)) }
        }
        return nil
    }
}
