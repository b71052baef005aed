extension AutomatonBuilder {
    /// The negations between a stage and the last one before it that cannot be left out.
    func negations(before place: Place) -> [PlanStage] {
        var found: [PlanStage] = []
        var index = place.neighbours.landmarks[place.index]
        while index >= 0 {
            guard place.stages[index].contiguity == .notFollowedBy else { return found }
            found.append(place.stages[index])
            index = place.neighbours.landmarks[index]
        }
        return found + (place.enclosing?.negations ?? [])
    }

    mutating func addStops(_ state: Int, _ place: Place) {
        for negation in negations(before: place) { addStop(state, negation, place) }
    }

    mutating func addStop(_ state: Int, _ negation: PlanStage, _ place: Place) {
        let condition = takeGuard(negation, place.enclosing)
        let stop = makeStop(condition, capture(negation))
        // The first stage of a group has those before the group already. Looking for them takes time, too.
        noteWork(automaton.states[state].edges.count / 4)
        let isThere = automaton.states[state].edges.contains {
            $0.target == stop && $0.action == .proceed && $0.condition == condition
        }
        if !isThere { add(.proceed, from: state, to: stop, condition) }
    }

    /// Ends a loop when the negation behind it comes true.
    mutating func addFollowingStop(_ state: Int, _ place: Place) {
        if let negation = negationBehind(place) { addStop(state, negation, place) }
    }

    func negationBehind(_ place: Place) -> PlanStage? {
        place.following?.contiguity == .notFollowedBy ? place.following : nil
    }

    /// What a stage leads to once it has taken an event: then the negations before it are over, if it could have been
    /// left out.
    mutating func withoutNegations(_ sink: Int, _ place: Place) -> Int {
        let over = negations(before: place)
        guard !over.isEmpty, place.stage.canBeLeftOut else { return sink }
        let outer = place.enclosing?.negations ?? []
        var copies: [Copied: Int] = [:]
        return withoutStops(
            sink,
            Set(over.compactMap { stops[capture($0)] }),
            outer: Set(outer.compactMap { stops[capture($0)] }),
            &copies
        )
    }

    /// A state of which there is a copy without the edges to some stops.
    private struct Copied: Hashable {
        var state: Int
        var stops: Set<Int>
    }

    /// A copy of a state without its edges to stops, and without those of the states that it proceeds to.
    ///
    /// Where the copy passes over an event, it waits in a state without these stops, too: with those of negations before
    /// the group, and in the alternatives of a stage. In a sequence of events the negation holds again from then on, as in
    /// Flink.
    private mutating func withoutStops(
        _ state: Int,
        _ over: Set<Int>,
        outer: Set<Int>,
        _ copies: inout [Copied: Int]
    ) -> Int {
        let key = Copied(state: state, stops: over)
        if let twin = copies[key] { return twin }
        let original = automaton.states[state]
        // The end of a round gets its edges when the loop is complete.
        guard !original.edges.isEmpty, !isTooLarge else { return state }
        let twin = makeState(original.capture, original.kind, gap: original.gap, schedule: automaton.schedules[state])
        copies[key] = twin
        for edge in original.edges {
            var target = edge.target
            if target == state {
                target = twin
            } else if edge.action == .proceed {
                guard !over.contains(target) else { continue }
                if automaton.states[target].kind != .stop { target = withoutStops(target, over, outer: outer, &copies) }
            } else if edge.action == .ignore {
                let gone = automaton.states[target].capture < 0 ? over : outer
                let isStopped = automaton.states[target].edges.contains { gone.contains($0.target) }
                if isStopped { target = withoutStops(target, gone, outer: outer, &copies) }
            }
            add(edge.action, from: twin, to: target, edge.condition)
        }
        return twin
    }
}
