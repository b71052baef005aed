internal import WeirCore

/// Writes what a shell needs to complete command lines: `weir completion`.
struct CompletionCommand {
    private enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    private let shell: Shell

    /// The commands.
    static let commands = [
        "run", "validate", "top", "graph", "record", "replay", "report", "bench", "convert", "list", "create",
        "completion", "doctor",
        "help",
    ]

    /// What else there is help on.
    static let furtherPages = ["options", "exit-codes", "signals"]

    static var page: String {
        """
        Writes what a shell needs to complete command lines.

        Examples:
          weir completion bash > ~/.local/share/bash-completion/completions/weir
          weir completion zsh > ~/.zfunc/_weir
          weir completion fish > ~/.config/fish/completions/weir.fish

        Usage: weir completion bash|zsh|fish

        """
    }

    /// Reads what follows `weir completion`.
    init(_ words: [String]) throws(HostError) {
        let arguments = try Arguments(words, names: [("help", false)], topic: "completion")
        let names = Shell.allCases.map(\.rawValue)
        guard let word = arguments.places.first, arguments.places.count == 1 else {
            throw .usage("name one shell: \(names.joined(separator: ", "))")
        }
        guard let shell = Shell(rawValue: word) else {
            throw .usage(
                "there is no completion for '\(word)'"
                    + Suggestion.text(for: word, among: names, otherwise: "there is \(names.joined(separator: ", "))")
            )
        }
        self.shell = shell
    }

    /// The script.
    func text(_ registry: Registry) -> String {
        switch shell {
        case .bash: bash(registry) + "complete -o filenames -F _weir_words weir\n"
        case .zsh: zsh(registry)
        case .fish: fish(registry)
        }
    }

    /// The commands that take a plugin and its options.
    private static let pluginCommands = ["run", "validate", "graph", "bench", "report"]

    /// The options that commands have for themselves.
    private static let ownOptions: [(command: String, options: [String])] = [
        ("bench", ["rounds"]), ("graph", ["format"]), ("list", ["format", "help"]), ("create", ["weir", "help"]),
        ("top", ["snapshot", "json", "metrics", "help"]), ("record", ["help"]),
        ("replay", ["speed", "to", "time", "time-unit", "format", "help"]),
        ("convert", ConvertOption.allCases.map(\.rawValue)), ("doctor", ["help"]),
    ]

    private func words(_ options: [String]) -> String { options.map { "--\($0)" }.joined(separator: " ") }

    private func options(of plugin: any Plugin) -> String {
        words(plugin.options.map(\.name) + HostOption.allCases.map(\.rawValue))
    }

    /// What an option's value can be, where that is one of a few words; a command's own comes before that of all.
    private func choices(_ registry: Registry) -> [(command: String?, option: String, words: [String])] {
        let plugins: [(String?, String, [String])] = registry.plugins.flatMap(\.options).compactMap { option in
            if case .choice(let words) = option.kind { (nil, option.name, words) } else { nil }
        }
        let formats = registry.formats.map(\.name)
        return plugins + [
            ("graph", "format", ["mermaid", "dot", "svg"]), ("list", "format", ["text", "json"]),
            ("replay", "format", ["csv", "jsonl"]), (nil, "format", formats), (nil, "to-format", formats),
            (nil, "output", ["json", "pretty", "csv"]), (nil, "framing", ["newline", "length"]),
            (nil, "to-framing", ["newline", "length"]), (nil, "speed", ["1x", "10x", "max"]),
        ]
    }

