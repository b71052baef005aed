/// What an event does to a partial match in a state, for each combination of truth values that has occurred.
///
/// Following the edges of a state, and those of the states that it proceeds to, depends on nothing but the truth of the
/// conditions. So it is done once for each combination, and looked up from then on.
@frozen
@usableFromInline
struct StepTable: Sendable {
    /// Something that becomes of a partial match.
    @frozen
    @usableFromInline
    struct Move: Sendable {
        /// Where the event is put; -1 if it is passed over.
        @usableFromInline let capture: Int32
        /// The next state; -1 if there is none, because a negation came true.
        @usableFromInline let target: Int32
        /// Whether what has been captured is a match.
        @usableFromInline let completes: Bool
    }

    /// All that becomes of a partial match.
    @frozen
    @usableFromInline
    struct Step: Sendable {
        /// The conditions that have to be looked at before anything can be said.
        @usableFromInline var needed: UInt64 = 0
        /// An equality without which nothing happens, as the number of its condition; -1 if there is none.
        @usableFromInline var decider = -1
        /// How many of the moves come before the partial match staying as it is; -1 if it does not stay.
        @usableFromInline var stay = -1
        /// The negation that ended it, as the number of its capture; -1 if there is none.
        @usableFromInline var stoppedBy = -1
        /// The moves beside staying, in the order of the edges.
        @usableFromInline var moves: [Move] = []

        @inlinable
        init(needed: UInt64 = 0) {
            self.needed = needed
        }

        /// Whether the partial match stays, and nothing else happens.
        @inlinable
        var isIdle: Bool { stay >= 0 && moves.isEmpty && needed == 0 }
    }

    @frozen
    @usableFromInline
    struct Key: Hashable, Sendable {
        @usableFromInline let state: Int32
        @usableFromInline let truth: UInt64
        @usableFromInline let unknown: UInt64

        @inlinable
        init(_ state: Int32, _ truth: UInt64, _ unknown: UInt64) {
            self.state = state
            self.truth = truth
            self.unknown = unknown
        }
    }

    /// The greatest number of conditions for which a combination is the position in an array.
    @inlinable static var denseLimit: Int { 8 }
    /// The greatest number of positions in that array.
    @inlinable static var denseSize: Int { 1 << 20 }
    /// How many combinations are remembered before all are forgotten.
    @inlinable static var stepLimit: Int { 1 << 16 }

    @usableFromInline let automaton: Automaton
    @usableFromInline let conditionCount: Int
    // The conditions that matter in a state, and those of them that look at captures.
    @usableFromInline let relevant: [UInt64]
    @usableFromInline let contextual: UInt64
    @usableFromInline let equalities: UInt64
    // The states from which an event can proceed to the end.
    @usableFromInline let reachesEnd: [Bool]
    @usableFromInline var steps: [Step] = []
    // Positions in `steps`, or -1. First what the unary conditions alone tell, then with all conditions known.
    @usableFromInline var dense: [Int32]
    @usableFromInline var sparse: [Key: Int32] = [:]

    @usableFromInline
    init(_ automaton: Automaton, _ plan: PatternPlan) {
        self.automaton = automaton
        conditionCount = plan.conditions.count
        var contextual: UInt64 = 0
        for (id, condition) in plan.conditions.enumerated() where !condition.isUnary { contextual |= 1 << UInt64(id) }
        self.contextual = contextual
        equalities = plan.conditions.indices.reduce(0) {
            plan.conditions[$1].equality == nil ? $0 : $0 | 1 << UInt64($1)
        }
        let reachesEnd = automaton.statesThatProceedToTheEnd
        // The edges behind a move's target determine whether it also completes a match.
        let behind = automaton.gathered(
            automaton.states.map { state in
                state.edges.reduce(0) {
                    $1.action == .proceed && reachesEnd[$1.target] ? $0 | $1.condition.mentioned : $0
                }
            }
        )
        relevant = automaton.gathered(
            automaton.states.map { state in
                state.edges.reduce(0) { $0 | $1.condition.mentioned | ($1.action == .take ? behind[$1.target] : 0) }
            }
        )
        self.reachesEnd = reachesEnd
        let isDense =
            conditionCount <= Self.denseLimit && automaton.states.count << (conditionCount + 1) <= Self.denseSize
        dense = isDense ? Array(repeating: -1, count: automaton.states.count << (conditionCount + 1)) : []
    }

    /// The position of the step that the unary conditions alone decide, or that says which others are needed.
    ///
    /// - Returns: A position in ``steps``, good until the next look-up.
    @inlinable
    mutating func step(_ state: Int, unary truth: UInt64) -> Int {
        look(state, truth & relevant[state] & ~contextual, contextual & relevant[state], 0)
    }

