internal import WeirRecords

/// The fields that some plans read together, and where they are in the records.
final class QueryFields: Sendable {
    /// The fields, each name and type once.
    let fields: [QueryPlan.Field]

    /// Where each field is among these.
    private let indexes: [QueryPlan.Field: Int]

    /// Where each field is in the schema.
    let places: [Int]

    /// Where the fields are of which the first that a record has is its category.
    let categories: [Int]

    /// What is wanted of each record; the time is its first field.
    let schema: RecordSchema

    /// Collects the fields.
    ///
    /// - Parameters:
    ///   - plans: The plans.
    ///   - schema: What is known of the records.
    ///   - times: How they write their times.
    init(_ plans: [QueryPlan], over schema: QuerySchema, times: InputTimes) {
        var wanted =
            [RecordSchema.Field(schema.timeField)]
            + schema.shownFields.filter { $0 != schema.timeField }.map { RecordSchema.Field($0, isRequired: false) }
        var places = Dictionary(wanted.enumerated().map { ($1.name, $0) }) { first, _ in first }
        func place(of name: String) -> Int {
            if let place = places[name] { return place }
            wanted.append(RecordSchema.Field(name, isRequired: false))
            places[name] = wanted.count - 1
            return wanted.count - 1
        }
        var fields: [QueryPlan.Field] = []
        var indexes: [QueryPlan.Field: Int] = [:]
        for field in plans.flatMap(\.fields) {
            let field = QueryPlan.Field(field.name, type: field.type)
            guard indexes[field] == nil else { continue }
            indexes[field] = fields.count
            fields.append(field)
        }
        self.fields = fields
        self.indexes = indexes
        self.places = fields.map { place(of: $0.name) }
        categories = schema.categoryFields.map { place(of: $0) }
        // Single events are what they are, whatever came before them.
        let isOrdered = plans.contains { if case .event = $0.situation { false } else { true } }
        self.schema = RecordSchema(fields: wanted, times: times, timeField: 0, isOrdered: isOrdered)
    }

    /// Whether others are the same fields in the same places.
    func isSame(as other: QueryFields) -> Bool {
        fields == other.fields && places == other.places
            && schema.fields.map(\.name) == other.schema.fields.map(\.name)
    }

    /// The index of a field.
    func index(of field: QueryPlan.Field) -> Int? { indexes[QueryPlan.Field(field.name, type: field.type)] }

    /// A plan whose fields are these.
    func rebased(_ plan: QueryPlan) -> QueryPlan {
        let indexes = plan.fields.map { field in
            guard let index = index(of: field) else {
                preconditionFailure("the field '\(field.name)' was not collected")
            }
            return index
        }
        var plan = plan
        plan.fields = fields
        plan.situation = plan.situation.mapSteps { $0.mapFields { indexes[$0] } }
        plan.pipes = plan.pipes.map { $0.mapTerms { $0.mapFields { indexes[$0] } } }
        return plan
    }
}

extension QueryPlan.Situation {
    func mapSteps(_ transform: (QueryPlan.Step) -> QueryPlan.Step) -> Self {
        switch self {
        case .event(let step): return .event(transform(step))
        case .sample(let steps): return .sample(steps.map(transform))
        case .sequence(var sequence):
            sequence.steps = sequence.steps.map(transform)
            sequence.until = sequence.until.map(transform)
            return .sequence(sequence)
        }
    }

    /// All steps, the one that ends a sequence as the last one.
    var steps: [QueryPlan.Step] {
        switch self {
        case .event(let step): [step]
        case .sample(let steps): steps
        case .sequence(let sequence): sequence.steps + (sequence.until.map { [$0] } ?? [])
        }
    }
}

extension QueryPlan.Situation {
    /// The steps whose events a match has.
    var wantedSteps: [QueryPlan.Step] {
        if case .sequence(let sequence) = self { sequence.steps.filter { !$0.isMissing } } else { steps }
    }
}

extension QueryPlan.Step {
    func mapFields(_ index: (Int) -> Int) -> Self {
        var step = self
        step.condition = condition?.mapFields(index)
        step.keys = keys.map { QueryPlan.Key(field: index($0.field), acceptsMissing: $0.acceptsMissing) }
        return step
    }
}

extension QueryPlan.Pipe {
    func mapTerms(_ transform: (QueryTerm) -> QueryTerm) -> Self {
        switch self {
        case .head, .tail: self
        case .count(let terms): .count(terms.map(transform))
        case .unique(let terms): .unique(terms.map(transform))
        case .sort(let terms): .sort(terms.map(transform))
        }
    }

    /// What is computed of the first event of a match.
    var terms: [QueryTerm] {
        switch self {
        case .head, .tail: []
        case .count(let terms), .unique(let terms), .sort(let terms): terms
        }
    }
}
