extension AutomatonBuilder {
    func own(_ stage: PlanStage) -> Guard {
        guard case .event(_, let conditions) = stage.content else { return .always }
        return conditions.reduce(.always) { .both($0, .condition($1)) }
    }

    func capture(_ stage: PlanStage) -> Int {
        guard case .event(let capture, _) = stage.content else { return -1 }
        return capture
    }

    /// A condition that must not hold any more once one of the loops around it is over.
    func until(_ ends: [ConditionID], _ condition: Guard) -> Guard {
        ends.reduce(condition) { .both(.not(.condition($1)), $0) }
    }

    func takeGuard(_ stage: PlanStage, _ enclosing: Enclosing?) -> Guard {
        until(enclosing?.until ?? [], own(stage))
    }

    func proceedGuard(_ enclosing: Enclosing?) -> Guard {
        until(enclosing?.until ?? [], .always)
    }

    /// When an event is passed over; `nil` where none may be.
    func ignoreGuard(_ contiguity: Contiguity, _ condition: Guard, _ enclosing: Enclosing?) -> Guard? {
        switch contiguity {
        case .followedBy: until(enclosing?.until ?? [], .not(condition))
        case .followedByAny: until(enclosing?.until ?? [], .always)
        default: nil
        }
    }

    func outerIgnore(_ place: Place) -> Guard? {
        let contiguity = place.isHeadOfGroup ? place.enclosing?.contiguity : nil
        return ignoreGuard(contiguity ?? place.stage.contiguity, anyOf(heads(of: place.stage)), place.enclosing)
    }

    func innerIgnore(_ place: Place) -> Guard? {
        ignoreGuard(place.stage.quantifier.inner.contiguity, anyOf(heads(of: place.stage)), place.enclosing)
    }

    /// What an event must satisfy to begin a stage: one of these.
    func heads(of stage: PlanStage) -> [Guard] {
        switch stage.content {
        case .event: [own(stage)]
        case .group(let stages): heads(of: stages)
        case .either(let alternatives): alternatives.flatMap(heads)
        case .allOf(let stages): stages.map(own)
        }
    }

    func heads(of stages: [PlanStage]) -> [Guard] {
        let first = stages.firstIndex { !$0.canBeLeftOut && !$0.isNegation } ?? stages.count - 1
        return stages[...first].flatMap { $0.isNegation ? [] : heads(of: $0) }
    }

    /// One of several conditions; balanced, as formulas are evaluated recursively.
    func anyOf(_ guards: [Guard]) -> Guard {
        if guards.count == 1 { return guards[0] }
        let half = (guards.count + 1) / 2
        return .or(anyOf(Array(guards[..<half])), anyOf(Array(guards[half...])))
    }
}
