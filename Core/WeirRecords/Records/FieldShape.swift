/// What a field is, whatever the format: what a writer has to know besides its text.
package enum FieldShape: UInt8, Sendable {
    /// The record has no such field.
    case absent
    /// It is null.
    case null
    /// Text; in formats that do not tell text from numbers, anything.
    case text
    /// A number, `true` or `false`, where the format tells them from text.
    case bare
    /// A JSON array or object; the text is JSON.
    case nested
}
