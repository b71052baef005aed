internal import WeirRecords

/// What partial matches people want to have explained.
struct TraceRequest {
    private static let why = OptionDeclaration(
        "why",
        .list(placeholder: "KEY"),
        help: "explain the partial matches of this key"
    )
    private static let near = OptionDeclaration(
        "near",
        .integer(1...10_000),
        help: "explain the N that came closest (default: 10)"
    )
    private static let output = OptionDeclaration(
        "output",
        .choice(["text", "json"]),
        default: "text",
        help: "how to write what is explained"
    )

    static let options = [why, near, output]

    let choice: KeyChoice
    let count: Int
    let writesText: Bool

    /// Understands the options.
    ///
    /// - Throws: `PluginError` where no rule has a key to choose.
    init(_ options: OptionValues, _ rules: [QueryRule<QueryPlan>]) throws(PluginError) {
        let texts = options.list(Self.why.name)
        choice = texts.isEmpty ? .all : KeyChoice(written: texts.map { KeyChoice.values(of: $0) })
        count = options.integerIfGiven(Self.near.name) ?? 10
        writesText = options.text(Self.output.name) == "text"
        if !texts.isEmpty, !rules.isEmpty, rules.allSatisfy({ !$0.plan.hasKeys }) {
            throw .invalidOption(
                name: Self.why.name,
                reason:
                    "the \(rules.count == 1 ? "query has" : "rules have") no key; --near N explains what came closest"
            )
        }
    }
}

extension QueryPlan {
    /// Whether events belong together by values that they share.
    var hasKeys: Bool { KeySets(self).sets.contains { !$0.isEmpty } }
}
