internal import WeirCore
internal import WeirRecords

/// A situation as it was written, with its name.
struct RuleText: Sendable, Hashable {
    let name: String
    var summary = ""
    var severity: String?

    let text: String

    /// How many lines are before it in its file.
    var linesBefore = 0

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
            message: "\(place)\(linesBefore + error.line):\(error.column): \(error.message)",
            excerpt: "\(error.excerpt)\n\(error.caret)",
            rule: name
        )
    }

    /// Why it cannot be used, where that is not in its text.
    func flaw(_ message: String) -> RuleFlaw {
        let line = linesBefore + 1 + text.utf8.prefix { $0 == UInt8(ascii: "\n") }.count
        return RuleFlaw(message: "\(place)\(line):1: \(message)", excerpt: "")
    }
}

/// Why a rule cannot be used.
struct RuleFlaw: Sendable, Hashable {
    /// One line with the place.
    let message: String

    /// The line of the text, and one with a mark below the place; empty where the place says it all.
    let excerpt: String

    /// The name of the rule; `nil` where that is not known, or another rule has it.
    var rule: String?

    /// The file of a folder of which no rule can be read.
    var file: String?
}

/// The rules of a pipeline, and those that cannot be used whatever they say.
struct RuleTexts: Sendable, Hashable {
    /// The name of the language that all are in.
    let language: String

    private(set) var rules: [RuleText] = []
    private(set) var flaws: [RuleFlaw]

    /// Makes a rule of a query.
    init(query: String, language: String) {
        self.language = language
        flaws = []
        rules = [RuleText(name: RuleText.nameOfQuery, text: query)]
    }

    /// Makes rules of texts that were read from files.
    ///
    /// A match says by the name of its rule what it is, so of several with one name the first is used.
    ///
    /// - Parameters:
    ///   - texts: The rules.
    ///   - flaws: Why others cannot be used.
    ///   - language: The name of the language.
    init(_ texts: [RuleText], flaws: [RuleFlaw] = [], language: String) {
        self.language = language
        self.flaws = flaws
        var places: [String: String] = [:]
        for rule in texts {
            if let other = places[rule.name] {
                let mend = "write '// name: OTHER' before this one"
                self.flaws.append(rule.flaw("there is a rule '\(rule.name)' in \(other) already; \(mend)"))
            } else {
                places[rule.name] = rule.file.map { "'\($0)'" } ?? "the test"
                rules.append(rule)
            }
        }
    }

    /// Goes on with rules from before in the place of those that have a mistake now.
    ///
    /// - Parameters:
    ///   - before: The rules until now.
    ///   - flawsBefore: Why some of these could not be used.
    ///   - flaws: Why some of the present ones cannot be used.
    /// - Returns: The names of the rules that go on as they were.
    mutating func goOn(with before: RuleTexts, _ flawsBefore: [RuleFlaw], insteadOf flaws: [RuleFlaw]) -> [String] {
        let useless = Set(flawsBefore.compactMap(\.rule))
        let files = Set(flaws.compactMap(\.file))
        let flawed = Dictionary(flaws.compactMap { flaw in flaw.rule.map { ($0, flaw) } }) { first, _ in first }
        let places = Dictionary(rules.enumerated().map { ($1.name, $0) }) { first, _ in first }
        var kept: [String] = []
        for rule in before.rules where !useless.contains(rule.name) {
            if let flaw = flawed[rule.name], let place = places[rule.name] {
                rules[place] = rule
                // The rule of this name can be used.
                self.flaws.append(RuleFlaw(message: flaw.message, excerpt: flaw.excerpt))
                kept.append(rule.name)
            }
        }
        for (index, rule) in before.rules.enumerated() where !useless.contains(rule.name) {
            guard let file = rule.file, files.contains(file), places[rule.name] == nil else { continue }
            rules.insert(rule, at: min(index, rules.count))
            kept.append(rule.name)
        }
        return kept
    }

    /// The files that the rules are from.
    var files: [String] { Set(rules.compactMap(\.file)).sorted() }
}