    /// The position of the step for the truth of all conditions that it needed.
    ///
    /// - Returns: A position in ``steps``, good until the next look-up.
    @inlinable
    mutating func step(_ state: Int, all truth: UInt64) -> Int {
        look(state, truth & relevant[state], 0, 1)
    }

    @inlinable
    mutating func look(_ state: Int, _ truth: UInt64, _ unknown: UInt64, _ half: Int) -> Int {
        guard !dense.isEmpty else { return lookSparsely(state, truth, unknown) }
        let position = ((state << 1 | half) << conditionCount) + Int(truth)
        let known = dense[position]
        if known >= 0 { return Int(known) }
        let index = append(state, truth, unknown)
        dense[position] = Int32(index)
        return index
    }

    @usableFromInline
    mutating func lookSparsely(_ state: Int, _ truth: UInt64, _ unknown: UInt64) -> Int {
        let key = Key(Int32(state), truth, unknown)
        if let known = sparse[key] { return Int(known) }
        if steps.count >= Self.stepLimit {
            steps.removeAll(keepingCapacity: true)
            sparse.removeAll(keepingCapacity: true)
        }
        let index = append(state, truth, unknown)
        sparse[key] = Int32(index)
        return index
    }

    // MARK: Following the edges

    @usableFromInline
    mutating func append(_ state: Int, _ truth: UInt64, _ unknown: UInt64) -> Int {
        var step = follow(state, truth, unknown)
        var candidates = step.needed & equalities
        while candidates != 0, step.decider < 0 {
            let id = candidates.trailingZeroBitCount
            candidates &= candidates &- 1
            // What happens if the equality does not hold, whatever else does.
            if follow(state, truth, unknown & ~(1 << UInt64(id))).isIdle { step.decider = id }
        }
        steps.append(step)
        return steps.count - 1
    }

    private func follow(_ state: Int, _ truth: UInt64, _ unknown: UInt64) -> Step {
        var step = Step()
        var found: [(edge: Automaton.Edge, source: Int)] = []
        var waiting = [state]
        while let current = waiting.popLast() {
            for edge in automaton.states[current].edges {
                // What may hold is followed too, to find all conditions that are needed.
                guard holds(edge, truth, unknown, &step.needed) else { continue }
                if edge.action == .proceed {
                    waiting.append(edge.target)
                } else {
                    found.append((edge, current))
                }
            }
        }
        for (edge, source) in found { add(edge, from: source, of: state, truth, unknown, &step) }
        if step.needed != 0 { return Step(needed: step.needed) }
        if step.stoppedBy >= 0 {
            step.moves = step.moves.filter(\.completes).map { Move(capture: $0.capture, target: -1, completes: true) }
            step.stay = -1
        }
        return step
    }

    private func holds(_ edge: Automaton.Edge, _ truth: UInt64, _ unknown: UInt64, _ needed: inout UInt64) -> Bool {
        if let holds = edge.condition.value(truth, unknown: unknown) { return holds }
        needed |= edge.condition.mentioned & unknown
        return true
    }

    private func add(
        _ edge: Automaton.Edge,
        from source: Int,
        of state: Int,
        _ truth: UInt64,
        _ unknown: UInt64,
        _ step: inout Step
    ) {
        let isTaken = edge.action == .take
        // The beginning stays whatever happens, and so need not pass over anything.
        if !isTaken, state == automaton.start { return }
        let capture = isTaken ? Int32(automaton.states[source].capture) : -1
        switch automaton.states[edge.target].kind {
        case .final:
            step.moves.append(Move(capture: capture, target: -1, completes: true))
        case .stop:
            step.stoppedBy = automaton.states[edge.target].capture
        case .normal, .pending:
            if !isTaken, edge.target == state, step.stay < 0 {
                step.stay = step.moves.count
                return
            }
            let completes = isTaken && isFinalBehind(edge.target, truth, unknown, &step.needed)
            step.moves.append(Move(capture: capture, target: Int32(edge.target), completes: completes))
        }
    }

    /// Whether a state proceeds to the end for the event that is being taken.
    private func isFinalBehind(_ state: Int, _ truth: UInt64, _ unknown: UInt64, _ needed: inout UInt64) -> Bool {
        var waiting = [state]
        while let current = waiting.popLast() {
            // What does not lead to the end, such as a negation, is not looked at: it is about what comes after the event.
            for edge in automaton.states[current].edges where edge.action == .proceed && reachesEnd[edge.target] {
                guard holds(edge, truth, unknown, &needed) else { continue }
                if automaton.states[edge.target].kind == .final, needed == 0 { return true }
                waiting.append(edge.target)
            }
        }
        return false
    }
}
