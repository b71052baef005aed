internal import WeirCore
internal import WeirRecords

/// The words of a command line, sorted into options and the rest.
struct Arguments {
    /// What was given, by name without the dashes; the empty text for options that take no value.
    private(set) var options: [String: String] = [:]

    /// The words that are neither options nor their values.
    private(set) var places: [String] = []

    /// Sorts the words: `--name value`, `--name=value`, and after `--` no options any more.
    ///
    /// - Throws: ``HostError`` for options that there are not, that lack a value, or that come twice.
    init(
        _ words: [String],
        _ accepted: [AcceptedOption],
        topic: String
    ) throws(HostError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                places += rest
                return
            }
            guard word.hasPrefix("-"), word.count > 1 else {
                places.append(word)
                continue
            }
            let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
            guard let option = accepted.first(where: { $0.name == name }), word.hasPrefix("--") else {
                throw .usage(
                    "there is no option '\(word.prefix { $0 != "=" })'"
                        + Suggestion.text(
                            for: name,
                            among: accepted.map(\.name),
                            prefix: "--",
                            otherwise: "'weir \(topic) --help' lists them"
                        )
                )
            }
            var value = word.contains("=") ? String(word.drop { $0 != "=" }.dropFirst()) : nil
            if option.takesValue, value == nil, let next = rest.first, !next.hasPrefix("--") {
                value = rest.popFirst()
            }
            switch (option.takesValue, value) {
            case (true, nil), (true, ""?):
                throw .usage("--\(name) lacks its value; 'weir \(option.topic ?? topic) --help' explains it")
            case (false, let value?): throw .usage("--\(name) takes no value, so '\(value)' means nothing")
            default: break
            }
            if let before = options[name] {
                guard option.isRepeatable else { throw .usage("--\(name) is given twice; give it once") }
                value = before + "\n" + (value ?? "")
            }
            options[name] = value ?? ""
        }
    }

    /// Sorts the words of a command that takes no plugin.
    init(_ words: [String], of command: any Command.Type) throws(HostError) {
        try self.init(words, (command.options + [.showHelp]).map { AcceptedOption($0) }, topic: command.name)
    }
}
