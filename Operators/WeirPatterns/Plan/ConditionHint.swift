/// What is known of an expression on an event, for conditions that many patterns share.
@usableFromInline
struct ConditionHint<Element: Sendable>: Sendable {
    /// Equal for conditions that are the same.
    let identity: AnyIdentity

    /// An equality of a field and a constant without which the condition can not hold.
    let equality: (any FieldEquality<Element>)?

    @usableFromInline
    init(_ condition: any Hashable & Sendable) {
        identity = AnyIdentity(condition)
        equality = Self.equality(in: condition)
    }

    private static func equality(in condition: Any) -> (any FieldEquality<Element>)? {
        if let equality = condition as? any FieldEquality<Element> { return equality }
        guard let conjunction = condition as? any Conjunction else { return nil }
        return equality(in: conjunction.first) ?? equality(in: conjunction.second)
    }
}
