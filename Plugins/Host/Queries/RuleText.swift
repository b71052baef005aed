internal import WeirCore
internal import WeirRecords

/// A situation as it was written, with its name.
struct RuleText: Sendable, Hashable {
    let name: String
    var summary = ""
    var severity: String?

    /// The text; empty lines stand for what is before it in its file, so that its lines are those of the file.
    let text: String

    /// The file that it is from; `nil` for a query of a command line or a configuration.
    var file: String?

    /// The rule that a query without a name is.
    static let nameOfQuery = "query"

    /// Where something is, for messages.
    private var place: String { file.map { "\($0):" } ?? "the query, " }

    /// Whether another rule says the same, wherever it is.
    func isLike(_ other: RuleText) -> Bool {
        name == other.name && summary == other.summary && severity == other.severity
            && text.withoutOuterBlankLines == other.text.withoutOuterBlankLines
    }

    /// Why it cannot be used.
    func flaw(_ error: QueryError) -> RuleFlaw {
        RuleFlaw(
            message: "\(place)\(error.line):\(error.column): \(error.message)",
            excerpt: "\(error.excerpt)\n\(error.caret)"
        )
    }

    /// Why it cannot be used, where that is not in its text.
    func flaw(_ message: String) -> RuleFlaw {
        let line = 1 + text.utf8.prefix { $0 == UInt8(ascii: "\n") }.count
        return RuleFlaw(message: "\(place)\(line):1: \(message)", excerpt: "")
    }
}

/// Why a rule cannot be used.
struct RuleFlaw: Sendable, Hashable {
    /// One line with the place.
    let message: String

    /// The line of the text, and one with a mark below the place; empty where the place says it all.
    let excerpt: String
}

/// The rules of a pipeline, and those that cannot be used whatever they say.
struct RuleTexts: Sendable, Hashable {
    /// The name of the language that all are in.
    let language: String

    private(set) var rules: [RuleText] = []
    private(set) var flaws: [RuleFlaw] = []

    /// Makes a rule of a query.
    init(query: String, language: String) {
        self.language = language
        rules = [RuleText(name: RuleText.nameOfQuery, text: query)]
    }

    /// Makes rules of texts that were read from files.
    ///
    /// A match says by the name of its rule what it is, so of several with one name the first is used.
    init(_ texts: [RuleText], language: String) {
        self.language = language
        var places: [String: String] = [:]
        for rule in texts {
            if let other = places[rule.name] {
                let mend = "write '// name: OTHER' before this one"
                flaws.append(rule.flaw("there is a rule '\(rule.name)' in \(other) already; \(mend)"))
            } else {
                places[rule.name] = rule.file.map { "'\($0)'" } ?? "the test"
                rules.append(rule)
            }
        }
    }

    /// The files that the rules are from.
    var files: [String] { Set(rules.compactMap(\.file)).sorted() }
}
