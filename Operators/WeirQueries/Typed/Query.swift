internal import WeirCore
internal import WeirExpressions
public import WeirRecords
public import WeirSchemas

/// A situation that was stated as text, over elements of a type.
///
///     import WeirEQL
///
///     let schema = EventSchema<Attempt>(
///         "Attempt",
///         .field("event_type", \.kind),
///         .field("user", \.user),
///         .field("succeeded", \.succeeded)
///     )
///     let guessed = try Query(
///         "sequence by user with maxspan=1m [login where not succeeded] with runs=5 [login where succeeded]",
///         in: EQL(),
///         over: schema
///     )
///     attempts.matches(of: guessed).subscribe { print($0.keys, $0.events.count) }
///
/// Thread safety: a value.
public struct Query<Root: Sendable>: Sendable {
    /// What the text was compiled to.
    public let plan: QueryPlan

    let fields: [@Sendable (Root) -> QueryValue]
    let categories: [@Sendable (Root) -> QueryValue]

    /// Compiles a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - language: The language that it is in.
    ///   - schema: The fields of the elements.
    ///   - categoryFields: The fields of which the first that an element has is its category; those that are not in the
    ///     schema are left out.
    /// - Throws: `QueryError` with the place in the text; also where the text counts matches, which are then none.
    /// - Complexity: O(*n*) in the length of the text for the languages of the package.
    public init<Language: QueryLanguage>(
        _ text: String,
        in language: Language,
        over schema: EventSchema<Root>,
        categoryFields: [String] = QuerySchema().categoryFields
    ) throws(QueryError) where Language.Plan == QueryPlan {
        let names = Set(schema.fields.map(\.name))
        let querySchema = QuerySchema(
            fields: Dictionary(uniqueKeysWithValues: schema.fields.map { ($0.name, $0.type.queryType) }),
            isOpen: false,
            categoryFields: categoryFields.filter(names.contains),
            timeField: ""
        )
        let plan = try language.compile(text, against: querySchema)
        for case .count in plan.pipes {
            throw QueryError("counts have no events, so a query over a type cannot count", at: 0..<0, of: text)
        }
        self.plan = plan
        fields = plan.fields.map { Self.reading($0.name, of: schema) }
        categories = querySchema.categoryFields.map { Self.reading($0, of: schema) }
    }

    /// Reads a field; an optional one that the schema does not have is missing.
    private static func reading(_ name: String, of schema: EventSchema<Root>) -> @Sendable (Root) -> QueryValue {
        do throws(SchemaError) {
            switch try schema.field(name).type {
            case .bool:
                let field = try schema.projection(.field(name), as: Bool?.self)
                return { field.value(of: $0).map(QueryValue.boolean) ?? .missing }
            case .integer:
                let field = try schema.projection(.field(name), as: Int64?.self)
                return { field.value(of: $0).map(QueryValue.integer) ?? .missing }
            case .unsigned:
                let field = try schema.projection(.field(name), as: UInt64?.self)
                return { element in
                    guard let number = field.value(of: element) else { return .missing }
                    return Int64(exactly: number).map(QueryValue.integer) ?? .real(Double(number))
                }
            case .real:
                let field = try schema.projection(.field(name), as: Double?.self)
                return { field.value(of: $0).map(QueryValue.real) ?? .missing }
            case .single:
                let field = try schema.projection(.field(name), as: Float?.self)
                return { field.value(of: $0).map { .real(Double($0)) } ?? .missing }
            case .text:
                let field = try schema.projection(.field(name), as: String?.self)
                return { field.value(of: $0).map(QueryValue.text) ?? .missing }
            }
        } catch {
            return { _ in .missing }
        }
    }
}

/// Events that satisfy a ``Query``.
public struct QueryMatch<Root: Sendable>: Sendable {
    /// The events, in the order of the steps; `nil` where one has to be missing.
    public let events: [Root?]

    /// The values that the events share, in the order in which the query names them.
    public let keys: [QueryValue]
}

extension QueryMatch: Equatable where Root: Equatable {}
extension QueryMatch: Hashable where Root: Hashable {}

extension QueryMatch: CustomStringConvertible {
    /// The events in the order of the steps, `-` where one has to be missing.
    public var description: String { "[\(events.map { $0.map { "\($0)" } ?? "-" }.joined(separator: ", "))]" }
}

extension WeirSchemas.FieldType {
    fileprivate var queryType: QueryType? {
        switch self {
        case .bool: .boolean
        case .integer: .integer
        case .unsigned, .real, .single: .real
        case .text: .text
        }
    }
}
