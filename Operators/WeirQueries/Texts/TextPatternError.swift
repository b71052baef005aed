/// Why a text is no pattern.
///
/// Thread safety: a value.
public struct TextPatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where in the pattern: in UTF-8 bytes from its start.
    public var offset: Int

    /// What is wrong, and what to write instead: lower case, without a full stop.
    public var message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: What is wrong, and what to write instead: lower case, without a full stop.
    ///   - offset: Where in the pattern: in UTF-8 bytes from its start.
    public init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    public var description: String { message }
}
