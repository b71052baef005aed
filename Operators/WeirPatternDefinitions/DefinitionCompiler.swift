internal import WeirCore
internal import WeirExpressions
internal import WeirPatterns
internal import WeirSchemas

/// Turns the stages of a definition into those of a plan, and its conditions into a table.
struct DefinitionCompiler<Element: Sendable> {
    let schema: EventSchema<Element>
    var names: [String] = []
    var conditions: [PlanCondition] = []
    var table = ConditionTable<Element>()
    // Equal conditions are one.
    private var known: [ExpressionTree: ConditionID] = [:]

    init(_ schema: EventSchema<Element>) {
        self.schema = schema
    }

    /// Gives every stage that captures events its number.
    mutating func declare(_ stages: [StageDefinition]) throws(PatternError) {
        for stage in stages {
            if let group = stage.group {
                try declare(group)
            } else if let either = stage.either {
                for alternative in either { try declare(alternative) }
            } else if let allOf = stage.allOf {
                try declare(allOf)
            } else {
                guard !names.contains(stage.name) else { throw .duplicateName(stage.name) }
                names.append(stage.name)
            }
        }
    }

    mutating func stages(_ stages: [StageDefinition]) throws(PatternError) -> [PlanStage] {
        var result: [PlanStage] = []
        for (index, stage) in stages.enumerated() {
            // A loop that begins at none may stand there: it is the loop that is left out.
            if index > 0, stage.quantifier?.isOptional == true, stages[index - 1].quantifier?.isGreedy == true {
                throw .optionalAfterGreedy(stage: stage.name)
            }
            result.append(try self.stage(stage))
        }
        return result
    }

    private mutating func stage(_ stage: StageDefinition) throws(PatternError) -> PlanStage {
        let content: PlanStage.Content
        let said = [stage.where != nil, stage.group != nil, stage.either != nil, stage.allOf != nil]
        if said.count(where: \.self) > 1 { throw .severalContents(stage: stage.name) }
        if let group = stage.group {
            content = .group(try stages(group))
        } else if let either = stage.either {
            var alternatives: [[PlanStage]] = []
            for alternative in either { alternatives.append(try stages(alternative)) }
            content = .either(alternatives)
        } else if let allOf = stage.allOf {
            content = .allOf(try stages(allOf))
        } else {
            let condition = try condition(stage.where, stage.name)
            content = .event(capture: try capture(stage.name), conditions: condition.map { [$0] } ?? [])
        }
        let isNegation = stage.contiguity == .notNext || stage.contiguity == .notFollowedBy
        if isNegation, stage.quantifier?.isLoop == true { throw .quantifiedNegation(stage: stage.name) }
        return PlanStage(
            name: stage.name,
            contiguity: stage.contiguity,
            content: content,
            quantifier: try stage.quantifier?.quantifier(of: stage.name) ?? PlanQuantifier(),
            until: try condition(stage.until, stage.name),
            gap: stage.gapNanoseconds
        )
    }

    private func capture(_ name: String) throws(PatternError) -> Int {
        guard let capture = names.firstIndex(of: name) else { throw .unknownStage(name) }
        return capture
    }

    /// What must not have come before the first event.
    mutating func quiet(_ definition: PatternDefinition) throws(PatternError) -> PlanQuiet? {
        guard let given = definition.notPreceded else {
            return definition.once == true ? PlanQuiet(condition: nil, duration: .max) : nil
        }
        guard definition.once != true else { throw .invalidQuiet(reason: "does not go with 'once'; leave out one") }
        let condition = try condition(given.where, "notPreceded")
        guard let condition, conditions[condition].isUnary else {
            throw .invalidQuiet(reason: "looks at the event alone; leave out what was captured")
        }
        return PlanQuiet(condition: condition, duration: given.withinNanoseconds)
    }

