/// A language in which people state situations as text, such as EQL.
///
/// Languages register like plugins; a host compiles the texts, and runs what comes of them as a plugin.
///
/// Thread safety: a value.
public protocol QueryLanguage: Sendable {
    /// What a text is compiled to.
    associatedtype Plan: Sendable

    /// The name that `--language` takes: lower case, without spaces.
    var name: String { get }

    /// One line for people.
    var summary: String { get }

    /// The endings of files of the language, without the dot.
    var fileEndings: [String] { get }

    /// What people should know to write in the language: lines of at most 79 columns, examples first; empty where nothing is
    /// said, which is the default.
    var guide: String { get }

    /// Compiles a text.
    ///
    /// - Parameters:
    ///   - text: The text of one situation.
    ///   - schema: What is known of the records.
    /// - Returns: The plan.
    /// - Throws: ``QueryError`` with the place in the text.
    func compile(_ text: String, against schema: QuerySchema) throws(QueryError) -> Plan

    /// Makes a plugin that looks for situations.
    ///
    /// - Parameters:
    ///   - rules: The situations, in the order in which matches of the same event are written.
    ///   - schema: What is known of the records; that with which the rules were compiled.
    /// - Returns: The plugin.
    func makePlugin(_ rules: [QueryRule<Plan>], over schema: QuerySchema) -> any Plugin
}

extension QueryLanguage {
    /// Nothing.
    public var guide: String { "" }
}

/// A situation with a name.
public struct QueryRule<Plan: Sendable>: Sendable {
    /// The name, which each match has as its first field.
    public var name: String

    /// What people should know about it; empty where nothing was said.
    public var summary: String

    /// How bad it is, in the words of its author; `nil` where nothing was said.
    public var severity: String?

    /// What to look for.
    public var plan: Plan

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - name: The name, which each match has as its first field.
    ///   - summary: What people should know about it.
    ///   - severity: How bad it is, in the words of its author.
    ///   - plan: What to look for.
    public init(name: String, summary: String = "", severity: String? = nil, plan: Plan) {
        self.name = name
        self.summary = summary
        self.severity = severity
        self.plan = plan
    }
}

/// What is known of the records that a query is about.
public struct QuerySchema: Sendable, Hashable {
    /// The type of a field.
    public enum FieldType: String, Sendable, Hashable, CaseIterable {
        /// `true` or `false`.
        case boolean
        /// A whole number of 64 bits.
        case integer
        /// A number.
        case real
        /// A text.
        case text
        /// A version such as `1.11.3`, compared part by part.
        case version
    }

    /// The fields that are known, with their types; `nil` for a type that the query tells, or else each record.
    public var fields: [String: FieldType?]

    /// Whether records may have other fields than those that are known.
    public var isOpen: Bool

    /// The fields that matches show beside those that the query names, in their order; empty where a record is shown as it
    /// came.
    public var shownFields: [String] = []

    /// The fields of which the first that a record has is its category; empty where the records have none.
    public var categoryFields: [String]

    /// The field that is the event time.
    public var timeField: String

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - fields: The fields that are known, with their types.
    ///   - isOpen: Whether records may have other fields than those that are known.
    ///   - categoryFields: The fields of which the first that a record has is its category.
    ///   - timeField: The field that is the event time.
    public init(
        fields: [String: FieldType?] = [:],
        isOpen: Bool = true,
        categoryFields: [String] = ["event.category", "event_type", "category", "type"],
        timeField: String = "time"
    ) {
        self.fields = fields
        self.isOpen = isOpen
        self.categoryFields = categoryFields
        self.timeField = timeField
    }
}

/// Why a text is no query, with the place.
///
/// Its description:
///
/// ```text
/// 1:17: expected a condition after 'where'
/// login where
///            ^
/// ```
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where in the text: in UTF-8 bytes from its start.
    public var offset: Int

    /// How many bytes the part has that is wrong; 0 where something is missing.
    public var length: Int

    /// What is wrong, and what to write instead: lower case, without a full stop.
    public var message: String

    /// The line of the place, from 1.
    public private(set) var line: Int

    /// The column of the place in characters, from 1.
    public private(set) var column: Int

    /// The text of the line; long lines are cut around the place.
    public private(set) var excerpt: String

    /// The spaces before the caret, and the caret.
    public private(set) var caret: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: What is wrong, and what to write instead: lower case, without a full stop.
    ///   - range: The part that is wrong, in UTF-8 bytes from the start of the text.
    ///   - text: The text.
    public init(_ message: String, at range: Range<Int>, of text: String) {
        self.message = message
        offset = range.lowerBound
        length = range.count
        let bytes = Array(text.utf8)
        let offset = min(range.lowerBound, bytes.count)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(of: newline) ?? bytes.count
        line = 1 + bytes[..<start].count { $0 == newline }
        let before = String(decoding: bytes[start..<offset], as: UTF8.self)
        let after = String(decoding: bytes[offset..<end], as: UTF8.self)
        column = before.count + 1
        // A caret stands below its character only where the line fits a terminal.
        let shownBefore = before.suffix(50)
        let lead = shownBefore.count < before.count ? "…" : ""
        excerpt = (lead + shownBefore + after.prefix(max(1, 78 - shownBefore.count)))
            .replacing("\t", with: " ").replacing("\r", with: "")
        let width = max(
            1,
            min(length, String(decoding: bytes[offset..<min(end, offset + length)], as: UTF8.self).count)
        )
        caret =
            String(repeating: " ", count: lead.count + shownBefore.count)
            + String(repeating: "^", count: min(width, 78))
    }

    public var description: String { "\(line):\(column): \(message)\n\(excerpt)\n\(caret)" }
}
