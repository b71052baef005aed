/// Makes the automaton of a plan, from its last stage to its first.
struct AutomatonBuilder {
    /// The group that a sequence of stages belongs to.
    struct Enclosing {
        var contiguity: Contiguity
        var quantifier: PlanQuantifier
        var until: ConditionID?
        // Whether this is the copy of the group that its loop begins with.
        var isFirstRound: Bool
    }

    /// A stage among its neighbours.
    struct Place {
        var stages: [PlanStage]
        var index: Int
        var enclosing: Enclosing?
        // What comes after the last of the stages.
        var after: PlanStage?

        var stage: PlanStage { stages[index] }
        var following: PlanStage? { index + 1 < stages.count ? stages[index + 1] : after }
        var isHeadOfGroup: Bool { enclosing != nil && index == 0 }
    }

    var automaton: Automaton
    // The state of each negation that ends a partial match.
    private var stops: [Int: Int] = [:]
    // What a state was like before a greedy loop in front of it changed its edges.
    private var beforeGreed: [Int: Int] = [:]

    init(_ plan: PatternPlan) {
        automaton = Automaton(states: [], start: 0, within: plan.within ?? 0)
        let end = makeState(-1, .final)
        let last = plan.stages.count - 1
        var sink = end
        for index in stride(from: last, to: 0, by: -1) {
            sink = middle(Place(stages: plan.stages, index: index), sink)
        }
        automaton.start = convert(Place(stages: plan.stages, index: 0), sink)
        guard let neighbours = plan.neighbours else { return }
        for index in automaton.states.indices where index != automaton.start {
            let gap = automaton.states[index].gap
            automaton.states[index].gap = gap == 0 ? neighbours : min(gap, neighbours)
        }
    }

    // MARK: States and edges

    private mutating func makeState(_ capture: Int, _ kind: Automaton.Kind, gap: Int64? = nil) -> Int {
        var state = Automaton.State(capture: capture, kind: kind)
        state.gap = gap ?? 0
        automaton.states.append(state)
        return automaton.states.count - 1
    }

    private mutating func add(_ action: Automaton.Action, from state: Int, to target: Int, _ condition: Guard) {
        automaton.states[state].edges.append(Automaton.Edge(action: action, target: target, condition: condition))
    }

    private mutating func makeStop(_ condition: Guard, _ capture: Int) -> Int {
        if let stop = stops[capture] { return stop }
        let stop = makeState(capture, .stop)
        add(.take, from: stop, to: stop, condition)
        stops[capture] = stop
        return stop
    }

    private mutating func copy(_ state: Int) -> Int {
        let twin = makeState(automaton.states[state].capture, automaton.states[state].kind)
        for edge in automaton.states[state].edges {
            add(edge.action, from: twin, to: edge.target == state ? twin : edge.target, edge.condition)
        }
        return twin
    }

    // MARK: Conditions

    private func own(_ stage: PlanStage) -> Guard {
        guard case .event(_, let condition?) = stage.content else { return .always }
        return .condition(condition)
    }

    private func capture(_ stage: PlanStage) -> Int {
        guard case .event(let capture, _) = stage.content else { return -1 }
        return capture
    }

    /// A condition that must not hold any more once the loop is over.
    private func until(_ id: ConditionID?, _ condition: Guard) -> Guard {
        guard let id else { return condition }
        return .both(.not(.condition(id)), condition)
    }

    private func takeGuard(_ stage: PlanStage, _ enclosing: Enclosing?) -> Guard {
        until(enclosing?.until, own(stage))
    }

    private func proceedGuard(_ enclosing: Enclosing?) -> Guard {
        until(enclosing?.until, .always)
    }

    /// When an event is passed over; `nil` where none may be.
    private func ignoreGuard(_ contiguity: Contiguity, _ condition: Guard, _ enclosing: Enclosing?) -> Guard? {
        switch contiguity {
        case .followedBy: until(enclosing?.until, .not(condition))
        case .followedByAny: until(enclosing?.until, .always)
        default: nil
        }
    }

    private func outerIgnore(_ place: Place) -> Guard? {
        var contiguity = place.stage.contiguity
        if place.isHeadOfGroup, let enclosing = place.enclosing {
            contiguity = enclosing.isFirstRound ? enclosing.contiguity : enclosing.quantifier.inner.contiguity
        }
        return ignoreGuard(contiguity, headGuard(place.stage), place.enclosing)
    }

    private func innerIgnore(_ place: Place) -> Guard? {
        var inner = place.stage.quantifier.inner
        if place.isHeadOfGroup, let enclosing = place.enclosing { inner = enclosing.quantifier.inner }
        return ignoreGuard(inner.contiguity, headGuard(place.stage), place.enclosing)
    }

