internal import WeirCore
internal import WeirRecords

/// A query with what became of the partial matches that the engine made of some events.
struct RuleTrace<Root: Sendable>: Sendable {
    typealias Near = NearMatch<Root>

    /// What a trace says at the end.
    struct Result: Sendable {
        /// The keys that were chosen, in the order in which they came, with their partial matches; where all were, one entry
        /// without a key.
        var lists: [(key: [UInt8], list: NearList<Root>)] = []
        /// How many pending matches were given up for the limit, and how many keys were forgotten.
        var (givenUpCount, forgottenCount) = (UInt64(0), UInt64(0))
        /// Some of the keys that were seen, where some were chosen.
        var seenKeys: [[QueryValue]] = []
    }

    /// The different keys of the steps.
    let keySets: KeySets

    /// The fields that events show.
    let shown: [Int]

    private let conditions: [StepConditions]
    private let choice: KeyChoice
    private let count: Int
    private var sequence: SequenceEngine<SequenceTracer<Root>>?
    private var sample: (engine: SampleEngine, tracer: SampleTracer<Root>)?
    private var single: NearList<Root>
    private var number: UInt64 = 0
    private var found = FoundMatches()
    private var seen: Set<[UInt8]> = []

    /// Makes a query ready.
    ///
    /// - Parameters:
    ///   - plan: The query; its pipes do not matter.
    ///   - shown: The fields that events show.
    ///   - choice: The keys that matter.
    ///   - count: How many partial matches are kept of those that came closest, of each key that was chosen.
    ///   - limit: How many keys, and how many events of pending matches, are kept, as the engine has it.
    init(
        _ plan: QueryPlan,
        shown: [Int],
        choice: KeyChoice,
        count: Int,
        limit: Int
    ) {
        (self.shown, self.choice, self.count) = (shown, choice, count)
        conditions = plan.situation.steps.map { StepConditions($0, of: plan) }
        keySets = KeySets(plan)
        single = NearList(limit: count)
        switch plan.situation {
        case .event: break
        case .sequence(let plan):
            let shape = SequenceShape(plan, keySets.sets)
            let tracer = SequenceTracer<Root>(shape, conditions, choice: choice, count: count, limit: limit)
            sequence = SequenceEngine(shape, limit: limit, observer: tracer)
        case .sample(let steps):
            let steps = keySets.steps(steps)
            var engine = SampleEngine(steps, limit: limit)
            engine.givenUpKeys = []
            sample = (
                engine,
                SampleTracer(steps, conditions, choice: choice, count: count, limit: limit)
            )
        }
    }

    /// Takes an event, which is not before the one before it.
    ///
    /// - Parameters:
    ///   - matched: The steps that the event satisfies.
    ///   - time: Its time.
    ///   - line: Where it is in the input, or zero.
    ///   - values: The values of all fields of the plan.
    ///   - category: Its category.
    ///   - element: What is kept of it.
    mutating func receive(
        _ matched: StepBits,
        at time: Timestamp,
        line: UInt64,
        _ values: [QueryValue],
        _ category: QueryValue,
        _ element: () -> Root
    ) {
        number += 1
        let (number, shown) = (self.number, self.shown)
        var made: Near.Event?
        func event() -> Near.Event {
            if let made { return made }
            let event = Near.Event(
                element: element(),
                time: time,
                number: number,
                values: shown.map { values[$0] },
                category: category,
                line: line
            )
            made = event
            return event
        }
        let keys = keySets.sets.map { set in EventKey.keys(set) { values[$0] }.keys }
        let chosen = choice.isAll ? keys : keys.map { $0.filter { choice.contains($0.bytes) } }
        note(keys)
        let isWanted = !matched.isEmpty
        if var engine = exchange(&sequence, with: nil) {
            engine.observer.matched = matched
            engine.observer.now = time.nanosecondsSinceEpoch
            engine.observer.event = isWanted ? event() : nil
            engine.observer.endOverdue()
            if isWanted {
                give(matched, at: time, keys, to: &engine)
            } else {
                engine.advance(to: time.nanosecondsSinceEpoch, found: &found)
            }
            engine.chains.forgetReleased()
            engine.observer.look(chosen, of: keys, values, category, event)
            sequence = engine
        } else if var (engine, tracer) = exchange(&sample, with: nil) {
            give(matched, at: time, keys, to: &engine)
            engine.forgetReleased()
            for key in engine.givenUpKeys ?? [] { tracer.end(key.bytes, .limit) }
            engine.givenUpKeys = []
            let conditions = self.conditions
            tracer.look(
                chosen,
                matched: matched,
                at: time,
                completed: found.matches.map(\.key),
                failed: { conditions[$0].failed(values, category, Root.self) },
                event: event
            )
            sample = (engine, tracer)
        } else {
            lookAtSingle(isWanted, conditions[0].failed(values, category, Root.self), event)
        }
        // The tracers were told.
        found.removeAll()
    }

