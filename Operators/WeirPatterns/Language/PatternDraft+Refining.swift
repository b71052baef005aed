extension PatternDraft {
    /// Changes the last stage.
    @usableFromInline
    mutating func withLast(_ change: (inout PlanStage) -> Void) {
        guard let last = stages.indices.last else { preconditionFailure("a pattern that is refined has a stage") }
        change(&stages[last])
    }

    /// Asks one condition more of the event of the last stage.
    @usableFromInline
    mutating func require(_ condition: StageCondition<Element>, _ scope: StageScope<Element>? = nil) {
        take(scope)
        guard let stage = stages.last, case .event = stage.content else {
            mistake = mistake ?? .conditionOfGroup(stage: stages.last?.name ?? "")
            return
        }
        for part in condition.parts {
            let id = add(part)
            withLast { stage in
                guard case .event(let capture, let conditions) = stage.content else { return }
                if !conditions.contains(id) { stage.content = .event(capture: capture, conditions: conditions + [id]) }
            }
        }
    }

    /// Ends the loop of the last stage.
    @usableFromInline
    mutating func endLast(_ condition: StageTerm<Element>) {
        let id = add(condition)
        withLast { $0.until = id }
    }

    /// Ends the loop of the last stage.
    @usableFromInline
    mutating func endLast(_ condition: StageCondition<Element>, _ scope: StageScope<Element>) {
        take(scope)
        endLast(condition.whole)
    }

    /// Makes the last stage a loop.
    @usableFromInline
    mutating func repeatLast(_ least: Int, _ most: Int?) {
        withLast { stage in
            stage.quantifier.least = max(least, 1)
            stage.quantifier.most = most
            stage.quantifier.isOptional = stage.quantifier.isOptional || least == 0
            stage.quantifier.isCounted = true
        }
        guard least < 0 || most.map({ $0 < max(least, 1) }) ?? false, let name = stages.last?.name else { return }
        mistake = mistake ?? .invalidCount(stage: name, least: least, most: most)
    }

    /// Lets the last stage be left out.
    @usableFromInline
    mutating func makeLastOptional() {
        withLast { $0.quantifier.isOptional = true }
        guard stages.count > 1, stages[stages.count - 2].quantifier.isGreedy else { return }
        mistake = mistake ?? .optionalAfterGreedy(stage: stages[stages.count - 1].name)
    }

    private mutating func take(_ scope: StageScope<Element>?) {
        guard let scope else { return }
        table.aggregates = scope.aggregates
        aggregates = scope.known
    }

    // MARK: Several stages as one

    /// All alternatives in one draft, and how to take them apart again.
    @usableFromInline
    static func joined(
        _ alternatives: [PatternDraft]
    ) -> (draft: PatternDraft, content: ([PlanStage]) -> PlanStage.Content) {
        var draft = PatternDraft()
        var counts: [Int] = []
        for alternative in alternatives {
            let stages = draft.absorb(alternative).stages
            draft.stages += stages
            counts.append(stages.count)
        }
        return (
            draft,
            { stages in
                var rest = stages[...]
                return .either(
                    counts.map { count in
                        defer { rest = rest.dropFirst(count) }
                        return Array(rest.prefix(count))
                    }
                )
            }
        )
    }

    /// Single events, to match in any order.
    @usableFromInline
    static func anyOrder(_ conditions: [@Sendable (Element) -> Bool]) -> PatternDraft {
        var draft = PatternDraft()
        for (index, condition) in conditions.enumerated() {
            _ = draft.append(nil, index == 0 ? .first : .followedBy, .unary(condition))
        }
        return draft
    }
}
