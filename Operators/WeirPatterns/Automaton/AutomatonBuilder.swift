/// Makes the automaton of a plan, from its last stage to its first.
struct AutomatonBuilder {
    /// How many states and edges there may be: those of a pattern of `PatternPlan.greatestSize` events, unless many of
    /// them can be left out behind a negation.
    static let greatestSize = 16 * PatternPlan.greatestSize

    var automaton: Automaton
    private var size = 0
    /// Whether there would be more states and edges; then the automaton is not that of the plan.
    private(set) var isTooLarge = false
    // The state of each negation that ends a partial match.
    var stops: [Int: Int] = [:]
    // What a state was like before a greedy loop in front of it changed its edges.
    var beforeGreed: [Int: Int] = [:]
    // What a state that a greedy loop leads to is like for what leaves out the loop.
    var besideGreed: [Int: Int] = [:]

    private let boundsNeighbours: Bool

    init(_ plan: PatternPlan) {
        automaton = Automaton(states: [], start: 0, within: plan.within ?? 0)
        boundsNeighbours = plan.neighbours != nil
        let end = makeState(-1, .final)
        let stages = Neighbours(plan.stages)
        var sink = end
        for index in stride(from: plan.stages.count - 1, to: 0, by: -1) where !isTooLarge {
            sink = middle(Place(neighbours: stages, index: index), sink)
        }
        automaton.start = convert(Place(neighbours: stages, index: 0), sink)
        let states = automaton.states
        automaton.haveOwnTimes = states.indices.map { index in
            states[index].kind == .pending && (states[index].gap > 0 || automaton.schedules[index] != nil)
        }
        for index in states.indices where !isTooLarge && states[index].kind == .pending {
            if boundsNeighbours || automaton.haveOwnTimes[index] { beginAtOnce(index) }
        }
        guard let neighbours = plan.neighbours else { return }
        // What waits for a time of its own waits for no event.
        for index in automaton.states.indices where index != automaton.start && !automaton.haveOwnTimes[index] {
            let gap = automaton.states[index].gap
            automaton.states[index].gap = gap == 0 ? neighbours : min(gap, neighbours)
        }
    }

    /// Lets the events of a loop begin the time that the pattern ends with.
    ///
    /// A loop is left with the next event, and without one that time would never be over.
    private mutating func beginAtOnce(_ pending: Int) {
        var left: Set = [pending]
        while true {
            let more = automaton.states.indices.filter { state in
                !left.contains(state)
                    && automaton.states[state].edges.contains { $0.leaves && left.contains($0.target) }
            }
            guard !more.isEmpty else { break }
            left.formUnion(more)
        }
        left.remove(pending)
        // Where events are passed over in such a state, each of them tries anew what is behind it.
        let isTriedAgain = automaton.states.contains { state in
            state.edges.contains { $0.action == .ignore && left.contains($0.target) }
        }
        guard !left.isEmpty, !left.contains(automaton.start), !isTriedAgain else { return }
        for state in automaton.states.indices {
            for edge in automaton.states[state].edges where edge.action == .take && left.contains(edge.target) {
                add(.take, from: state, to: pending, edge.condition)
            }
        }
        for state in left {
            automaton.states[state].edges.removeAll { $0.leaves && $0.target == pending }
        }
    }

    // MARK: States and edges

    mutating func makeState(
        _ capture: Int,
        _ kind: Automaton.Kind,
        gap: Int64? = nil,
        schedule: Int? = nil
    ) -> Int {
        // Some state, as the automaton is of no use any more.
        guard hasRoom() else { return 0 }
        var state = Automaton.State(capture: capture, kind: kind)
        state.gap = gap ?? 0
        automaton.schedules[automaton.states.count] = schedule
        automaton.states.append(state)
        return automaton.states.count - 1
    }

    mutating func add(_ action: Automaton.Action, from state: Int, to target: Int, _ condition: Guard) {
        guard hasRoom() else { return }
        automaton.states[state].edges.append(Automaton.Edge(action: action, target: target, condition: condition))
    }

    /// Whether there is room for one more state or edge.
    private mutating func hasRoom() -> Bool {
        noteWork(1)
        return !isTooLarge
    }

    /// Counts work that takes as long as making a number of states and edges.
    mutating func noteWork(_ amount: Int) {
        size += amount
        if size > Self.greatestSize { isTooLarge = true }
    }

    mutating func makeStop(_ condition: Guard, _ capture: Int) -> Int {
        if let stop = stops[capture] { return stop }
        let stop = makeState(capture, .stop)
        add(.take, from: stop, to: stop, condition)
        stops[capture] = stop
        return stop
    }

    mutating func copy(_ state: Int) -> Int {
        let original = automaton.states[state]
        let twin = makeState(original.capture, original.kind, gap: original.gap, schedule: automaton.schedules[state])
        for edge in original.edges {
            add(edge.action, from: twin, to: edge.target == state ? twin : edge.target, edge.condition)
        }
        return twin
    }

    // MARK: Stages

    /// The states of stages that are not the first of their sequence.
    mutating func middle(_ place: Place, _ sink: Int) -> Int {
        let stage = place.stage
        let condition = takeGuard(stage, place.enclosing)
        switch stage.contiguity {
        case .notFollowedBy:
            // In the middle a negation is nothing but edges of its neighbours.
            let isBounded = stage.hasDuration || automaton.within > 0 || boundsNeighbours
            guard isBounded, automaton.states[sink].kind == .final else { return sink }
            let pending = makeState(capture(stage), .pending, gap: stage.gap, schedule: stage.schedule)
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

    mutating func convert(_ place: Place, _ sink: Int) -> Int {
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
                isOptional: quantifier.isOptional,
                isFirstRound: true
            )
        } else {
            entry = repeated(place, sink, proceeding: sink)
        }
        addStops(entry, place)
        return entry
    }

    /// The states of a stage that has a number of times to match.
    mutating func repeated(_ place: Place, _ sink: Int, proceeding: Int) -> Int {
        let stage = place.stage
        let quantifier = stage.quantifier
        let inner = innerIgnore(place).map { until(stage.ends, $0) }
        let take = until(stage.ends, takeGuard(stage, place.enclosing))
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
    mutating func makeGreedy(_ state: Int, _ take: Guard) {
        if let beside = besideGreed[state] { makeGreedy(beside, take) }
        for index in automaton.states[state].edges.indices {
            automaton.states[state].edges[index].condition =
                .both(automaton.states[state].edges[index].condition, .not(take))
        }
    }

    /// The states for one event, or one round of a group.
    mutating func single(
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
        let gap = place.gap
        let state = makeState(capture, .normal, gap: gap)
        let next = withoutNegations(sink, place)
        add(.take, from: state, to: next, take)
        if isOptional, let proceeding { addProceed(from: state, to: proceeding, place) }
        guard let ignore else { return state }
        guard isOptional || (isFirstRound && place.isHeadOfPassedGroup) else {
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

    mutating func addProceed(from state: Int, to target: Int, _ place: Place) {
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
    mutating func makeLoop(_ place: Place, _ sink: Int) -> Int {
        guard case .event(let capture, _) = place.stage.content else { return groupLoop(place, sink) }
        let stage = place.stage
        let ignore = innerIgnore(place).map { until(stage.ends, $0) }
        let take = until(stage.ends, takeGuard(stage, place.enclosing))
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
