internal import Synchronization
internal import WeirCore

/// How many partial matches the sinks of a pattern hold, for displays and metrics.
///
/// With the compact strategy, where partial matches share what they have in common, it is how many nodes they take up: one
/// can stand for many partial matches, and some lead to none any more and are given back when room is needed.
///
/// Thread safety: any thread. The event that is being taken may not be counted yet.
public final class PartialMatchCount: Sendable {
    private struct Entry {
        weak var gauge: PartialMatchGauge?
    }

    private let gauges = Locked<[Entry]>([])

    init() {}

    /// The number now, of all sinks together.
    public var value: Int { gauges.withLock { $0.reduce(0) { $0 + ($1.gauge?.value ?? 0) } } }

    /// A gauge for one more sink; it counts as long as the sink keeps it.
    @usableFromInline
    func makeGauge() -> PartialMatchGauge {
        let gauge = PartialMatchGauge()
        gauges.withLock { gauges in
            gauges.removeAll { $0.gauge == nil }
            gauges.append(Entry(gauge: gauge))
        }
        return gauge
    }
}

/// The number of one sink, which sets it when it has changed: a store that never waits.
@usableFromInline
final class PartialMatchGauge: Sendable {
    // Relaxed: a number that guards nothing.
    private let held = Atomic<Int>(0)

    var value: Int { held.load(ordering: .relaxed) }

    @usableFromInline
    func set(_ count: Int) { held.store(count, ordering: .relaxed) }
}