    /// What an event must satisfy to begin a stage.
    private func headGuard(_ stage: PlanStage) -> Guard {
        switch stage.content {
        case .event: own(stage)
        case .group(let stages): headGuard(stages[0])
        case .either(let alternatives): anyOf(alternatives.map { headGuard($0[0]) })
        case .allOf(let stages): anyOf(stages.map(headGuard))
        }
    }

    private func anyOf(_ guards: [Guard]) -> Guard {
        guards.dropFirst().reduce(guards[0]) { .or($0, $1) }
    }

    // MARK: Negations

    /// The negations between a stage and the last one before it that cannot be left out.
    private func negations(before place: Place) -> [PlanStage] {
        var found: [PlanStage] = []
        for stage in place.stages[..<place.index].reversed() {
            guard stage.quantifier.isOptional || stage.contiguity == .notFollowedBy else { break }
            if stage.contiguity == .notFollowedBy { found.append(stage) }
        }
        return found
    }

    private mutating func addStops(_ state: Int, _ place: Place) {
        for negation in negations(before: place) { addStop(state, negation, place) }
    }

    private mutating func addStop(_ state: Int, _ negation: PlanStage, _ place: Place) {
        let condition = takeGuard(negation, place.enclosing)
        let stop = makeStop(condition, capture(negation))
        add(.proceed, from: state, to: stop, condition)
    }

    /// Lets a loop end when the negation behind it comes true.
    private mutating func addFollowingStop(_ state: Int, _ place: Place) {
        guard let following = place.following, following.contiguity == .notFollowedBy else { return }
        addStop(state, following, place)
    }

    /// What a stage leads to once it has taken an event: then the negations before it are over, if it could have been
    /// left out.
    private mutating func withoutNegations(_ sink: Int, _ place: Place) -> Int {
        let over = negations(before: place)
        guard !over.isEmpty, place.stage.quantifier.isOptional else { return sink }
        var copies: [Int: Int] = [:]
        return withoutNegations(sink, Set(over.compactMap { stops[capture($0)] }), &copies)
    }

    private mutating func withoutNegations(_ sink: Int, _ over: Set<Int>, _ copies: inout [Int: Int]) -> Int {
        if let twin = copies[sink] { return twin }
        let original = automaton.states[sink]
        let twin = makeState(original.capture, original.kind)
        copies[sink] = twin
        for edge in original.edges {
            if edge.action == .proceed {
                guard !over.contains(edge.target) else { continue }
                let isStop = automaton.states[edge.target].kind == .stop
                let target = isStop ? edge.target : withoutNegations(edge.target, over, &copies)
                add(.proceed, from: twin, to: target, edge.condition)
            } else {
                add(edge.action, from: twin, to: edge.target == sink ? twin : edge.target, edge.condition)
            }
        }
        return twin
    }

    // MARK: Stages

    /// The states of stages that are not the first of their sequence.
    private mutating func middle(_ place: Place, _ sink: Int) -> Int {
        let stage = place.stage
        let condition = takeGuard(stage, place.enclosing)
        switch stage.contiguity {
        case .notFollowedBy:
            // In the middle a negation is nothing but edges of its neighbours.
            let isBounded = stage.gap != nil || automaton.within > 0
            guard isBounded, automaton.states[sink].kind == .final else { return sink }
            let pending = makeState(capture(stage), .pending, gap: stage.gap)
            add(.proceed, from: pending, to: makeStop(condition, capture(stage)), condition)
            add(.ignore, from: pending, to: pending, .not(condition))
            return pending
        case .notNext:
            let state = makeState(capture(stage), .normal, gap: stage.gap)
            let stop = makeStop(condition, capture(stage))
            // At the end the event after it must have been seen.
            let isLast = automaton.states[sink].kind == .final
            add(isLast ? .ignore : .proceed, from: state, to: sink, .not(condition))
            add(.proceed, from: state, to: stop, condition)
            return state
        default:
            return convert(place, sink)
        }
    }

    private mutating func convert(_ place: Place, _ sink: Int) -> Int {
        let quantifier = place.stage.quantifier
        let entry: Int
        if quantifier.most == nil {
            let loop = makeLoop(place, withoutNegations(sink, place))
            entry = repeated(place, loop, proceeding: sink)
        } else if quantifier.isSingle {
            entry = single(
                place,
                sink,
                proceeding: sink,
                takeGuard(place.stage, place.enclosing),
                outerIgnore(place),
                isOptional: isOptional(place),
                isFirstRound: true
            )
        } else {
            entry = repeated(place, sink, proceeding: sink)
        }
        addStops(entry, place)
        return entry
    }

