internal import WeirCore

/// Keeps for the pending matches of a sequence what people want to know of them, told by the engine what becomes of them.
///
/// Memory: the events of the pending matches, 32 bytes for each that began within the longest time, and for each key and stage the last event that satisfies it, the closest one
/// that does not, and the last partial match that ran out of time there; of as many keys as the limit says.
struct SequenceTracer<Root: Sendable>: Sendable {
    typealias Near = NearMatch<Root>

    /// A partial match.
    struct Pending: Sendable {
        let key: [UInt8]
        var events: [Near.Event] = []
        var closest: Near.Candidate?
        // How many events had satisfied the next stage before it waited for it.
        var otherStart: UInt64 = 0
        var intruder: (step: Int, event: Near.Event)?
        // An event that satisfies the next stage, with a key that differs in the case of letters alone.
        var alike: Near.Event?
    }

    /// What is known of a key.
    struct KeyState: Sendable {
        // By the number of stages passed, from 1.
        var pending: [Pending?]
        var waiting: [(deadline: Int64, pending: Pending)] = []
        // By stage.
        var satisfied: [Near.Event?]
        var outOfTime: [Near?]
        var lead: (step: Int, event: Near.Event)?
        var closest: Near.Candidate?
        var hasBegun = false
        // The numbers of the events of the last match.
        var completed: [UInt64] = []
        // Where keys were chosen: the partial matches of this one.
        var list: NearList<Root>?

        /// Whether the engine may go on with it.
        var isPending: Bool { !waiting.isEmpty || pending.contains { $0 != nil } }
    }

    let shape: SequenceShape
    let conditions: [StepConditions]
    let choice: KeyChoice
    private let count: Int
    private let limit: Int
    /// For each stage its step, and which one of its events it is.
    private let steps: [(step: Int, run: Int)]

    var states: [[UInt8]: KeyState] = [:]
    private var order: [[UInt8]] = []
    private var firstInOrder = 0
    private var keyOfPlace: [Int: [UInt8]] = [:]
    // Keys that differ in the case of letters alone.
    private var alike: [[UInt8]: [[UInt8]]] = [:]
    private var current: Pending?
    // When the time of each match that began is over, in this order, with its key and the number of its first event.
    private var deadlines: [(time: Int64, key: [UInt8], first: UInt64)] = []
    private var firstDeadline = 0

    private var stageCount: Int { shape.stages.count }

    /// The event that the engine is receiving; `nil` where it satisfies no condition.
    var event: Near.Event?
    var matched = StepBits()
    var now: Int64 = .min

    // By stage: how many events satisfied its condition, and the last one.
    private var satisfiedCounts: [UInt64]
    private var lastSatisfied: [Near.Event?]

    /// The partial matches, where no keys were chosen.
    var list: NearList<Root>

    /// How many keys were forgotten for the limit.
    private(set) var forgottenCount: UInt64 = 0

    init(
        _ shape: SequenceShape,
        _ conditions: [StepConditions],
        choice: KeyChoice,
        count: Int,
        limit: Int
    ) {
        self.shape = shape
        self.conditions = conditions
        self.choice = choice
        self.count = count
        // The engine has as many keys at most, which are pending; the others can be forgotten.
        self.limit = 2 * max(limit, shape.stages.count * shape.stages.count)
        var runs: [Int: Int] = [:]
        steps = shape.stages.map { stage in
            defer { runs[stage.condition, default: 0] += 1 }
            return (stage.condition, runs[stage.condition, default: 0])
        }
        satisfiedCounts = Array(repeating: 0, count: shape.stages.count)
        lastSatisfied = Array(repeating: nil, count: shape.stages.count)
        list = NearList(limit: count)
    }

    // MARK: Keys

    /// Makes room for a key, if it is new.
    mutating func open(_ key: [UInt8]) {
        guard states[key] == nil else { return }
        var rest = order.count - firstInOrder
        while states.count >= limit, rest > 0 {
            rest -= 1
            let oldest = order[firstInOrder]
            firstInOrder += 1
            if states[oldest]?.isPending ?? false {
                order.append(oldest)
            } else {
                forgottenCount += 1
                close(oldest)
                states[oldest] = nil
                alike[Self.folded(oldest)]?.removeAll { $0 == oldest }
                if alike[Self.folded(oldest)]?.isEmpty ?? false { alike[Self.folded(oldest)] = nil }
            }
        }
        if firstInOrder * 2 > order.count {
            order.removeFirst(firstInOrder)
            firstInOrder = 0
        }
        states[key] = KeyState(
            pending: Array(repeating: nil, count: shape.stages.count),
            satisfied: Array(repeating: nil, count: shape.stages.count),
            outOfTime: Array(repeating: nil, count: shape.stages.count),
            list: choice.isAll ? nil : NearList(limit: count)
        )
        order.append(key)
        alike[Self.folded(key), default: []].append(key)
    }

