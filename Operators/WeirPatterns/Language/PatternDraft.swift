public import WeirCore
internal import WeirExpressions

/// What a pattern in the typed language has come to so far: its plan and its conditions.
public struct PatternDraft<Element: Sendable>: Sendable {
    @usableFromInline var stages: [PlanStage] = []
    @usableFromInline var captures: [String] = []
    @usableFromInline var conditions: [PlanCondition] = []
    @usableFromInline var table = ConditionTable<Element>()
    @usableFromInline var within: Int64?
    @usableFromInline var neighbours: Int64?
    @usableFromInline var afterMatch = AfterMatch.noSkip
    @usableFromInline var selection = MatchSelection.all
    @usableFromInline var quiet: PlanQuiet?
    // The first mistake, told when the pattern is used.
    @usableFromInline var mistake: PatternError?

    @usableFromInline
    init() {}

    /// The plan, and what its conditions mean.
    ///
    /// - Throws: ``PatternError`` for the first rule that the pattern breaks.
    @usableFromInline
    func plan() throws(PatternError) -> (plan: PatternPlan, table: ConditionTable<Element>) {
        if let mistake { throw mistake }
        var times = NegationTimes(conditions, table)
        let stages = try times.apply(to: stages)
        let plan = PatternPlan(
            stages: stages,
            captures: captures,
            conditions: times.conditions,
            within: within,
            neighbours: neighbours,
            afterMatch: afterMatch,
            selection: selection,
            quiet: quiet
        )
        try plan.check()
        return (plan, times.table)
    }

    /// Declares a capture, and returns its number.
    @usableFromInline
    mutating func declare(_ name: String?) -> Int {
        captures.append(name ?? "stage \(captures.count)")
        return captures.count - 1
    }

    /// Adds a condition, unless it is there already, and returns its number.
    @usableFromInline
    mutating func add(_ condition: StageTerm<Element>) -> ConditionID {
        if let identity = condition.identity, let known = identities[identity] { return known }
        let id = conditions.count
        var planned = condition.planned
        if planned.text.isEmpty { planned.text = "condition \(id)" }
        conditions.append(planned)
        switch condition.meaning {
        case .unary(let meaning): table.append(meaning)
        case .contextual(let meaning):
            table.append(contextual: meaning, keyOfEvent: condition.keyOfEvent, keyOfCapture: condition.keyOfCapture)
        }
        if let identity = condition.identity { identities[identity] = id }
        table.hints[id] = condition.hint
        return id
    }

    private var identities: [AnyIdentity: ConditionID] = [:]

    // What the aggregates of the table are of.
    var aggregates: [AnyIdentity: Int] = [:]

    /// Appends a stage for an event, and returns the number of its capture.
    @usableFromInline
    mutating func append(
        _ name: String?,
        _ contiguity: Contiguity,
        _ condition: StageTerm<Element>?,
        _ gap: Duration? = nil,
        schedule: (@Sendable (Timestamp) -> Timestamp?)? = nil
    ) -> Int {
        let capture = declare(name)
        if let schedule { table.schedules.append(schedule) }
        stages.append(
            PlanStage(
                name: captures[capture],
                contiguity: contiguity,
                content: .event(capture: capture, conditions: condition.map { [add($0)] } ?? []),
                gap: gap?.wholeNanoseconds,
                schedule: schedule == nil ? nil : table.schedules.count - 1
            )
        )
        return capture
    }

    /// Appends the stages of another pattern as one stage, and returns the numbers of their captures.
    @usableFromInline
    mutating func append(
        _ group: PatternDraft,
        _ name: String?,
        _ contiguity: Contiguity,
        _ gap: Duration?,
        _ content: ([PlanStage]) -> PlanStage.Content
    ) -> Range<Int> {
        let (inner, captures) = absorb(group)
        stages.append(
            PlanStage(
                name: name ?? "group \(captures.lowerBound)",
                contiguity: contiguity,
                content: content(inner),
                gap: gap?.wholeNanoseconds
            )
        )
        return captures
    }

    /// Takes in the stages of another pattern, as a group.
    ///
    /// - Returns: The stages with their new numbers, and the numbers of their captures.
    @usableFromInline
    mutating func absorb(_ other: PatternDraft) -> (stages: [PlanStage], captures: Range<Int>) {
        let firstCapture = captures.count
        let firstCondition = conditions.count
        let firstAggregate = table.aggregates.count
        let firstSchedule = table.schedules.count
        table.schedules += other.table.schedules
        for (index, name) in other.captures.enumerated() {
            captures.append(name == "stage \(index)" ? "stage \(firstCapture + index)" : name)
        }
        if !other.table.contextual.allSatisfy({ $0 == nil }) || !other.table.aggregates.isEmpty {
            absorbContextual(other, firstCapture, firstAggregate)
        } else {
            conditions += other.conditions
            for unary in other.table.unary { table.append(unary) }
        }
        mistake = mistake ?? other.mistake
        let stages = other.stages.map {
            $0.renumbered(captures: firstCapture, conditions: firstCondition, schedules: firstSchedule)
        }
        return (stages, firstCapture..<captures.count)
    }

    private mutating func absorbContextual(_ other: PatternDraft, _ firstCapture: Int, _ firstAggregate: Int) {
        for aggregate in other.table.aggregates {
            table.aggregates.append(PlanAggregate(capture: aggregate.capture + firstCapture, value: aggregate.value))
        }
        for (id, condition) in other.conditions.enumerated() {
            var condition = condition
            condition.captures = condition.captures.map { $0 + firstCapture }
            if let equality = condition.equality {
                condition.equality = PlanEquality(capture: equality.capture + firstCapture)
            }
            conditions.append(condition)
            guard let meaning = other.table.contextual[id] else {
                table.append(other.table.unary[id])
                continue
            }
            table.append(
                contextual: { element, captures in
                    meaning(element, captures.moved(captures: firstCapture, aggregates: firstAggregate))
                },
                keyOfEvent: other.table.keyOfEvent[id],
                keyOfCapture: other.table.keyOfCapture[id]
            )
        }
    }
}

/// What makes two conditions the same.
@usableFromInline
struct AnyIdentity: Hashable, Sendable {
    @usableFromInline let value: any Hashable & Sendable

    @usableFromInline
    init(_ value: any Hashable & Sendable) { self.value = value }

    @usableFromInline
    static func == (left: AnyIdentity, right: AnyIdentity) -> Bool {
        AnyHashable(left.value) == AnyHashable(right.value)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension PlanStage {
    /// The stage with the numbers of its captures and conditions moved.
    func renumbered(captures: Int, conditions: Int, schedules: Int) -> PlanStage {
        func renumber(_ stages: [PlanStage]) -> [PlanStage] {
            stages.map { $0.renumbered(captures: captures, conditions: conditions, schedules: schedules) }
        }
        var stage = self
        stage.schedule = schedule.map { $0 + schedules }
        stage.until = until.map { $0 + conditions }
        switch content {
        case .event(let capture, let own):
            stage.content = .event(capture: capture + captures, conditions: own.map { $0 + conditions })
            if name == "stage \(capture)" { stage.name = "stage \(capture + captures)" }
        case .group(let stages):
            stage.content = .group(renumber(stages))
        case .either(let alternatives):
            stage.content = .either(alternatives.map(renumber))
        case .allOf(let stages):
            stage.content = .allOf(renumber(stages))
        }
        return stage
    }
}