    func afterMatch(_ skip: SkipDefinition?) throws(PatternError) -> AfterMatch {
        guard let skip else { return .noSkip }
        switch skip.strategy {
        case .noSkip: return .noSkip
        case .skipToNext: return .skipToNext
        case .skipPastLast: return .skipPastLast
        case .skipToFirst:
            return .skipToFirst(capture: try capture(skip.stage ?? ""), failsOnMiss: skip.failsOnMiss ?? false)
        case .skipToLast:
            return .skipToLast(capture: try capture(skip.stage ?? ""), failsOnMiss: skip.failsOnMiss ?? false)
        }
    }

    func key(_ tree: ExpressionTree?) throws(PatternError) -> (@Sendable (borrowing Element) -> FieldValue)? {
        guard let tree else { return nil }
        let operand = try operand(of: tree, "groupedBy")
        return { element in operand.value(of: element) }
    }

    /// The value of an expression on one event.
    private func operand(of tree: ExpressionTree, _ stage: String) throws(PatternError) -> CapturedOperand<Element> {
        // A comparison with a captured value is the way to a value of any type.
        let comparison = ExpressionTree.operation(.isPresent, [.captured(CapturedValue(tree, of: stage))])
        do {
            return try schema.capturingCondition(comparison).captured[0]
        } catch {
            throw .invalidCondition(stage: stage, error)
        }
    }

    // MARK: Conditions

    private mutating func condition(_ tree: ExpressionTree?, _ stage: String) throws(PatternError) -> ConditionID? {
        guard let tree else { return nil }
        if let id = known[tree] { return id }
        let condition: RuntimeCapturingCondition<Element>
        do {
            condition = try schema.capturingCondition(tree)
        } catch {
            throw .invalidCondition(stage: stage, error)
        }
        if condition.captured.isEmpty {
            do {
                let unary = try schema.condition(tree)
                table.append { unary.value(of: $0) }
            } catch {
                throw .invalidCondition(stage: stage, error)
            }
            conditions.append(PlanCondition(captures: [], text: "\(tree)"))
        } else {
            try appendContextual(condition, tree)
        }
        known[tree] = conditions.count - 1
        return conditions.count - 1
    }

    private mutating func appendContextual(
        _ condition: RuntimeCapturingCondition<Element>,
        _ tree: ExpressionTree
    ) throws(PatternError) {
        var sources: [Source] = []
        var captures: [Int] = []
        for operand in condition.captured {
            switch operand.kind {
            case .value(let stage, let pick):
                let capture = try capture(stage)
                captures.append(capture)
                sources.append(.value(operand, capture, isFirst: pick == .first))
            case .summary(let function, let stage, let includesCurrent):
                let capture = try capture(stage)
                captures.append(capture)
                sources.append(.summary(operand, summary(operand, capture), function, includesCurrent))
            }
        }
        let operands = sources
        table.append(contextual: { element, captures in
            condition.holds(for: copy element, given: operands.map { $0.value(element, captures) })
        })
        conditions.append(PlanCondition(captures: Array(Set(captures)).sorted(), text: "\(tree)"))
    }

    /// Declares what is summed up along partial matches, and returns its number.
    private mutating func summary(_ operand: CapturedOperand<Element>, _ capture: Int) -> Int {
        table.aggregates.append(PlanAggregate(capture: capture) { operand.value(of: $0) })
        return table.aggregates.count - 1
    }

    /// Where a value comes from that a condition compares with.
    private enum Source: Sendable {
        case value(CapturedOperand<Element>, Int, isFirst: Bool)
        case summary(CapturedOperand<Element>, Int, CapturedSummary.Function, Bool)

        func value(_ element: borrowing Element, _ captures: borrowing Captures<Element>) -> FieldValue {
            switch self {
            case .value(let operand, let capture, let isFirst):
                let picked = isFirst ? captures.first(capture) : captures.last(capture)
                return picked.map { operand.value(of: $0) } ?? .missing
            case .summary(let operand, let index, let function, let includesCurrent):
                let state = captures.summary(index)
                return (includesCurrent ? state.adding(operand.value(of: element)) : state).result(function)
            }
        }
    }
}
