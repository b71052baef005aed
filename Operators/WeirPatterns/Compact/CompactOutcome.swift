/// What becomes of the runs in a state with an event, for the compact strategy.
@usableFromInline
struct CompactOutcome: Sendable, Hashable {
    /// What becomes of a run: it takes the event into a capture, or passes over it, and is in the target then.
    struct Move: Sendable, Hashable {
        var capture: Int?
        var target: Int
    }

    var moves: [Move] = []
    /// What the matches take the event into; `nil` for a match that ends before the event.
    var matches: [Int?] = []
}

extension Automaton {
    /// What becomes of the runs in a state with an event.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - truths: The truth values of the conditions for the event, one bit each.
    /// - Returns: All ways that its runs go.
    func outcome(of state: Int, for truths: UInt64) -> CompactOutcome {
        var outcome = CompactOutcome()
        var isStopped = false
        var sources = [state]
        while let source = sources.popLast() {
            for edge in states[source].edges where edge.condition.value(truths, unknown: 0) == true {
                switch edge.action {
                case .proceed:
                    sources.append(edge.target)
                case .ignore:
                    // A match begins with the first event it takes.
                    if state != start { add(edge.target, nil, to: &outcome, &isStopped) }
                case .take:
                    let capture = states[source].capture
                    add(edge.target, capture, to: &outcome, &isStopped)
                    if leadsToFinal(edge.target, truths) { outcome.matches.append(capture) }
                }
            }
        }
        // A run that sees what is forbidden is lost on all of its ways, but what was complete before is a match.
        if isStopped { outcome.moves = [] }
        return outcome
    }

    private func add(_ target: Int, _ capture: Int?, to outcome: inout CompactOutcome, _ isStopped: inout Bool) {
        switch states[target].kind {
        case .final: outcome.matches.append(capture)
        case .stop: isStopped = true
        case .normal, .pending: outcome.moves.append(CompactOutcome.Move(capture: capture, target: target))
        }
    }

    /// Whether the rest of the pattern may be left out.
    private func leadsToFinal(_ state: Int, _ truths: UInt64) -> Bool {
        var sources = [state]
        while let source = sources.popLast() {
            for edge in states[source].edges
            where edge.action == .proceed && edge.condition.value(truths, unknown: 0) == true {
                if states[edge.target].kind == .final { return true }
                sources.append(edge.target)
            }
        }
        return false
    }

    /// The states in which runs may wait for the next event, those that are left last first.
    ///
    /// A run goes from a state to one that comes before it here, except in loops of groups.
    func waitingStates() -> [Int] {
        var order: [Int] = []
        var isSeen = Array(repeating: false, count: states.count)
        var stack: [(state: Int, targets: [Int])] = [(start, targets(of: start))]
        isSeen[start] = true
        while var top = stack.popLast() {
            guard let target = top.targets.popLast() else {
                if top.state != start { order.append(top.state) }
                continue
            }
            stack.append(top)
            if !isSeen[target] {
                isSeen[target] = true
                stack.append((target, targets(of: target)))
            }
        }
        return order
    }

    /// Where runs in a state may be after an event.
    private func targets(of state: Int) -> [Int] {
        var targets: [Int] = []
        for source in closure(of: state) {
            for edge in states[source].edges where edge.action != .proceed {
                if states[edge.target].kind == .normal || states[edge.target].kind == .pending {
                    targets.append(edge.target)
                }
            }
        }
        return targets
    }

    /// Lets states that behave alike share their runs: one state stands for all of them.
    func merged() -> Automaton {
        var automaton = self
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            var representatives: [State: Int] = [:]
            for state in automaton.states.indices where state != start {
                var behaviour = automaton.states[state]
                for edge in behaviour.edges.indices where behaviour.edges[edge].target == state {
                    behaviour.edges[edge].target = -1
                }
                guard let representative = representatives[behaviour] else {
                    representatives[behaviour] = state
                    continue
                }
                hasChanged = automaton.redirect(state, to: representative) || hasChanged
            }
        }
        return automaton
    }

    private mutating func redirect(_ state: Int, to representative: Int) -> Bool {
        var hasChanged = false
        for source in states.indices where source != state {
            for edge in states[source].edges.indices where states[source].edges[edge].target == state {
                states[source].edges[edge].target = representative
                hasChanged = true
            }
        }
        return hasChanged
    }
}
