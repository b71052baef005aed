internal import WeirCore
internal import WeirRecords

/// What a record is kept as until its match is written: a JSON object.
typealias KeptRecord = KeptEvent<[UInt8]>

/// A plan with its state.
struct RuleRunner<Content: Sendable>: Sendable {
    typealias Kept = KeptEvent<Content>

    /// The different keys of the steps.
    let keySets: [[QueryPlan.Key]]

    /// For each pipe its terms.
    let pipeTerms: [[TermProgram]]

    // At most one of them: without, each event is a match. Optionals, not an enumeration, so that they change in place.
    private var sequence: SequenceEngine<Kept>?
    private var sample: SampleEngine<Kept>?
    private var pipes: PipeChain<Content>

    /// Makes a plan ready.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - limit: How many keys, events and matches it keeps.
    init(_ plan: QueryPlan, limit: Int) {
        let steps = plan.situation.steps
        var keySets: [[QueryPlan.Key]] = []
        for step in steps where !keySets.contains(step.keys) { keySets.append(step.keys) }
        self.keySets = keySets
        switch plan.situation {
        case .event: break
        case .sequence(let plan): sequence = SequenceEngine(SequenceShape(plan, keySets), limit: limit)
        case .sample(let steps):
            let steps = steps.enumerated().map { index, step in
                SequenceShape.Step(condition: index, keys: keySets.firstIndex(of: step.keys) ?? 0)
            }
            sample = SampleEngine(steps, limit: limit)
        }
        pipes = PipeChain(plan.pipes, limit: limit)
        pipeTerms =
            plan.pipes.contains { !$0.terms.isEmpty }
            ? plan.pipes.map { $0.terms.map { TermProgram($0, over: plan.fields) } } : []
    }

    /// Goes on with what the same rule knew.
    mutating func goOn(with other: RuleRunner) {
        (sequence, sample, pipes) = (other.sequence, other.sample, other.pipes)
    }

    /// Forgets everything; nothing comes any more.
    mutating func forget() {
        (sequence, sample) = (nil, nil)
        pipes = PipeChain([.head(0)], limit: 1)
    }

    /// How many pending matches there are.
    var pendingCount: Int { sequence?.pendingCount ?? sample?.pendingCount ?? 0 }

    /// Whether the keys of events matter.
    var hasKeys: Bool { sequence != nil || sample != nil }

    /// How many pending matches were given up for the limit.
    var givenUpCount: UInt64 { sequence?.givenUpCount ?? sample?.givenUpCount ?? 0 }

    /// How many matches were given up by pipes.
    var pipedAwayCount: UInt64 { pipes.givenUpCount }

    /// How many pending matches and matches were given up.
    var lostCount: UInt64 { givenUpCount + pipedAwayCount }

    /// Whether nothing can come any more.
    var isExhausted: Bool { pipes.isExhausted }

    /// Takes an event that satisfies a condition.
    mutating func receive(
        _ matched: [Bool],
        at time: Int64,
        keys: inout EventKeys,
        payload: () -> Kept,
        found: inout [FoundMatch<Kept>]
    ) {
        if !hasKeys { found.append(FoundMatch(key: [], events: [payload()], time: time)) }
        sequence?.receive(matched, at: time, keys: &keys, payload: payload, found: &found)
        sample?.receive(matched, at: time, keys: keys, payload: payload, found: &found)
    }

    /// Declares that no event before a time follows.
    mutating func advance(to time: Int64, found: inout [FoundMatch<Kept>]) {
        sequence?.advance(to: time, found: &found)
    }

    /// Sends a match through the pipes.
    mutating func pipe(_ match: FoundMatch<Kept>, into results: inout [QueryFinding<Content>]) {
        pipes.receive(match, into: &results)
    }

    /// Declares that no event follows.
    ///
    /// - Parameters:
    ///   - completion: How the events ended. Only at their own end is what has not occurred missing.
    ///   - results: Takes what leaves now.
    mutating func finish(_ completion: Completion, into results: inout [QueryFinding<Content>]) {
        var found: [FoundMatch<Kept>] = []
        if case .finished = completion { sequence?.finish(found: &found) }
        for match in found { pipes.receive(match, into: &results) }
        pipes.finish(into: &results)
    }
}