    private func isOptional(_ place: Place) -> Bool {
        guard place.isHeadOfGroup, let enclosing = place.enclosing else { return place.stage.quantifier.isOptional }
        return enclosing.isFirstRound && enclosing.quantifier.isOptional
    }

    /// The states of a stage that has a number of times to match.
    private mutating func repeated(_ place: Place, _ sink: Int, proceeding: Int) -> Int {
        let stage = place.stage
        let quantifier = stage.quantifier
        let inner = innerIgnore(place).map { until(stage.until, $0) }
        let take = until(stage.until, takeGuard(stage, place.enclosing))
        // A loop without an end has its own state; what is counted here is how often it must match.
        let most = quantifier.most ?? quantifier.least
        if quantifier.isGreedy, quantifier.least != most { makeGreedy(sink, take) }
        var last = sink
        for _ in quantifier.least..<most {
            last = single(place, last, proceeding: proceeding, take, inner, isOptional: true, isFirstRound: false)
            addFollowingStop(last, place)
        }
        for _ in 0..<quantifier.least - 1 {
            last = single(place, last, proceeding: nil, take, inner, isOptional: false, isFirstRound: false)
            addFollowingStop(last, place)
        }
        return single(
            place,
            last,
            proceeding: proceeding,
            take,
            outerIgnore(place),
            isOptional: quantifier.isOptional,
            isFirstRound: true
        )
    }

    /// Lets the edges of a state wait for a loop in front of it that takes all that it can.
    private mutating func makeGreedy(_ state: Int, _ take: Guard) {
        for index in automaton.states[state].edges.indices {
            automaton.states[state].edges[index].condition =
                .both(automaton.states[state].edges[index].condition, .not(take))
        }
    }

    /// The states for one event, or one round of a group.
    private mutating func single(
        _ place: Place,
        _ sink: Int,
        proceeding: Int?,
        _ take: Guard,
        _ ignore: Guard?,
        isOptional: Bool,
        isFirstRound: Bool
    ) -> Int {
        guard case .event(let capture, _) = place.stage.content else {
            return round(place, sink, proceeding: isOptional ? proceeding : nil, isFirstRound: isFirstRound)
        }
        let stage = place.stage
        let state = makeState(capture, .normal, gap: stage.gap)
        let next = withoutNegations(sink, place)
        add(.take, from: state, to: next, take)
        if isOptional, !place.isHeadOfGroup, let proceeding {
            addProceed(from: state, to: proceeding, place)
        }
        guard let ignore else { return state }
        guard isOptional else {
            add(.ignore, from: state, to: state, ignore)
            return state
        }
        // A state of its own, so that what was passed over once does not proceed a second time.
        let waiting = makeState(capture, .normal)
        add(.take, from: waiting, to: next, take)
        add(.ignore, from: waiting, to: waiting, ignore)
        addStops(waiting, place)
        add(.ignore, from: state, to: waiting, ignore)
        return state
    }

    private mutating func addProceed(from state: Int, to target: Int, _ place: Place) {
        let condition = proceedGuard(place.enclosing)
        if place.stage.quantifier.isGreedy, let end = place.stage.until {
            let ungreedy = beforeGreed[target] ?? copy(target)
            add(.proceed, from: state, to: ungreedy, .both(condition, .condition(end)))
            add(.proceed, from: state, to: target, .both(condition, .not(.condition(end))))
        } else {
            add(.proceed, from: state, to: target, condition)
        }
    }

    /// The state of a loop without an end, after its first event.
    private mutating func makeLoop(_ place: Place, _ sink: Int) -> Int {
        guard case .event(let capture, _) = place.stage.content else { return groupLoop(place, sink) }
        let stage = place.stage
        let ignore = innerIgnore(place).map { until(stage.until, $0) }
        let take = until(stage.until, takeGuard(stage, place.enclosing))
        let condition = proceedGuard(place.enclosing)
        let loop = makeState(capture, .normal)
        if stage.quantifier.isGreedy {
            if let end = stage.until {
                let ungreedy = copy(sink)
                add(.proceed, from: loop, to: ungreedy, .both(condition, .condition(end)))
                beforeGreed[sink] = ungreedy
                add(.proceed, from: loop, to: sink, .both(condition, .not(.condition(end))))
            } else {
                add(.proceed, from: loop, to: sink, condition)
            }
            makeGreedy(sink, takeGuard(stage, place.enclosing))
        } else {
            add(.proceed, from: loop, to: sink, condition)
        }
        add(.take, from: loop, to: loop, take)
        addFollowingStop(loop, place)
        if let ignore {
            let waiting = makeState(capture, .normal)
            add(.take, from: waiting, to: loop, take)
            add(.ignore, from: waiting, to: waiting, ignore)
            add(.ignore, from: loop, to: waiting, ignore)
            addFollowingStop(waiting, place)
        }
        return loop
    }

