import WeirCore
import WeirQueries
import WeirRecords

/// Makes the plan of a tree: finds fields and functions, checks types, and computes what is constant.
struct Resolver {
    /// The query, for messages.
    let text: String

    /// What is known of the records.
    let schema: QuerySchema

    /// The fields that have been named.
    var fields: [QueryPlan.Field] = []

    /// The places of the fields in ``fields``.
    var places: [String: Int] = [:]

    /// What the query takes each field for.
    var uses: [Set<ValueKind>] = []

    init(_ text: String, against schema: QuerySchema) {
        self.text = text
        self.schema = schema
    }

    /// The plan of a query.
    ///
    /// - Throws: What the records do not have, or what cannot be computed.
    mutating func plan(of tree: SyntaxTree) throws(QueryError) -> QueryPlan {
        let situation = try self.situation(tree.situation)
        var pipes: [QueryPlan.Pipe] = []
        for pipe in tree.pipes { pipes.append(try self.pipe(pipe)) }
        for index in fields.indices where fields[index].type == nil {
            fields[index].type = inferredType(of: uses[index])
        }
        return QueryPlan(fields: fields, situation: situation, pipes: pipes)
    }

    /// The type of a field of which only the uses are known: numbers are whole or not as each record shows.
    private func inferredType(of uses: Set<ValueKind>) -> QueryType? {
        switch uses {
        case [.text]: .text
        case [.condition]: .boolean
        default: nil
        }
    }

    func isDeclared(_ name: String) -> Bool { schema.fields[name] != nil }

    private mutating func situation(_ situation: SyntaxTree.Situation) throws(QueryError) -> QueryPlan.Situation {
        switch situation {
        case .event(let filter):
            return .event(try step(SyntaxTree.Step(filter: filter, range: filter.condition.range), after: []))
        case .sequence(let keys, let maxSpan, let steps, let until):
            let (resolved, last) = try self.steps(steps, until, keys: keys)
            return .sequence(QueryPlan.Sequence(resolved, until: last, maxSpan: maxSpan))
        case .sample(let keys, let steps):
            return .sample(try self.steps(steps, nil, keys: keys).steps)
        }
    }

    /// Steps that share keys, and the condition of `until`.
    private mutating func steps(
        _ steps: [SyntaxTree.Step],
        _ until: SyntaxTree.Step?,
        keys: [FieldName]
    ) throws(QueryError) -> (steps: [QueryPlan.Step], until: QueryPlan.Step?) {
        let count = steps[0].keys.count
        var resolved: [QueryPlan.Step] = []
        for step in steps + (until.map { [$0] } ?? []) {
            guard step.keys.count == count else {
                throw error(
                    "each step has as many fields after 'by' as the first, \(count), and this one has \(step.keys.count)",
                    at: step.keys.last.map { step.keys[0].range.lowerBound..<$0.range.upperBound } ?? step.range
                )
            }
            for (first, key) in zip(steps[0].keys, step.keys) { try check(key, against: first) }
            resolved.append(try self.step(step, after: keys))
        }
        return until == nil ? (resolved, nil) : (resolved.dropLast(), resolved.last)
    }

    /// Checks that two fields can have the same value.
    private func check(_ key: FieldName, against first: FieldName) throws(QueryError) {
        guard let one = declaredKind(of: first), let other = declaredKind(of: key), one != other else { return }
        throw error(
            "'\(key.text)' is \(other), and '\(first.text)' of the first step is \(one): they are never the same",
            at: key.range
        )
    }

    private func declaredKind(of name: FieldName) -> ValueKind? {
        guard case .some(.some(let type)) = schema.fields[name.text] else { return nil }
        return ValueKind(type)
    }

    private mutating func step(_ step: SyntaxTree.Step, after keys: [FieldName]) throws(QueryError) -> QueryPlan.Step {
        let hasCategories = schema.categoryFields.contains { schema.isOpen || isDeclared($0) }
        if step.filter.category != nil, !hasCategories {
            throw error("these records have no category; write 'any where ...'", at: step.filter.categoryRange)
        }
        let condition = try condition(step.filter.condition, of: "'where'")
        var resolvedKeys: [QueryPlan.Key] = []
        for key in keys + step.keys {
            resolvedKeys.append(QueryPlan.Key(field: try field(key), acceptsMissing: key.isOptional))
        }
        return QueryPlan.Step(
            category: step.filter.category,
            condition: condition == .constant(.boolean(true)) ? nil : condition,
            keys: resolvedKeys,
            runs: step.runs,
            isMissing: step.isMissing
        )
    }

    private mutating func pipe(_ pipe: SyntaxTree.Pipe) throws(QueryError) -> QueryPlan.Pipe {
        switch pipe {
        case .head(let count): .head(count)
        case .tail(let count): .tail(count)
        case .count(let terms): .count(try values(terms))
        case .unique(let terms): .unique(try values(terms))
        case .sort(let terms): .sort(try values(terms))
        }
    }

    private mutating func values(_ conditions: [Condition]) throws(QueryError) -> [QueryTerm] {
        var terms: [QueryTerm] = []
        for condition in conditions { terms.append(try value(condition).term) }
        return terms
    }

    /// The index of a field in the plan.
    mutating func field(_ name: FieldName) throws(QueryError) -> Int {
        if !schema.isOpen, !name.isOptional, !isDeclared(name.text) {
            let nearest = Suggestion.nearestNames(to: name.text, among: Array(schema.fields.keys))
            let hint =
                nearest.isEmpty
                ? "; '?\(name.text)' is a field that may be missing"
                : "; did you mean " + nearest.map { "'\($0)'" }.joined(separator: " or ") + "?"
            throw error("the records have no field '\(name.text)'\(hint)", at: name.range)
        }
        if let place = places[name.text] {
            if name.isOptional { fields[place].isOptional = true }
            return place
        }
        let type = schema.fields[name.text] ?? nil
        fields.append(QueryPlan.Field(name.text, type: type, isOptional: name.isOptional))
        uses.append([])
        places[name.text] = fields.count - 1
        return fields.count - 1
    }

    // MARK: Errors

    /// An error at a place of the query.
    func error(_ message: String, at range: Range<Int>) -> QueryError { QueryError(message, at: range, of: text) }

    /// A part of the query, as a message shows it.
    func shown(_ range: Range<Int>) -> String {
        WeirEQL.shown(String(decoding: Array(text.utf8)[range], as: UTF8.self))
    }
}
