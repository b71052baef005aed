/// A line that was not understood.
public struct RejectedLine: Sendable, Hashable {
    /// The number of the line in the input, counted from 1.
    public let line: UInt64

    /// What is wrong with it.
    public let reason: String

    /// The beginning of the line, printable.
    public let excerpt: String
}
