internal import WeirCore

/// A plan with its state.
///
/// Events are numbers here, which the owner gives: it keeps an event when it is asked for its number, and has one holder less
/// for each that is released.
struct RuleRunner<Content: Sendable>: Sendable {
    /// The different keys of the steps.
    let keySets: KeySets

    /// For each pipe its terms; empty where no pipe has terms.
    let pipeTerms: [[TermProgram]]

    /// Whether matches go through pipes.
    let hasPipes: Bool

    // At most one of them: without, each event is a match. Optionals, not an enumeration, so that they change in place.
    var sequence: SequenceEngine<NoSequenceObserver>?
    var sample: SampleEngine?
    var pipes: PipeChain<Content>

    /// Makes a plan ready.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - limit: How many keys, events and matches it keeps.
    init(_ plan: QueryPlan, limit: Int) {
        let keySets = KeySets(plan)
        self.keySets = keySets
        switch plan.situation {
        case .event: break
        case .sequence(let plan):
            sequence = SequenceEngine(SequenceShape(plan, keySets.sets), limit: limit, observer: NoSequenceObserver())
        case .sample(let steps): sample = SampleEngine(keySets.steps(steps), limit: limit)
        }
        pipes = PipeChain(plan.pipes, limit: limit)
        hasPipes = !plan.pipes.isEmpty
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

    /// Declares that no event before a time follows.
    mutating func advance(to time: Int64, found: inout FoundMatches) {
        sequence?.advance(to: time, found: &found)
    }

    /// Declares that no event follows.
    ///
    /// - Parameters:
    ///   - completion: How the events ended. Only at their own end is what has not occurred missing.
    ///   - found: What is certain now is appended to it.
    mutating func finish(_ completion: Completion, found: inout FoundMatches) {
        if case .finished = completion { sequence?.finish(found: &found) }
    }

    /// Calls a function with each event that has one holder less, once for each of them.
    mutating func takeReleased(_ body: (UInt32) -> Void) {
        if let released = sequence?.chains.released, !released.isEmpty {
            for event in released { body(event) }
        }
        if let released = sample?.released, !released.isEmpty {
            for event in released { body(event) }
        }
        sequence?.chains.forgetReleased()
        sample?.forgetReleased()
    }

    /// Sends a match through the pipes.
    mutating func pipe(_ match: FoundMatch<KeptEvent<Content>>, into results: inout [QueryFinding<Content>]) {
        pipes.receive(match, into: &results)
    }

    /// Ends the pipes.
    mutating func finishPipes(into results: inout [QueryFinding<Content>]) { pipes.finish(into: &results) }
}