    /// A key with small letters; what is no text stays the same for the same value.
    private static func folded(_ key: [UInt8]) -> [UInt8] { key.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }

    /// Adds what a key still has.
    private mutating func close(_ key: [UInt8]) {
        guard let state = states[key] else { return }
        for case .some(let pending) in state.pending { end(pending, .endOfEvents) }
        for waiting in state.waiting { end(waiting.pending, .endOfEvents) }
        for stage in shape.stages.indices { settle(key, stage) }
        if !state.hasBegun, !choice.isAll { add(notBegun(key, state.closest), key) }
    }

    /// Declares that no event follows.
    ///
    /// - Returns: The partial matches of the keys that were chosen, or of all keys together.
    mutating func finish() -> [(key: [UInt8], list: NearList<Root>)] {
        event = nil
        let keys = order[firstInOrder...]
        for key in keys { close(key) }
        if choice.isAll { return [([], list)] }
        return keys.compactMap { key in states[key]?.list.map { (key, $0) } }
    }

    // MARK: Partial matches

    private mutating func add(_ near: Near, _ key: [UInt8]) {
        if near.isComplete {
            states[key]?.completed = near.satisfied.map(\.event.number)
        } else if !near.satisfied.isEmpty, let completed = states[key]?.completed,
            near.satisfied.allSatisfy({ completed.contains($0.event.number) })
        {
            if choice.isAll { list.count(near) } else { states[key]?.list?.count(near) }
            return
        }
        if choice.isAll { list.add(near) } else { states[key]?.list?.add(near) }
    }

