extension AutomatonBuilder {
    /// One of several sequences: waits for an event that can begin any of them.
    mutating func either(
        _ alternatives: [[PlanStage]],
        _ place: Place,
        _ sink: Int,
        _ enclosing: Enclosing
    ) -> Int {
        let entry = makeState(-1, .normal, gap: enclosing.gap)
        let waiting = makeWaiting(entry, place, enclosing)
        // Until its first event a partial match waits in these two states, and in none of the alternatives.
        var strict = enclosing
        strict.contiguity = .next
        strict.gap = nil
        strict.negations = []
        strict.isFirstRound = true
        strict.isPassedBy = false
        strict.negationBehind = nil
        // What has taken an event is past the negations before the stage; what leaves the stage out is not.
        let over = place.stage.content.canBeEmpty ? withoutNegations(sink, place) : sink
        let condition = until(enclosing.until, .always)
        var canBeLeftOut = false
        for stages in alternatives {
            let exit = exit(of: stages, to: over)
            let left = over == sink ? exit : self.exit(of: stages, to: sink)
            if exit != over { besideGreed[exit] = left == exit ? nil : left }
            let first = sequence(stages, exit, strict, after: place.following)
            let exits = [exit: left].merging(beforeGreed[exit].map { [$0: over == sink ? $0 : sink] } ?? [:]) { $1 }
            // What leaves out two alternatives leaves out the stage once.
            let isFirstToBeLeftOut = !canBeLeftOut && stages.allSatisfy(\.canBeLeftOut)
            canBeLeftOut = canBeLeftOut || isFirstToBeLeftOut
            let beginning = beginning(first, exits, canLeave: isFirstToBeLeftOut)
            besideGreed[exit] = nil
            add(.proceed, from: entry, to: beginning, condition)
            guard let waiting, waiting != entry else { continue }
            add(.proceed, from: waiting, to: self.beginning(first, exits, canLeave: false), condition)
        }
        addWaiting(entry, waiting, place, enclosing)
        return entry
    }

    /// Several events in any order: a state for every set of those that have been.
    mutating func allOf(
        _ stages: [PlanStage],
        _ place: Place,
        _ sink: Int,
        _ enclosing: Enclosing
    ) -> Int {
        let all = 1 << stages.count
        var stateOfSet: [Int] = []
        for set in 0..<all {
            stateOfSet.append(set == all - 1 ? sink : makeState(-1, .normal, gap: set == 0 ? enclosing.gap : nil))
        }
        let waiting = makeWaiting(stateOfSet[0], place, enclosing)
        for set in 0..<all - 1 {
            var missing: [Guard] = []
            for (index, stage) in stages.enumerated() where set & 1 << index == 0 {
                let condition = until(enclosing.until, own(stage))
                missing.append(own(stage))
                // A state can take into one capture only, so each event of the set is taken from its own state.
                let taking = makeState(capture(stage), .normal)
                add(.take, from: taking, to: stateOfSet[set | 1 << index], condition)
                add(.proceed, from: stateOfSet[set], to: taking, condition)
                if set == 0, let waiting, waiting != stateOfSet[0] {
                    add(.proceed, from: waiting, to: taking, condition)
                }
            }
            if set == 0 {
                addWaiting(stateOfSet[0], waiting, place, enclosing)
            } else if let ignore = ignoreGuard(place.stage.quantifier.inner.contiguity, anyOf(missing), enclosing) {
                add(.ignore, from: stateOfSet[set], to: stateOfSet[set], ignore)
            }
        }
        return stateOfSet[0]
    }

    // MARK: Waiting for the first event

    /// Where what has passed over an event waits for the first one; `nil` where none may be passed over.
    ///
    /// It is the entry itself, unless that can be passed by: then what was passed over once does not pass by later.
    private mutating func makeWaiting(_ entry: Int, _ place: Place, _ enclosing: Enclosing) -> Int? {
        guard ignoreGuard(enclosing.contiguity, .always, enclosing) != nil else { return nil }
        guard enclosing.isPassedBy || place.stage.content.canBeEmpty else { return entry }
        return makeState(-1, .normal, gap: enclosing.gap)
    }

    private mutating func addWaiting(_ entry: Int, _ waiting: Int?, _ place: Place, _ enclosing: Enclosing) {
        let heads = anyOf(heads(of: place.stage))
        guard let waiting, let ignore = ignoreGuard(enclosing.contiguity, heads, enclosing) else { return }
        add(.ignore, from: entry, to: waiting, ignore)
        guard waiting != entry else { return }
        add(.ignore, from: waiting, to: waiting, ignore)
        // An earlier round may have been left out.
        if enclosing.isFirstRound || place.stage.content.canBeEmpty { addStops(waiting, place) }
        if let negation = enclosing.negationBehind { addStop(waiting, negation, place) }
    }

    /// What the last stage of an alternative leads to: a state of its own where a greedy loop changes it, as the other
    /// alternatives lead there too.
    private mutating func exit(of stages: [PlanStage], to sink: Int) -> Int {
        guard stages.contains(where: \.hasGreedyLoop) else { return sink }
        let state = automaton.states[sink]
        // The end of a round gets its edges when the loop is complete.
        guard state.edges.isEmpty, state.kind == .normal else { return copy(sink) }
        let exit = makeState(-1, .normal, gap: state.gap)
        add(.proceed, from: exit, to: sink, .always)
        return exit
    }

    /// The beginning of an alternative: as the states that it proceeds to, but without passing over an event, which is for
    /// the whole stage to do.
    ///
    /// - Parameters:
    ///   - first: The first state of the alternative.
    ///   - exits: The states that the alternative ends in, and where an event proceeds to that leaves it out there.
    ///   - canLeave: Whether an event may leave the alternative out.
    /// - Returns: The first state itself where there is nothing to change.
    private mutating func beginning(_ first: Int, _ exits: [Int: Int], canLeave: Bool) -> Int {
        var copies: [Int: Int] = [:]
        var states = [first]
        var seen: Set = [first]
        var next = 0
        while next < states.count {
            for target in inner(states[next], exits) where seen.insert(target).inserted { states.append(target) }
            next += 1
        }
        let isUnchanged = states.allSatisfy { state in
            automaton.states[state].edges.allSatisfy { edge in
                guard edge.action == .proceed, let left = exits[edge.target] else { return edge.action != .ignore }
                return canLeave && left == edge.target
            }
        }
        if isUnchanged { return first }
        for state in states {
            copies[state] = makeState(automaton.states[state].capture, .normal)
        }
        for state in states {
            guard let twin = copies[state] else { continue }
            for edge in automaton.states[state].edges where edge.action != .ignore {
                var target = edge.target
                if edge.action == .proceed {
                    let left = exits[target]
                    guard left == nil || canLeave else { continue }
                    target = left ?? copies[target] ?? target
                }
                add(edge.action, from: twin, to: target, edge.condition)
            }
        }
        return copies[first] ?? first
    }

    /// The states of an alternative that an event proceeds to at once.
    private func inner(_ state: Int, _ exits: [Int: Int]) -> [Int] {
        automaton.states[state].edges.compactMap { edge in
            let isInner = exits[edge.target] == nil && automaton.states[edge.target].kind == .normal
            return edge.action == .proceed && isInner ? edge.target : nil
        }
    }
}
