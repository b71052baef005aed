/// What a query reads of an element, and which of its conditions the element satisfies.
struct QueryReading<Root: Sendable>: Sendable {
    private let query: Query<Root>
    private let steps: [QueryPlan.Step]
    private let programs: [TermProgram?]
    private let hasCategories: Bool

    /// The values of the fields of the plan.
    private(set) var values: [QueryValue]

    /// What the first field says that decides the category, and that the element has; read where it matters.
    private(set) var category = QueryValue.missing

    /// The steps whose conditions the element satisfies.
    private(set) var satisfied = StepBits()

    init(_ query: Query<Root>) {
        self.query = query
        steps = query.plan.situation.steps
        hasCategories = steps.contains { $0.category != nil }
        programs = steps.map { $0.condition.map { TermProgram($0, over: query.plan.fields) } }
        values = Array(repeating: .missing, count: query.plan.fields.count)
    }

    /// Reads an element.
    ///
    /// - Returns: Whether it satisfies a condition.
    mutating func read(_ element: Root) -> Bool {
        for index in query.fields.indices { values[index] = query.fields[index](element) }
        if hasCategories { category = category(of: element) }
        let written = hasCategories ? category.written : nil
        satisfied = StepBits()
        for index in steps.indices where satisfies(steps[index], programs[index], written) { satisfied[index] = true }
        return !satisfied.isEmpty
    }

    private func category(of element: Root) -> QueryValue {
        for index in query.categories.indices {
            let value = query.categories[index](element)
            if !value.isMissing { return value }
        }
        return .missing
    }

    private func satisfies(_ step: QueryPlan.Step, _ program: TermProgram?, _ category: String?) -> Bool {
        if let wanted = step.category, category != wanted { return false }
        guard let program else { return true }
        return Truth(program.value(of: values)) == .yes
    }
}
