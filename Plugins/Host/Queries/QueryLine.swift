internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// What follows `match` on a command line.
struct QueryLine {
    let language: any QueryLanguage

    /// The options that it may have.
    let accepted: [AcceptedOption]

    private let words: [String]

    /// Looks for the language, which has options of its own.
    ///
    /// - Throws: ``HostError`` for a language that there is not.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        self.words = words
        func value(of option: OptionDeclaration) -> String? {
            let option = "--\(option.name)"
            if let word = words.first(where: { $0.hasPrefix(option + "=") }) {
                return String(word.dropFirst(option.count + 1))
            }
            guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
            return words[index + 1]
        }
        language = try registry.language(named: value(of: .language), forFile: value(of: .rules))
        accepted = Self.accepted(language)
    }

    /// The options that a pipeline with rules may have.
    static func accepted(_ language: any QueryLanguage) -> [AcceptedOption] {
        QueryOptions.all.map { AcceptedOption($0) }
            + language.options.map { AcceptedOption(ofPlugin: $0, as: $0.name) }
            + RunOptions.all.map { AcceptedOption($0) }
    }

    /// The rules, and the inputs that follow the query.
    ///
    /// - Throws: ``HostError`` where there are none.
    func rules(_ arguments: Arguments) throws(HostError) -> (rules: RuleTexts, places: [String]) {
        let paths = arguments.options.values(.rules)
        guard paths.isEmpty else { return (try RuleFile.texts(at: paths, language), arguments.places) }
        guard let query = arguments.places.first else {
            throw .usage(
                "state what to look for, such as 'weir match \"any where status >= 500\" access.jsonl', or name a file "
                    + "with --rules"
            )
        }
        if arguments.places.count == 1, FileSystem.exists(query) {
            throw .usage("'\(query)' is a file; state what to look for before it, such as 'any where status >= 500'")
        }
        return (RuleTexts(query: query, language: language.name), Array(arguments.places.dropFirst()))
    }
}

extension Registry {
    /// The language of a name, or else the one whose files have the ending of a path.
    ///
    /// - Throws: ``HostError`` where there is none of that name.
    func language(named name: String?, forFile path: String?) throws(HostError) -> any QueryLanguage {
        let ofFile = languages.first { language in
            language.fileEndings.contains { path?.hasSuffix(".\($0)") ?? false }
        }
        return try requiredLanguage(named: name ?? ofFile?.name ?? QueryOptions.usualLanguage)
    }
}
