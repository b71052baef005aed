public import WeirCore
public import WeirExpressions

/// A condition of a stage that looks at captures, made by comparing rows.
///
///     begun.followedBy.on { first, second in second.amount > 2 * first.amount && second.card == first.card }
@frozen
public struct StageCondition<Element: Sendable>: Sendable {
    // All of them must hold.
    @usableFromInline var terms: [StageTerm<Element>]

    @inlinable
    init(_ terms: [StageTerm<Element>]) {
        self.terms = terms
    }

    /// A condition on the event and the captures of a stage and of those before it.
    @inlinable
    init<Last: CaptureKind>(
        _ last: Last.Type,
        _ slots: CaptureSlots,
        _ holds: @escaping ConditionTable<Element>.Contextual
    ) {
        let captures = last.looksBack ? slots.captures : slots.captures.dropLast()
        terms = [.contextual(captures.flatMap(\.self), "", holds)]
    }

    /// The conditions on the event alone, as one, and those that look at captures, as another.
    @usableFromInline var parts: [StageTerm<Element>] {
        [terms.filter(\.isUnary), terms.filter { !$0.isUnary }].compactMap { terms in
            terms.dropFirst().reduce(terms.first) { $0?.joined($1, isAnd: true) }
        }
    }

    /// All conditions as one.
    @usableFromInline var whole: StageTerm<Element> {
        terms.dropFirst().reduce(terms[0]) { $0.joined($1, isAnd: true) }
    }

    @usableFromInline
    static func all(_ left: StageCondition, _ right: StageCondition) -> StageCondition {
        StageCondition(left.terms + right.terms)
    }

    @usableFromInline
    static func any(_ left: StageCondition, _ right: StageCondition) -> StageCondition {
        StageCondition([left.whole.joined(right.whole, isAnd: false)])
    }

    @usableFromInline
    static func not(_ condition: StageCondition) -> StageCondition {
        StageCondition([condition.whole.negated])
    }
}

/// One condition: a closure or an expression, on the event alone or with what has been captured.
@frozen
@usableFromInline
struct StageTerm<Element: Sendable>: Sendable {
    @usableFromInline
    enum Meaning: Sendable {
        case unary(ConditionTable<Element>.Unary)
        case contextual(ConditionTable<Element>.Contextual)
    }

    @usableFromInline var planned: PlanCondition
    @usableFromInline var meaning: Meaning
    @usableFromInline var keyOfEvent: (@Sendable (borrowing Element) -> UInt64)?
    @usableFromInline var keyOfCapture: (@Sendable (borrowing Element) -> UInt64)?
    // Equal expressions are one condition; closures are equal to nothing.
    @usableFromInline var identity: AnyIdentity?
    @usableFromInline var hint: ConditionHint<Element>?

    @inlinable
    init(_ planned: PlanCondition, _ meaning: Meaning) {
        self.planned = planned
        self.meaning = meaning
    }

    /// A condition on the event alone.
    @inlinable
    static func unary(_ condition: @escaping @Sendable (Element) -> Bool) -> StageTerm {
        StageTerm(PlanCondition(captures: [], text: ""), .unary { element in condition(copy element) })
    }

    /// A typed expression on the event alone.
    @inlinable
    static func expression<Condition: ElementExpression>(_ condition: Condition) -> StageTerm
    where Condition.Root == Element, Condition.Value == Bool {
        var result = StageTerm(
            PlanCondition(captures: [], text: "\(condition)"),
            .unary { element in condition.value(of: element) }
        )
        result.identity = AnyIdentity(condition)
        result.hint = ConditionHint(condition)
        return result
    }

    /// A condition on the event and some captures; if there are none, on the event alone.
    @inlinable
    static func contextual(
        _ captures: [Int],
        _ text: String,
        _ holds: @escaping ConditionTable<Element>.Contextual
    ) -> StageTerm {
        let planned = PlanCondition(captures: captures, text: text)
        guard captures.isEmpty else { return StageTerm(planned, .contextual(holds)) }
        let nothing = Captures<Element>(PathStore([]), -1, at: .distantPast)
        return StageTerm(planned, .unary { element in holds(element, nothing) })
    }

    @usableFromInline var isUnary: Bool { planned.captures.isEmpty }

    @usableFromInline
    func joined(_ other: StageTerm, isAnd: Bool) -> StageTerm {
        let (left, right) = (holds, other.holds)
        let symbol = isAnd ? "&&" : "||"
        var result = StageTerm.contextual(
            Set(planned.captures + other.planned.captures).sorted(),
            "\(operand(isAnd)) \(symbol) \(other.operand(isAnd))"
        ) { element, captures in
            left(element, captures) == isAnd ? right(element, captures) : !isAnd
        }
        if let left = identity, let right = other.identity {
            result.identity = AnyIdentity([AnyIdentity(symbol), left, right])
        }
        // Both must hold, so the equality of either is one of the whole.
        guard isAnd else { return result }
        for side in [self, other] where result.planned.equality == nil {
            result.planned.equality = side.planned.equality
            result.keyOfEvent = side.keyOfEvent
            result.keyOfCapture = side.keyOfCapture
        }
        return result
    }

    fileprivate var negated: StageTerm {
        let holds = holds
        var result = StageTerm.contextual(planned.captures, "!(\(planned.text))") { !holds($0, $1) }
        result.identity = identity.map { AnyIdentity([AnyIdentity("!"), $0]) }
        return result
    }

    private var holds: ConditionTable<Element>.Contextual {
        switch meaning {
        case .unary(let condition): { element, _ in condition(element) }
        case .contextual(let condition): condition
        }
    }

    private func operand(_ isAnd: Bool) -> String {
        isAnd && planned.text.contains(" || ") ? "(\(planned.text))" : planned.text
    }
}
