public import WeirCore

/// Until when each group of a pattern can begin no match, because of an event that must not come before one.
@frozen
@usableFromInline
struct QuietTimes: Sendable {
    /// The bit of the condition that such an event satisfies; 0 for one that a match began with.
    @usableFromInline let condition: UInt64
    @usableFromInline let duration: Int64
    // When the time of each slot is over, in nanoseconds since the epoch; `min` if it has none.
    @usableFromInline var ends: [Int64] = []
    // The first end of each slot that has one; it may be later by now. The generation is not used.
    @usableFromInline var timers = GapTimers()

    @usableFromInline
    init(_ plan: PlanQuiet) {
        condition = plan.condition.map { 1 << UInt64($0) } ?? 0
        duration = plan.duration
    }

    @inlinable
    func isWaiting(_ slot: Int) -> Bool { slot < ends.count && ends[slot] != .min }

    /// Looks at an event, after it has begun what it begins.
    @inlinable
    mutating func note(_ truth: UInt64, _ slot: Int, at time: Timestamp) {
        if truth & condition != 0 { start(slot, at: time) }
    }

    /// Looks at an event that a match began with.
    @inlinable
    mutating func noteBeginning(_ slot: Int, at time: Timestamp) {
        if condition == 0 { start(slot, at: time) }
    }

    @inlinable
    mutating func start(_ slot: Int, at time: Timestamp) {
        while ends.count <= slot { ends.append(.min) }
        let end = duration == .max ? .max : Nanoseconds.sum(time.nanosecondsSinceEpoch, duration)
        if ends[slot] == .min { timers.push(GapTimers.Timer(end, Int32(slot), 0)) }
        ends[slot] = end
    }

    @inlinable var nextDeadline: Int64 { timers.timers.first?.deadline ?? .max }

    /// Ends the time of the next slot, if it is over at a moment.
    ///
    /// - Returns: The slot, -1 if its end is later by now; `nil` if nothing is due.
    @inlinable
    mutating func end(at deadline: Int64) -> Int? {
        guard nextDeadline == deadline else { return nil }
        let slot = Int(timers.pop().run)
        guard ends[slot] <= deadline else {
            timers.push(GapTimers.Timer(ends[slot], Int32(slot), 0))
            return -1
        }
        ends[slot] = .min
        // A list that was long once would stay as long as the engine does.
        if timers.timers.isEmpty { ends = [] }
        return slot
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&ends)
        try state.exchange(&timers.timers)
    }
}
