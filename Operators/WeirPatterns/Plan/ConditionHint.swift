/// What is known of an expression on an event, for conditions that many patterns share.
@usableFromInline
struct ConditionHint<Element: Sendable>: Sendable {
    /// Equal for conditions that are the same.
    let identity: AnyIdentity

    /// An equality of a field and a constant without which the condition can not hold.
    let equality: (any FieldEquality<Element>)?

    /// A range of a field out of which the condition can not hold.
    let range: (any FieldRange<Element>)?

    /// Whether the condition holds wherever ``range`` allows.
    let isRange: Bool

    @usableFromInline
    init(_ condition: any Hashable & Sendable) {
        identity = AnyIdentity(condition)
        equality = Self.equality(in: condition)
        var ranges: [any FieldRange<Element>] = []
        let areAll = Self.collect(&ranges, in: condition)
        // Two bounds leave less than one does.
        range = ranges.first(where: \.isClosed) ?? ranges.first
        isRange = areAll && ranges.count == 1
    }

    private static func equality(in condition: Any) -> (any FieldEquality<Element>)? {
        if let equality = condition as? any FieldEquality<Element> { return equality }
        guard let conjunction = condition as? any Conjunction else { return nil }
        return equality(in: conjunction.first) ?? equality(in: conjunction.second)
    }

    /// Collects the ranges without which a condition can not hold, one for each field.
    ///
    /// - Returns: Whether the condition consists of them.
    private static func collect(_ ranges: inout [any FieldRange<Element>], in condition: Any) -> Bool {
        if let conjunction = condition as? any Conjunction {
            let areAll = collect(&ranges, in: conjunction.first)
            return collect(&ranges, in: conjunction.second) && areAll
        }
        let test = condition as? any RangeTest<Element>
        guard let range = test?.range ?? (condition as? any MirroredRangeTest<Element>)?.range else { return false }
        for known in ranges.indices {
            guard let joined = ranges[known].joined(with: range) else { continue }
            ranges[known] = joined
            return true
        }
        ranges.append(range)
        return true
    }
}
