public import WeirExpressions

/// One of several things that can match at a stage.
///
///     let settled = Pattern<Order>
///         .first { $0.kind == .order }
///         .followedBy(
///             either: .event { $0.kind == .refund },
///             .stages(Pattern<Order>.first { $0.kind == .retry }.next { $0.kind == .end })
///         )
public struct Alternative<Element: Sendable>: Sendable {
    let draft: PatternDraft<Element>

    private init(_ draft: PatternDraft<Element>) {
        self.draft = draft
    }

    /// An event that satisfies a condition.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - condition: Takes the event.
    /// - Returns: The alternative.
    public static func event(
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> Alternative {
        var draft = PatternDraft<Element>()
        _ = draft.append(name, .first, .unary(condition))
        return Alternative(draft)
    }

    /// An event that satisfies a typed expression.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - condition: The expression.
    /// - Returns: The alternative.
    public static func event<Condition: ElementExpression>(
        named name: String? = nil,
        _ condition: Condition
    ) -> Alternative where Condition.Root == Element, Condition.Value == Bool {
        var draft = PatternDraft<Element>()
        _ = draft.append(name, .first, .expression(condition))
        return Alternative(draft)
    }

    /// An event that satisfies an expression that looks at captures.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: The alternative.
    public static func event(
        named name: String? = nil,
        _ condition: StageCondition<Element>
    ) -> Alternative {
        var draft = PatternDraft<Element>()
        _ = draft.append(name, .first, condition)
        return Alternative(draft)
    }

    /// The stages of a pattern, one after the other.
    ///
    /// - Parameter pattern: The stages; what else the pattern says is not looked at.
    /// - Returns: The alternative.
    public static func stages<Captured: Sendable>(_ pattern: StagedPattern<Element, Captured>) -> Alternative {
        Alternative(pattern.draft)
    }

    /// All alternatives in one draft, and how to take them apart again.
    @usableFromInline
    static func joined(
        _ alternatives: [Alternative]
    ) -> (draft: PatternDraft<Element>, content: ([PlanStage]) -> PlanStage.Content) {
        var draft = PatternDraft<Element>()
        var counts: [Int] = []
        for alternative in alternatives {
            let stages = draft.absorb(alternative.draft).stages
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
}

extension PatternDraft {
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
