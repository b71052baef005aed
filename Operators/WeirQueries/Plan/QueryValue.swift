/// A value of a query: a constant, a field of a record, or what is computed of them.
public enum QueryValue: Sendable, Hashable {
    /// There is no value, or it is not known.
    case missing
    /// True or false.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number.
    case real(Double)
    /// A text.
    case text(String)
    /// Several values of one field, in their order; none of them is a list.
    case list([QueryValue])
}
