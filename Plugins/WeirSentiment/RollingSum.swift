internal import WeirAggregates
internal import WeirCore

/// The sum of what came within a duration before the latest time.
///
/// Values may come out of order. At most `limit` values are kept; beyond that the oldest leave early.
struct RollingSum: Sendable {
    private let duration: Int64
    private let limit: Int
    private var entries = TimeOrderedQueue<Double>()
    private var latest = Timestamp.distantPast

    /// How many values left before their time.
    private(set) var evicted: UInt64 = 0

    init(duration: Duration, limit: Int) {
        self.duration = duration.wholeNanoseconds
        self.limit = limit
    }

    private var total = CompensatedTotal<Double>()

    /// The sum of the values in the window, which begins after `latest - duration`.
    var sum: Double { total.value }

    mutating func add(_ value: Double, at time: Timestamp) {
        advance(to: time)
        guard isInside(time) else { return }
        entries.insert(value, at: time)
        total.add(value)
        if entries.count > limit {
            removeFirst()
            evicted += 1
        }
    }

    mutating func advance(to time: Timestamp) {
        latest = max(latest, time)
        while let first = entries.first, !isInside(first.time) { removeFirst() }
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(duration)
        state.require(limit)
        try state.exchange(&entries)
        try state.exchange(&latest)
        try state.exchange(&evicted)
        try state.exchange(&total)
    }

    private mutating func removeFirst() {
        total.remove(entries.removeFirst().value)
        // Of an empty window nothing is left, whatever rounding left over.
        if entries.isEmpty { total = CompensatedTotal() }
    }

    private func isInside(_ time: Timestamp) -> Bool {
        Nanoseconds.difference(latest.nanosecondsSinceEpoch, time.nanosecondsSinceEpoch) < duration
    }
}
