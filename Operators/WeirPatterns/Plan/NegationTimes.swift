internal import WeirCore

/// Gives negations in the middle that have a duration, or a schedule, their meaning: conditions on the time since the
/// event before them.
///
/// The negation holds until that time is over, and the stages behind it, up to the first that must match, wait for it.
package struct NegationTimes<Element: Sendable> {
    /// The conditions, with those that were added.
    package private(set) var conditions: [PlanCondition]

    /// What they mean.
    package private(set) var table: ConditionTable<Element>

    package init(_ conditions: [PlanCondition], _ table: ConditionTable<Element>) {
        self.conditions = conditions
        self.table = table
    }

    /// The stages with these conditions.
    ///
    /// - Parameter stages: All stages of a pattern, with their final numbers.
    /// - Returns: The stages.
    /// - Throws: ``PatternError`` where no stage behind such a negation waits.
    package mutating func apply(to stages: [PlanStage]) throws(PatternError) -> [PlanStage] {
        try apply(to: stages, isWhole: true)
    }

    private mutating func apply(to stages: [PlanStage], isWhole: Bool) throws(PatternError) -> [PlanStage] {
        var stages = stages
        for index in stages.indices {
            switch stages[index].content {
            case .event, .allOf: break
            case .group(let inner): stages[index].content = .group(try apply(to: inner, isWhole: false))
            case .either(let alternatives):
                var changed: [[PlanStage]] = []
                for inner in alternatives { changed.append(try apply(to: inner, isWhole: false)) }
                stages[index].content = .either(changed)
            }
        }
        for index in stages.indices where stages[index].hasDuration {
            if isWhole, index == stages.count - 1 { break }
            guard case .event(let capture, let own) = stages[index].content else { continue }
            let (early, over) = addConditions(of: stages[index], capture)
            stages[index].content = .event(capture: capture, conditions: own + [early])
            try delay(&stages, behind: index, over)
        }
        return stages
    }

    /// Lets the stages behind a negation wait, up to the first that must match.
    private func delay(_ stages: inout [PlanStage], behind negation: Int, _ over: ConditionID) throws(PatternError) {
        for index in stages.indices[(negation + 1)...] where stages[index].contiguity != .notFollowedBy {
            let isRelaxed = stages[index].contiguity == .followedBy || stages[index].contiguity == .followedByAny
            guard isRelaxed else { break }
            stages[index] = stages[index].requiring(over)
            if !stages[index].canBeLeftOut { return }
        }
        throw .durationWithoutStage(stage: stages[negation].name)
    }

    /// Adds the conditions that the time of a negation is not over, and that it is.
    private mutating func addConditions(
        of negation: PlanStage,
        _ capture: Int
    ) -> (early: ConditionID, over: ConditionID) {
        let schedule = negation.schedule.map { table.schedules[$0] }
        let gap = negation.gap
        let isOver: ConditionTable<Element>.Contextual = { _, captures in
            guard let start = captures.time(before: capture) else { return true }
            if let gap, Nanoseconds.sum(start.nanosecondsSinceEpoch, gap) <= captures.now.nanosecondsSinceEpoch {
                return true
            }
            guard let next = schedule?(start), next > start else { return false }
            return next <= captures.now
        }
        let time =
            gap.map { "\(Duration.nanoseconds($0)) after the event before" } ?? "the schedule of \(negation.name)"
        table.append(contextual: { element, captures in !isOver(element, captures) })
        table.append(contextual: isOver)
        let before = [max(capture - 1, 0)]
        conditions.append(PlanCondition(captures: before, text: "before \(time)"))
        conditions.append(PlanCondition(captures: before, text: "not before \(time)"))
        return (conditions.count - 2, conditions.count - 1)
    }
}

extension PlanStage {
    /// The stage with one condition more on each of its events.
    fileprivate func requiring(_ condition: ConditionID) -> PlanStage {
        var stage = self
        guard !isNegation else { return self }
        switch content {
        case .event(let capture, let own): stage.content = .event(capture: capture, conditions: own + [condition])
        case .group(let stages): stage.content = .group(stages.map { $0.requiring(condition) })
        case .either(let alternatives):
            stage.content = .either(alternatives.map { $0.map { $0.requiring(condition) } })
        case .allOf(let stages): stage.content = .allOf(stages.map { $0.requiring(condition) })
        }
        return stage
    }
}