    private func time(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanosecondsSinceEpoch: nanoseconds) }

    /// Ends a partial match now, or when its time was over if that was before.
    private mutating func end(_ pending: Pending, _ ending: Near.Ending, at endTime: Int64? = nil, late: Bool = false) {
        let first = pending.events.first?.time.nanosecondsSinceEpoch ?? now
        let isWhole = pending.events.count == shape.stages.count
        let (bound, overflow) = first.addingReportingOverflow(shape.maxSpan ?? .max)
        let isOver = shape.maxSpan != nil && !isWhole && !overflow && now > bound
        let ending = isOver ? Near.Ending.maxSpan : ending
        var near = Near(
            keys: KeyEncoding.values(in: pending.key),
            satisfied: pending.events.enumerated().map { stage, event in
                Near.SatisfiedStep(step: steps[stage].step, run: steps[stage].run, event: event)
            },
            eventCount: shape.stages.count,
            missed: [],
            ending: ending,
            endTime: time(endTime ?? (isOver ? bound : now)),
            intruder: pending.intruder
        )
        guard !isWhole else { return add(near, pending.key) }
        let stage = pending.events.count
        let others = satisfiedCounts[stage] - pending.otherStart
        near.missed = [
            Near.MissedStep(
                step: steps[stage].step,
                run: steps[stage].run,
                closest: pending.closest,
                early: early(stage, pending),
                late: late ? event : nil,
                otherCount: others,
                other: others > 0 ? pending.alike ?? lastSatisfied[stage] : nil
            )
        ]
        guard isOver, !late else { return add(near, pending.key) }
        // An event that comes too late may follow.
        settle(pending.key, stage)
        states[pending.key]?.outOfTime[stage] = near
    }

    /// An event that satisfies the next stage, and came before the last one of a partial match.
    private func early(_ stage: Int, _ pending: Pending) -> Near.Event? {
        guard let event = states[pending.key]?.satisfied[stage], let last = pending.events.last,
            !steps[..<stage].contains(where: { $0.step == steps[stage].step }),
            event.number < last.number, !pending.events.contains(where: { $0.number == event.number })
        else { return nil }
        if let span = shape.maxSpan, (last.time - event.time).wholeNanoseconds > span { return nil }
        return event
    }

    /// A key for which nothing began.
    private func notBegun(_ key: [UInt8], _ closest: Near.Candidate?) -> Near {
        Near(
            keys: KeyEncoding.values(in: key),
            satisfied: [],
            eventCount: shape.stages.count,
            missed: [
                Near.MissedStep(
                    step: steps[0].step,
                    run: 0,
                    closest: closest,
                    early: nil,
                    late: nil,
                    otherCount: choice.isAll ? 0 : satisfiedCounts[0],
                    other: choice.isAll ? nil : lastSatisfied[0]
                )
            ],
            ending: .notBegun,
            endTime: closest?.event.time ?? time(now),
            intruder: nil
        )
    }

    /// Adds the partial match that ran out of time at a stage, with an event that came too late, if one did.
    private mutating func settle(_ key: [UInt8], _ stage: Int, late: Near.Event? = nil) {
        guard var near = states[key]?.outOfTime[stage] else { return }
        states[key]?.outOfTime[stage] = nil
        near.missed[0].late = late
        add(near, key)
    }

    /// Ends what has no time left before the event at hand: the engine lets go of it when it next looks at the key.
    mutating func endOverdue() {
        while firstDeadline < deadlines.count, deadlines[firstDeadline].time < now {
            let (_, key, first) = deadlines[firstDeadline]
            firstDeadline += 1
            for stage in shape.stages.indices {
                guard let pending = states[key]?.pending[stage], pending.events.first?.number == first else { continue }
                states[key]?.pending[stage] = nil
                end(pending, .maxSpan)
            }
        }
        if firstDeadline * 2 > deadlines.count {
            deadlines.removeFirst(firstDeadline)
            firstDeadline = 0
        }
    }

    // MARK: Events

    /// Looks at the event that the engine has received: what it is for partial matches that it does not go on with.
    ///
    /// - Parameters:
    ///   - keys: Those keys of the event that were chosen.
    ///   - all: All of its keys.
    ///   - values: The values of all fields.
    ///   - category: The category.
    ///   - make: Makes the event.
    mutating func look(
        _ keys: [[EventKey]],
        of all: [[EventKey]],
        _ values: [QueryValue],
        _ category: QueryValue,
        _ make: () -> Near.Event
    ) {
        var known: [[Near.FailedCondition]?] = Array(repeating: nil, count: conditions.count)
        func failed(_ stage: Int) -> [Near.FailedCondition] {
            let step = steps[stage].step
            if let known = known[step] { return known }
            let failed = conditions[step].failed(values, category, Root.self)
            known[step] = failed
            return failed
        }
        for stage in shape.stages.indices {
            let isSatisfied = matched[shape.stages[stage].condition]
            for key in keys[shape.stages[stage].keys] {
                if isSatisfied {
                    open(key.bytes)
                    settle(key.bytes, stage, late: event)
                    states[key.bytes]?.satisfied[stage] = event
                } else if stage == 0 {
                    guard !choice.isAll || list.hasRoomForEvents else { continue }
                    lookAtFirst(key.bytes, failed(0), make)
                } else if let pending = states[key.bytes]?.pending[stage - 1],
                    pending.events.last?.number != event?.number, isWithinTime(pending)
                {
                    let failed = failed(stage)
                    guard failed.count < pending.closest?.failed.count ?? .max else { continue }
                    let event = event ?? make()
                    self.event = event
                    states[key.bytes]?.pending[stage - 1]?.closest = Near.Candidate(event: event, failed: failed)
                }
            }
            if isSatisfied {
                satisfiedCounts[stage] += 1
                lastSatisfied[stage] = event
                if stage > 0 { lookAtOthers(stage, all[shape.stages[stage].keys]) }
            }
        }
    }

    /// Has the partial matches of other keys know the event that wait for it, where the keys look alike.
    private mutating func lookAtOthers(_ stage: Int, _ keys: [EventKey]) {
        for key in keys {
            for other in alike[Self.folded(key.bytes)] ?? [] where other != key.bytes {
                guard let pending = states[other]?.pending[stage - 1], isWithinTime(pending) else { continue }
                states[other]?.pending[stage - 1]?.alike = event
            }
        }
    }

    private func isWithinTime(_ pending: Pending) -> Bool {
        guard let span = shape.maxSpan, let first = pending.events.first else { return true }
        return SequenceShape.distance(from: first.time.nanosecondsSinceEpoch, to: now) <= span
    }

    /// Looks at an event of a key that does not satisfy the first stage.
    private mutating func lookAtFirst(_ key: [UInt8], _ failed: [Near.FailedCondition], _ make: () -> Near.Event) {
        if choice.isAll {
            guard list.takes(failed.count) else { return }
            return list.add(notBegun(key, Near.Candidate(event: event ?? make(), failed: failed)))
        }
        open(key)
        guard let state = states[key], !state.hasBegun, failed.count < state.closest?.failed.count ?? .max
        else { return }
        states[key]?.closest = Near.Candidate(event: event ?? make(), failed: failed)
    }
}

