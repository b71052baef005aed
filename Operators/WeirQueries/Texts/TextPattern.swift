import WeirRecords

/// A pattern that a text matches as a whole: a wildcard or a regular expression.
///
/// Two are equal when they were written the same.
///
///     let pattern = try TextPattern("*.exe", .wildcard, ignoringCase: true)
///     pattern.matches("CMD.EXE")      // true
///
/// Upper and lower case are the same where one character becomes one other; `ß` and `SS` differ.
///
/// Thread safety: a value.
public struct TextPattern: Sendable {
    /// How a pattern is written.
    public enum Syntax: String, Sendable, Hashable {
        /// `*` for any text, `?` for one character.
        case wildcard
        /// A regular expression of Lucene.
        case regularExpression
        /// The text itself.
        case literal
    }

    /// The pattern as it was written.
    public let text: String

    /// How it is written.
    public let syntax: Syntax

    /// Whether upper and lower case are the same.
    public let ignoresCase: Bool

    /// What looks at texts.
    private let matcher: TextMatcher

    /// Creates a pattern.
    ///
    /// - Parameters:
    ///   - text: The pattern as it is written.
    ///   - syntax: How it is written.
    ///   - ignoresCase: Whether upper and lower case are the same.
    /// - Throws: Where a regular expression is none, or has more than 2,000 places at which a character is read.
    /// - Complexity: O(*n*) for wildcards. Regular expressions become a table of up to 1,000 states.
    public init(_ text: String, _ syntax: Syntax, ignoringCase ignoresCase: Bool = false) throws(TextPatternError) {
        self.text = text
        self.syntax = syntax
        self.ignoresCase = ignoresCase
        switch syntax {
        case .literal: matcher = .whole(Array(ignoresCase ? Letters.folded(text.utf8) : Array(text.utf8)))
        case .wildcard: matcher = TextMatcher(wildcard: ignoresCase ? Letters.folded(text.utf8) : Array(text.utf8))
        case .regularExpression: matcher = try TextMatcher(regularExpression: text, ignoringCase: ignoresCase)
        }
    }

    /// Whether a text matches the pattern as a whole.
    ///
    /// - Complexity: O(*n*) in the length of the text, for a given pattern.
    public func matches(_ text: String) -> Bool { text.withBytes { matches($0) } }

    /// Whether a text matches the pattern as a whole.
    ///
    /// - Parameter bytes: The text in UTF-8.
    /// - Returns: Whether it matches.
    /// - Complexity: O(*n*) in the length of the text, for a given pattern.
    public func matches(_ bytes: Span<UInt8>) -> Bool {
        guard ignoresCase else { return matcher.matches(bytes, foldingLetters: false) }
        // Letters of ASCII are folded on the way.
        guard !Letters.areASCII(bytes) else { return matcher.matches(bytes, foldingLetters: true) }
        return matcher.matches(ContiguousArray(Letters.folded(bytes)).span, foldingLetters: false)
    }
}

extension TextPattern: Hashable {
    public static func == (one: TextPattern, other: TextPattern) -> Bool {
        one.text == other.text && one.syntax == other.syntax && one.ignoresCase == other.ignoresCase
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(syntax)
        hasher.combine(ignoresCase)
    }
}
