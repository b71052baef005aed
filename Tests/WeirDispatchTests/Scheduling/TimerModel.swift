import WeirCore

/// What a timer queue should do, as an array sorted by deadline and then by the order of adding.
struct TimerModel {
    struct Timer {
        var deadline: Timestamp
        var sequence: Int
        var payload: Int
    }

    private(set) var timers: [Timer] = []
    private var added = 0

    mutating func add(_ deadline: Timestamp, _ payload: Int) {
        added += 1
        let timer = Timer(deadline: deadline, sequence: added, payload: payload)
        // The first timer that is due later: equal ones stay before the new one.
        var low = 0
        var high = timers.count
        while low < high {
            let middle = (low + high) / 2
            if timers[middle].deadline <= deadline { low = middle + 1 } else { high = middle }
        }
        timers.insert(timer, at: low)
    }

    mutating func cancel(payload: Int) -> Bool {
        guard let index = timers.firstIndex(where: { $0.payload == payload }) else { return false }
        timers.remove(at: index)
        return true
    }

    mutating func popDue(upTo time: Timestamp) -> Timer? {
        guard let first = timers.first, first.deadline <= time else { return nil }
        return timers.removeFirst()
    }
}