// MARK: -

extension SequenceTracer: SequenceObserver {
    mutating func begins(_ key: EventKey, at place: Int) {
        let key = key.bytes
        let isChosen = choice.contains(key)
        if place >= 0 { keyOfPlace[place] = isChosen ? key : nil }
        current = nil
        guard isChosen else { return }
        open(key)
        states[key]?.hasBegun = true
        states[key]?.closest = nil
        current = Pending(key: key)
        guard let span = shape.maxSpan, let event, stageCount > 1 else { return }
        let (deadline, overflow) = event.time.nanosecondsSinceEpoch.addingReportingOverflow(span)
        if !overflow { deadlines.append((deadline, key, event.number)) }
    }

    mutating func passes(_ stage: Int, at place: Int) {
        current = nil
        guard let key = keyOfPlace[place], let pending = states[key]?.pending[stage - 1] else { return }
        states[key]?.pending[stage - 1] = nil
        current = pending
        // The event belongs to this one.
        settle(key, stage)
    }

    /// Takes the match in hand, which the event belongs to.
    private mutating func takeCurrent() -> Pending? {
        guard var pending = current, let event else { return nil }
        current = nil
        pending.events.append(event)
        (pending.closest, pending.alike) = (nil, nil)
        return pending
    }

    mutating func waits(behind stage: Int, at place: Int) {
        guard var pending = takeCurrent(), let event else { return }
        if let old = states[pending.key]?.pending[stage] {
            states[pending.key]?.pending[stage] = nil
            end(old, .replaced(by: event))
        }
        let isSatisfied = matched[shape.stages[stage + 1].condition]
        pending.otherStart = satisfiedCounts[stage + 1] + (isSatisfied ? 1 : 0)
        states[pending.key]?.pending[stage] = pending
    }

    mutating func waits(until deadline: Int64, at place: Int) {
        guard let pending = takeCurrent() else { return }
        states[pending.key]?.waiting.append((deadline, pending))
    }

    mutating func ends(_ end: SequenceEnd) {
        if end == .maxSpan {
            guard let pending = current else { return }
            current = nil
            return self.end(pending, .maxSpan, late: true)
        }
        guard let pending = takeCurrent() else { return }
        self.end(pending, ending(end, pending))
    }

    mutating func drops(_ passed: Int, at place: Int, _ end: SequenceEnd) {
        guard let key = keyOfPlace[place], let pending = states[key]?.pending[passed - 1] else { return }
        states[key]?.pending[passed - 1] = nil
        self.end(pending, ending(end, pending))
    }

    mutating func endsWaiting(at place: Int, _ end: SequenceEnd) {
        guard let key = keyOfPlace[place], let waiting = states[key]?.waiting, !waiting.isEmpty else { return }
        states[key]?.waiting = []
        for entry in waiting { self.end(entry.pending, ending(end, entry.pending)) }
    }

    mutating func isCertain(at place: Int, _ deadline: Int64) {
        guard let key = keyOfPlace[place],
            let index = states[key]?.waiting.firstIndex(where: { $0.deadline == deadline }),
            let entry = states[key]?.waiting.remove(at: index)
        else { return }
        end(entry.pending, .complete, at: deadline)
    }

    mutating func rejects(_ passed: Int, at place: Int, _ condition: Int) {
        guard let event, let key = keyOfPlace[place], let pending = states[key]?.pending[passed - 1],
            pending.intruder == nil
        else { return }
        states[key]?.pending[passed - 1]?.intruder = (condition, event)
    }

    mutating func leads(_ key: EventKey, at place: Int, _ condition: Int) {
        let key = key.bytes
        let isChosen = choice.contains(key)
        keyOfPlace[place] = isChosen ? key : nil
        guard isChosen, let event else { return }
        open(key)
        states[key]?.lead = (condition, event)
    }

    private func ending(_ end: SequenceEnd, _ pending: Pending) -> Near.Ending {
        switch end {
        case .complete: return .complete
        case .maxSpan: return .maxSpan
        case .limit: return .limit
        case .until: if let event { return .until(event) }
        case .missingStep(let step): if let event { return .occurred(step: step, event) }
        case .rejected: if let intruder = pending.intruder { return .occurred(step: intruder.step, intruder.event) }
        case .led: if let lead = states[pending.key]?.lead { return .occurred(step: lead.step, lead.event) }
        }
        preconditionFailure("the engine ends a match for an event that it was not given")
    }
}
