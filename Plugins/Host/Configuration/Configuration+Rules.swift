internal import WeirFormats
internal import WeirRecords

extension Configuration {
    /// What a pipeline runs.
    struct Work {
        var plugins: [String] = []
        var rules: RuleTexts?

        /// The options that it may have.
        let accepted: [AcceptedOption]

        /// What lists them.
        let help: String
    }

    /// The members that say what a pipeline runs.
    static let workNames = ["plugin", "plugins", OptionDeclaration.match.name, OptionDeclaration.rules.name]

    /// Reads what a pipeline runs.
    ///
    /// - Parameters:
    ///   - node: The value of the member that says it.
    ///   - name: The name of that member.
    ///   - members: The other members.
    ///   - file: The path of the configuration.
    ///   - registry: What there is.
    /// - Returns: What it runs.
    /// - Throws: ``HostError`` with the place of what cannot be understood.
    static func work(
        _ node: JSONNode,
        of name: String,
        besides members: [JSONNode.Member],
        _ file: String,
        _ registry: Registry
    ) throws(HostError) -> Work {
        do throws(HostError) {
            switch name {
            case OptionDeclaration.match.name:
                guard case .text(let query) = node.value else {
                    throw error("'\(name)' is a text, not \(node.value.kind)", file, node.place)
                }
                let language = try language(of: members, rules: nil, file, registry)
                return Work(
                    rules: RuleTexts(query: query, language: language.name),
                    accepted: QueryLine.accepted(language),
                    help: "match"
                )
            case OptionDeclaration.rules.name:
                let paths = try texts(node, file, of: name)
                let language = try language(of: members, rules: paths.first, file, registry)
                return Work(
                    rules: try RuleFile.texts(at: paths, language),
                    accepted: QueryLine.accepted(language),
                    help: "match"
                )
            default:
                let words = try texts(node, file, of: name)
                guard !words.isEmpty else { throw error("there is no plugin in the list", file, node.place) }
                let accepted = RunRequest.accepted(try RunRequest.plugins(words, registry))
                return Work(plugins: words, accepted: accepted, help: "run \(words[0])")
            }
        } catch {
            guard error.exitCode == .usage || error.exitCode == .noInput else { throw error }
            let message = error.message.hasPrefix("--") ? String(error.message.dropFirst(2)) : error.message
            throw Self.error(message, file, node.place)
        }
    }

    private static func language(
        of members: [JSONNode.Member],
        rules path: String?,
        _ file: String,
        _ registry: Registry
    ) throws(HostError) -> any QueryLanguage {
        let member = members.first { $0.name == OptionDeclaration.language.name }
        let name = try member.map { member throws(HostError) in try texts(member.value, file, of: member.name).first }
        return try registry.language(named: name ?? nil, forFile: path)
    }
}
