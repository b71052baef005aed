internal import WeirAggregates
internal import WeirCore

/// The sum of what came within a duration before the latest time.
///
/// Values may come out of order. At most `limit` values are kept; beyond that the oldest leave early.
struct RollingSum: Sendable {
    private struct Entry: Sendable {
        let time: Timestamp
        let value: Double
    }

    private let duration: Int64
    private let limit: Int
    private var entries: [Entry] = []
    private var first = 0
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
        var place = entries.count
        while place > first, entries[place - 1].time > time { place -= 1 }
        entries.insert(Entry(time: time, value: value), at: place)
        total.add(value)
        if entries.count - first > limit {
            removeFirst()
            evicted += 1
        }
        compact()
    }

    mutating func advance(to time: Timestamp) {
        latest = max(latest, time)
        while first < entries.count, !isInside(entries[first].time) { removeFirst() }
        compact()
    }

    private mutating func removeFirst() {
        total.remove(entries[first].value)
        first += 1
        if first == entries.count { total = CompensatedTotal() }
    }

    private func isInside(_ time: Timestamp) -> Bool {
        Nanoseconds.difference(latest.nanosecondsSinceEpoch, time.nanosecondsSinceEpoch) < duration
    }

    private mutating func compact() {
        guard first > 32, first > entries.count / 2 else { return }
        entries.removeFirst(first)
        first = 0
    }
}