    // MARK: Groups

    private func enclosing(_ place: Place, isFirstRound: Bool) -> Enclosing {
        Enclosing(
            contiguity: place.stage.contiguity,
            quantifier: place.stage.quantifier,
            until: place.stage.until,
            isFirstRound: isFirstRound
        )
    }

    private mutating func sequence(
        _ stages: [PlanStage],
        _ sink: Int,
        _ enclosing: Enclosing,
        after: PlanStage?
    ) -> Int {
        var last = sink
        for index in stride(from: stages.count - 1, to: 0, by: -1) {
            last = middle(Place(stages: stages, index: index, enclosing: enclosing, after: after), last)
        }
        return convert(Place(stages: stages, index: 0, enclosing: enclosing, after: after), last)
    }

    /// The states of one round of a group; it can be passed by if there is a state to proceed to.
    private mutating func round(_ place: Place, _ sink: Int, proceeding: Int?, isFirstRound: Bool) -> Int {
        let enclosing = enclosing(place, isFirstRound: isFirstRound)
        // The condition is that of the group itself, not that of what it is in.
        let condition = proceedGuard(place.enclosing)
        let entry: Int
        switch place.stage.content {
        case .group(let stages): entry = sequence(stages, sink, enclosing, after: place.following)
        case .either(let alternatives): entry = either(alternatives, place, sink, enclosing)
        case .allOf(let stages): entry = allOf(stages, place, sink, enclosing)
        case .event: preconditionFailure("an event is not a group")
        }
        if let proceeding { add(.proceed, from: entry, to: proceeding, condition) }
        return entry
    }

    /// The states of a group that is repeated without an end, after its first round.
    private mutating func groupLoop(_ place: Place, _ sink: Int) -> Int {
        let condition = proceedGuard(place.enclosing)
        let again = makeState(-1, .normal)
        let entry = round(place, again, proceeding: nil, isFirstRound: false)
        add(.proceed, from: entry, to: sink, condition)
        add(.proceed, from: again, to: entry, condition)
        return entry
    }

    /// One of several sequences: waits for an event that can begin any of them.
    private mutating func either(
        _ alternatives: [[PlanStage]],
        _ place: Place,
        _ sink: Int,
        _ enclosing: Enclosing
    ) -> Int {
        let entry = makeState(-1, .normal)
        var strict = enclosing
        strict.contiguity = .next
        strict.isFirstRound = true
        strict.quantifier.isOptional = false
        for stages in alternatives {
            let first = sequence(stages, sink, strict, after: place.following)
            add(.proceed, from: entry, to: first, until(enclosing.until, .always))
        }
        addWaiting(entry, headGuard(place.stage), enclosing)
        return entry
    }

    /// Several events in any order: a state for every set of those that have been.
    private mutating func allOf(
        _ stages: [PlanStage],
        _ place: Place,
        _ sink: Int,
        _ enclosing: Enclosing
    ) -> Int {
        let all = 1 << stages.count
        var stateOfSet: [Int] = []
        for set in 0..<all { stateOfSet.append(set == all - 1 ? sink : makeState(-1, .normal)) }
        for set in 0..<all - 1 {
            var missing: [Guard] = []
            for (index, stage) in stages.enumerated() where set & 1 << index == 0 {
                let condition = until(enclosing.until, own(stage))
                missing.append(own(stage))
                // A state can take into one capture only, so each event of the set is taken from its own state.
                let taking = makeState(capture(stage), .normal)
                add(.take, from: taking, to: stateOfSet[set | 1 << index], condition)
                add(.proceed, from: stateOfSet[set], to: taking, condition)
            }
            if set == 0 {
                addWaiting(stateOfSet[0], anyOf(missing), enclosing)
            } else if let ignore = ignoreGuard(enclosing.quantifier.inner.contiguity, anyOf(missing), enclosing) {
                add(.ignore, from: stateOfSet[set], to: stateOfSet[set], ignore)
            }
        }
        return stateOfSet[0]
    }

    private mutating func addWaiting(_ state: Int, _ heads: Guard, _ enclosing: Enclosing) {
        let contiguity = enclosing.isFirstRound ? enclosing.contiguity : enclosing.quantifier.inner.contiguity
        guard let ignore = ignoreGuard(contiguity, heads, enclosing) else { return }
        add(.ignore, from: state, to: state, ignore)
    }
}

extension LoopContiguity {
    /// The contiguity between stages that treats events in between the same way.
    var contiguity: Contiguity {
        switch self {
        case .relaxed: .followedBy
        case .combinations: .followedByAny
        case .consecutive: .next
        }
    }
}
