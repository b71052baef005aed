/// When runs must have taken their next event, as a binary heap in which runs that are gone stay until their time.
@frozen
@usableFromInline
struct GapTimers: Sendable {
    @frozen
    @usableFromInline
    struct Timer: Sendable {
        // In nanoseconds since the epoch.
        @usableFromInline let deadline: Int64
        @usableFromInline let run: Int32
        @usableFromInline let generation: UInt32

        @inlinable
        init(_ deadline: Int64, _ run: Int32, _ generation: UInt32) {
            self.deadline = deadline
            self.run = run
            self.generation = generation
        }
    }

    @usableFromInline var timers: [Timer] = []

    @inlinable
    init() {}

    @inlinable
    mutating func push(_ timer: Timer) {
        var place = timers.count
        timers.append(timer)
        while place > 0 {
            let parent = (place - 1) / 2
            guard timer.deadline < timers[parent].deadline else { break }
            timers[place] = timers[parent]
            place = parent
        }
        timers[place] = timer
    }

    @inlinable
    mutating func pop() -> Timer {
        let first = timers[0]
        let last = timers.removeLast()
        if !timers.isEmpty { sink(last, 0) }
        return first
    }

    @inlinable
    mutating func sink(_ timer: Timer, _ start: Int) {
        var place = start
        while place < timers.count / 2 {
            var child = 2 * place + 1
            if child + 1 < timers.count, timers[child].deadline > timers[child + 1].deadline { child += 1 }
            guard timer.deadline > timers[child].deadline else { break }
            timers[place] = timers[child]
            place = child
        }
        timers[place] = timer
    }

    /// Forgets the runs that are gone, when they have become many.
    @inlinable
    mutating func purge(_ store: RunStore) {
        guard timers.count > 2 * store.count + 64 else { return }
        timers.removeAll { !Self.isLive($0, store) }
        for place in stride(from: timers.count / 2 - 1, through: 0, by: -1) { sink(timers[place], place) }
    }

    @inlinable
    static func isLive(_ timer: Timer, _ store: RunStore) -> Bool {
        guard Int(timer.run) < store.runs.count else { return false }
        let run = store.runs[Int(timer.run)]
        return run.state >= 0 && run.generation == timer.generation
    }
}
