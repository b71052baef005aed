internal import Synchronization
public import WeirCore

/// What the sinks of a pattern gave up, for displays and metrics; all sinks together.
///
/// Thread safety: any thread. The event that is being taken may not be counted yet.
public final class PatternLosses: Sendable {
    // Relaxed: counts that guard nothing.
    private let givenUp = Atomic<UInt64>(0)
    private let cutShort = Atomic<UInt64>(0)
    private let heldBack = Atomic<UInt64>(0)
    private let abandoned = Atomic<UInt64>(0)
    private let whole: PatternLosses?

    /// Creates counts.
    ///
    /// - Parameter whole: Where everything is counted once more.
    init(partOf whole: PatternLosses? = nil) {
        self.whole = whole
    }

    /// How many partial matches were refused, or given up; with the compact strategy how many of their first events.
    public var partialMatches: UInt64 { givenUp.load(ordering: .relaxed) }

    /// How many events completed more matches than ``PatternLimits/work`` allowed; the first of them were emitted.
    public var eventsCutShort: UInt64 { cutShort.load(ordering: .relaxed) }

    /// How many complete matches an after-match policy still held back when the stream ended.
    ///
    /// An earlier partial match, which nothing had ended, could have skipped them; a pattern with a window has none.
    public var heldMatches: UInt64 { heldBack.load(ordering: .relaxed) }

    /// How many events still waited for the watermark when the stream of matches broke off: it was cancelled, it failed, or
    /// a limit ended it.
    public var waitingEvents: UInt64 { abandoned.load(ordering: .relaxed) }

    /// Saves the counts, or gives them back.
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var counts = [partialMatches, eventsCutShort, heldMatches, waitingEvents]
        try state.exchange(&counts)
        guard state.isRestoring, counts.count == 4 else { return }
        givenUp.store(counts[0], ordering: .relaxed)
        cutShort.store(counts[1], ordering: .relaxed)
        heldBack.store(counts[2], ordering: .relaxed)
        abandoned.store(counts[3], ordering: .relaxed)
    }

    func noteGivenUp(_ count: Int) {
        givenUp.wrappingAdd(UInt64(count), ordering: .relaxed)
        whole?.noteGivenUp(count)
    }

    func noteCutShort(_ count: Int) {
        cutShort.wrappingAdd(UInt64(count), ordering: .relaxed)
        whole?.noteCutShort(count)
    }

    func noteHeldBack(_ count: Int) {
        heldBack.wrappingAdd(UInt64(count), ordering: .relaxed)
        whole?.noteHeldBack(count)
    }

    func noteAbandoned(_ count: Int) {
        abandoned.wrappingAdd(UInt64(count), ordering: .relaxed)
        whole?.noteAbandoned(count)
    }
}

extension PatternLosses: MetricSnapshot {
    /// The numbers, each with its name.
    ///
    /// - Parameter labels: What all of them get, such as the name of the pattern.
    /// - Returns: The numbers, always the same ones in the same order.
    public func samples(_ labels: [String: String]) -> [Metric] {
        var list = MetricList("weir_pattern", labels)
        list.counter("given_up_partial_matches", partialMatches)
        list.counter("events_cut_short", eventsCutShort)
        list.counter("held_matches", heldMatches)
        list.counter("waiting_events", waitingEvents)
        return list.metrics
    }
}