    /// Gives an event to the engine; the tracers keep it.
    private mutating func give<Engine: EventEngine>(
        _ matched: StepBits,
        at time: Timestamp,
        _ keys: [[EventKey]],
        to engine: inout Engine
    ) {
        let time = time.nanosecondsSinceEpoch
        var event = FoundMatches.missing
        engine.begin(at: time, found: &found)
        for (key, steps) in keySets.steps(of: keys, matched) {
            engine.receive(steps, at: time, key: key, event: &event, keep: { _ in 0 }, found: &found)
        }
    }

    /// Declares that no event before a time follows.
    mutating func advance(to time: Timestamp) {
        guard var engine = exchange(&sequence, with: nil) else { return }
        engine.observer.event = nil
        engine.observer.now = max(engine.observer.now, time.nanosecondsSinceEpoch)
        engine.observer.endOverdue()
        engine.advance(to: time.nanosecondsSinceEpoch, found: &found)
        engine.chains.forgetReleased()
        sequence = engine
        found.removeAll()
    }

    private mutating func note(_ keys: [[EventKey]]) {
        guard !choice.isAll, seen.count < 1_000 else { return }
        for key in keys.joined() { seen.insert(key.bytes) }
    }

    private mutating func lookAtSingle(
        _ isMatch: Bool,
        _ failed: [Near.FailedCondition],
        _ event: () -> Near.Event
    ) {
        func near() -> Near {
            let event = event()
            let missed = Near.MissedStep(
                step: 0,
                run: 0,
                closest: Near.Candidate(event: event, failed: failed),
                early: nil,
                late: nil,
                otherCount: 0,
                other: nil
            )
            return Near(
                keys: [],
                satisfied: isMatch ? [Near.SatisfiedStep(step: 0, run: 0, event: event)] : [],
                eventCount: 1,
                missed: isMatch ? [] : [missed],
                ending: isMatch ? .complete : .notBegun,
                endTime: event.time,
                intruder: nil
            )
        }
        if isMatch || single.takes(failed.count) { single.add(near()) }
    }

    /// Declares that no event follows.
    ///
    /// - Parameter completion: How the events ended. Only at their own end is what has not occurred missing.
    /// - Returns: What became of the partial matches.
    mutating func finish(_ completion: Completion) -> Result {
        var result = Result()
        if var engine = exchange(&sequence, with: nil) {
            engine.observer.event = nil
            if case .finished = completion { engine.finish(found: &found) }
            result.lists = engine.observer.finish()
            result.givenUpCount = engine.givenUpCount
            result.forgottenCount = engine.observer.forgottenCount
        } else if var sample = exchange(&sample, with: nil) {
            result.lists = sample.tracer.finish()
            result.givenUpCount = sample.engine.givenUpCount
            result.forgottenCount = sample.tracer.forgottenCount
        } else {
            result.lists = [([], single)]
        }
        result.seenKeys = seen.map { KeyEncoding.values(in: $0) }
        return result
    }
}
