extension AutomatonBuilder {
    /// The states of one round of a group; it can be passed by if there is a state to proceed to.
    mutating func round(_ place: Place, _ sink: Int, proceeding: Int?, isFirstRound: Bool) -> Int {
        var enclosing = enclosing(place, isFirstRound: isFirstRound, isPassedBy: proceeding != nil)
        if !isFirstRound, proceeding == nil { enclosing.negationBehind = negationBehind(place) }
        let entry = round(place, sink, enclosing)
        // The condition is that of the group itself, not that of what it is in.
        if let proceeding { add(.proceed, from: entry, to: proceeding, proceedGuard(place.enclosing)) }
        return entry
    }

    /// The states of a group that is repeated without an end, after its first round.
    mutating func groupLoop(_ place: Place, _ sink: Int) -> Int {
        let condition = proceedGuard(place.enclosing)
        let again = makeState(-1, .normal)
        var enclosing = enclosing(place, isFirstRound: false, isPassedBy: true)
        enclosing.negationBehind = negationBehind(place)
        let entry = round(place, again, enclosing)
        add(.proceed, from: entry, to: sink, condition)
        add(.proceed, from: again, to: entry, condition)
        return entry
    }

    private mutating func round(_ place: Place, _ sink: Int, _ enclosing: Enclosing) -> Int {
        // The stages of a group without an event of its own see to their negations themselves.
        let sink = place.stage.content.canBeEmpty ? sink : withoutNegations(sink, place)
        switch place.stage.content {
        case .group(let stages): return sequence(stages, sink, enclosing, after: place.following)
        case .either(let alternatives): return either(alternatives, place, sink, enclosing)
        case .allOf(let stages): return allOf(stages, place, sink, enclosing)
        case .event: preconditionFailure("an event is not a group")
        }
    }

    private func enclosing(_ place: Place, isFirstRound: Bool, isPassedBy: Bool) -> Enclosing {
        let stage = place.stage
        // A group that another one begins with joins what is before it as that one says.
        let outer = isFirstRound && place.isHeadOfGroup ? place.enclosing : nil
        return Enclosing(
            contiguity: isFirstRound ? outer?.contiguity ?? stage.contiguity : stage.quantifier.inner.contiguity,
            until: stage.ends + (place.enclosing?.until ?? []),
            gap: isFirstRound ? place.gap : stage.gap,
            negations: isFirstRound || stage.content.canBeEmpty ? negations(before: place) : [],
            negationBehind: stage.canBeLeftOut ? nil : outer?.negationBehind,
            isFirstRound: isFirstRound,
            isPassedBy: isPassedBy || outer?.isPassedBy == true
        )
    }

    mutating func sequence(_ stages: [PlanStage], _ sink: Int, _ enclosing: Enclosing, after: PlanStage?) -> Int {
        let neighbours = Neighbours(stages)
        var last = sink
        for index in stride(from: stages.count - 1, to: 0, by: -1) where !isTooLarge {
            last = middle(Place(neighbours: neighbours, index: index, enclosing: enclosing, after: after), last)
        }
        return convert(Place(neighbours: neighbours, index: 0, enclosing: enclosing, after: after), last)
    }
}
