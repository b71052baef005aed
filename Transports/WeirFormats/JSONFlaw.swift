/// What is wrong with a line of JSON, and where.
struct JSONFlaw: Error, CustomStringConvertible {
    /// What was found to be wrong, in words that a place can follow.
    var what: StaticString

    /// The place in the line, counted in bytes from 0.
    var offset: Int

    var description: String { "\(what) at byte \(offset + 1)" }
}
