public import WeirQueries
public import WeirRecords

/// The Event Query Language, as Elasticsearch documents it.
///
/// A query is a condition on one event, a sequence of events, or a sample of events that share values:
///
/// ```text
/// process where name : "cmd.exe" and not user in ("admin", "root")
/// sequence by user with maxspan=5m [login where not ok] with runs=5 [login where ok]
/// sample by host [alert where severity > 3] [process where true]
/// ```
///
/// Names of functions are found in any case. These are extensions: comparisons of fields with fields, and the pipes
/// `count`, `unique` and `sort`.
///
///     import WeirRecords
///
///     let plan = try EQL().compile(#"login where outcome == "failure""#, against: QuerySchema())
///
/// Thread safety: a value.
public struct EQL: QueryLanguage {
    public let name = "eql"
    public let summary = "the Event Query Language of Elasticsearch"
    public let fileEndings = ["eql"]

    /// Creates the language.
    public init() {}

    /// Compiles a query.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - schema: What is known of the records. The types of other fields follow from what they are compared with.
    /// - Returns: The plan.
    /// - Throws: The first mistake, with its place.
    /// - Complexity: O(*n*) in the length of the text.
    public func compile(_ text: String, against schema: QuerySchema) throws(QueryError) -> QueryPlan {
        let tree = try Parser.tree(of: text)
        var resolver = Resolver(text, against: schema)
        return try resolver.plan(of: tree)
    }
}
