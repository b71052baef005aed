internal import WeirCore

/// Keeps for the keys of a sample which steps have an event, and which events came closest to the others.
///
/// Memory: two events for each step and key, of as many keys as the limit says.
struct SampleTracer<Root: Sendable>: Sendable {
    typealias Near = NearMatch<Root>

    private struct KeyState: Sendable {
        // By step.
        var satisfied: [Near.Event?]
        var closest: [Near.Candidate?]
    }

    private let steps: [SequenceShape.Step]
    private let conditions: [StepConditions]
    private let choice: KeyChoice
    private let count: Int
    private let limit: Int
    private var states: [[UInt8]: KeyState] = [:]
    private var order: [[UInt8]] = []
    private var ended: Set<[UInt8]> = []
    private var lists: [[UInt8]: NearList<Root>] = [:]
    private var satisfiedCounts: [UInt64]
    private var now = Timestamp.distantPast

    /// How many keys were not looked at, because there were more than the limit.
    private(set) var forgottenCount: UInt64 = 0

    init(
        _ steps: [SequenceShape.Step],
        _ conditions: [StepConditions],
        choice: KeyChoice,
        count: Int,
        limit: Int
    ) {
        (self.steps, self.conditions, self.choice, self.count, self.limit) = (steps, conditions, choice, count, limit)
        satisfiedCounts = Array(repeating: 0, count: steps.count)
    }

    /// Looks at an event that the engine has received.
    ///
    /// - Parameters:
    ///   - keys: Those keys of the event that were chosen.
    ///   - matched: For each step, whether the event satisfies it.
    ///   - time: Its time.
    ///   - completed: The keys whose sample it completes.
    ///   - failed: Which parts of the condition of a step fail.
    ///   - event: Makes the event.
    mutating func look(
        _ keys: [[EventKey]],
        matched: StepBits,
        at time: Timestamp,
        completed: [EventKey],
        failed: (Int) -> [Near.FailedCondition],
        event: () -> Near.Event
    ) {
        now = time
        for (index, step) in steps.enumerated() {
            if matched[step.condition] { satisfiedCounts[index] += 1 }
            for key in keys[step.keys] where !ended.contains(key.bytes) {
                if states[key.bytes] == nil {
                    guard matched[step.condition] || !choice.isAll else { continue }
                    guard order.count < limit else {
                        forgottenCount += 1
                        continue
                    }
                    states[key.bytes] = KeyState(
                        satisfied: Array(repeating: nil, count: steps.count),
                        closest: Array(repeating: nil, count: steps.count)
                    )
                    order.append(key.bytes)
                }
                guard states[key.bytes]?.satisfied[index] == nil else { continue }
                if matched[step.condition] {
                    states[key.bytes]?.satisfied[index] = event()
                    continue
                }
                let failed = failed(index)
                guard failed.count < states[key.bytes]?.closest[index]?.failed.count ?? .max else { continue }
                states[key.bytes]?.closest[index] = Near.Candidate(event: event(), failed: failed)
            }
        }
        for key in completed where choice.contains(key.bytes) { end(key.bytes, .complete) }
    }

    /// Ends the sample of a key.
    mutating func end(_ key: [UInt8], _ ending: Near.Ending) {
        guard let state = states[key] else { return }
        // A key gets one sample: what comes afterwards is not looked at.
        states[key] = nil
        ended.insert(key)
        var (satisfied, missed): ([Near.SatisfiedStep], [Near.MissedStep]) = ([], [])
        for index in steps.indices {
            if let event = state.satisfied[index] {
                satisfied.append(Near.SatisfiedStep(step: index, run: 0, event: event))
                continue
            }
            missed.append(
                Near.MissedStep(
                    step: index,
                    run: 0,
                    closest: state.closest[index],
                    early: nil,
                    late: nil,
                    otherCount: satisfiedCounts[index],
                    other: nil
                )
            )
        }
        lists[choice.isAll ? [] : key, default: NearList(limit: count)].add(
            Near(
                keys: KeyEncoding.values(in: key),
                satisfied: satisfied,
                eventCount: steps.count,
                missed: missed,
                ending: ending,
                endTime: now,
                intruder: nil
            )
        )
    }

    /// Declares that no event follows.
    mutating func finish() -> [(key: [UInt8], list: NearList<Root>)] {
        for key in order { end(key, .endOfEvents) }
        if choice.isAll { return [([], lists[[]] ?? NearList(limit: count))] }
        return order.compactMap { key in lists[key].map { (key, $0) } }
    }
}