    private func bash(_ registry: Registry) -> String {
        let plugins = registry.plugins.map(\.name).joined(separator: " ")
        let pluginCases = registry.plugins.map { "        \($0.name)) words=\"\(options(of: $0))\" ;;" }
        let ownCases = Self.ownOptions.map { "    \($0.command)) words=\"$words \(words($0.options))\" ;;" }
        let choiceCases = choices(registry).map { choice in
            "    \(choice.command ?? "*")' '--\(choice.option)) COMPREPLY=($(compgen -W \"\(choice.words.joined(separator: " "))\" -- \"$cur\")); return ;;"
        }
        let pluginCommands = Self.pluginCommands.joined(separator: "|")
        return """
            _weir_words() {
              local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words=""
              case "${COMP_WORDS[1]} $prev" in
            \(choiceCases.joined(separator: "\n"))
              esac
              if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(Self.commands.joined(separator: " ")) --help --version" -- "$cur")); return
              fi
              case "$COMP_CWORD ${COMP_WORDS[1]}" in
                "2 list") words="\(Listing.Kind.allCases.map(\.rawValue).joined(separator: " "))" ;;
                "2 completion") words="\(Shell.allCases.map(\.rawValue).joined(separator: " "))" ;;
                "2 create") words="plugin" ;;
                "2 help") words="\(Self.commands.joined(separator: " ")) \(Self.furtherPages.joined(separator: " "))" ;;
                "3 help") words="\(plugins)" ;;
              esac
              case "${COMP_WORDS[1]}" in
                \(pluginCommands))
                  [ "$COMP_CWORD" -eq 2 ] && words="\(plugins)"
                  case "${COMP_WORDS[2]}" in
            \(pluginCases.joined(separator: "\n"))
                    *) words="$words \(words(HostOption.ofProgram.map(\.rawValue)))" ;;
                  esac ;;
              esac
              case "${COMP_WORDS[1]}" in
            \(ownCases.joined(separator: "\n"))
              esac
              COMPREPLY=($(compgen -W "$words" -- "$cur"))
              case "$cur" in
                -*) ;;
                *) COMPREPLY+=($(compgen -f -- "$cur")) ;;
              esac
            }

            """
    }

    /// What bash does, as zsh calls it: the file is the body of the function that zsh loads when it completes first.
    private func zsh(_ registry: Registry) -> String {
        """
        #compdef weir
        autoload -U +X bashcompinit && bashcompinit
        \(bash(registry))if [ "$funcstack[1]" = "_weir" ]; then
          _bash_complete -o filenames -F _weir_words
        else
          complete -o filenames -F _weir_words weir
        fi

        """
    }

    private func fish(_ registry: Registry) -> String {
        func quoted(_ text: String) -> String {
            "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
        }
        var lines = [
            "complete -c weir -n __fish_use_subcommand -f -a \(quoted(Self.commands.joined(separator: " ")))",
            "complete -c weir -n '__fish_seen_subcommand_from list' -f -a \(quoted(Listing.Kind.allCases.map(\.rawValue).joined(separator: " ")))",
            "complete -c weir -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'",
            "complete -c weir -n '__fish_seen_subcommand_from create' -f -a plugin",
            "complete -c weir -n '__fish_seen_subcommand_from help' -f -a \(quoted((Self.commands + Self.furtherPages).joined(separator: " ")))",
        ]
        for (command, options) in Self.ownOptions {
            lines += options.map { "complete -c weir -n '__fish_seen_subcommand_from \(command)' -l \($0)" }
        }
        for plugin in registry.plugins {
            lines.append(
                "complete -c weir -n '__fish_seen_subcommand_from \(Self.pluginCommands.joined(separator: " "))' -a \(plugin.name) -d \(quoted(plugin.summary))"
            )
            for option in plugin.options {
                var line =
                    "complete -c weir -n '__fish_seen_subcommand_from \(plugin.name)' -l \(option.name) -r -d \(quoted(option.help))"
                if case .choice(let words) = option.kind { line += " -f -a \(quoted(words.joined(separator: " ")))" }
                lines.append(line)
            }
        }
        for option in HostOption.allCases {
            lines.append(
                "complete -c weir -n '__fish_seen_subcommand_from run validate bench report' -l \(option.rawValue)\(option.placeholder == nil ? "" : " -r") -d \(quoted(option.meaning))"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
