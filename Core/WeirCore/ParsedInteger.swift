/// What became of text that should be a whole number.
package enum ParsedInteger: Equatable {
    /// The number.
    case value(Int64)
    /// The text is a number that does not fit.
    case outOfRange
    /// The text is something else.
    case malformed
}
