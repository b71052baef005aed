import WeirQueries

/// A condition of a query, or a part of one, as it was written.
struct Condition {
    /// What a part is.
    indirect enum Kind {
        case constant(QueryValue)
        case field(FieldName)
        case not(Condition)
        case negative(Condition)
        /// Two or more conditions with `and` between them.
        case all([Condition])
        /// Two or more conditions with `or` between them.
        case any([Condition])
        /// A comparison, or arithmetic.
        case binary(QueryTerm.Operation, Condition, Condition)
        /// `in`, `in~`
        case lookup(Condition, among: [Condition], ignoringCase: Bool)
        /// `:`, `like`, `like~`, `regex`, `regex~`
        case pattern(Condition, like: [Condition], syntax: TextPattern.Syntax, ignoringCase: Bool)
        case call(name: String, place: Range<Int>, [Condition], ignoringCase: Bool)
    }

    /// What it is.
    var kind: Kind

    /// Where it is, in bytes from the start of the query.
    var range: Range<Int>

    /// How many parts are in each other, at most.
    var depth = 1
}

/// The name of a field, as it was written.
struct FieldName {
    /// The name, with dots for objects in objects.
    var text: String

    /// Whether it was written with `?`.
    var isOptional: Bool

    /// Where it is, in bytes from the start of the query.
    var range: Range<Int>
}
