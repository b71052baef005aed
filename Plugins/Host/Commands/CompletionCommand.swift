internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// Writes what a shell needs to complete command lines: `weir completion`.
struct CompletionCommand: Command {
    static let name = "completion"
    static let operands = "SHELL"
    static let summary = "Complete command lines in bash, zsh or fish"
    static let examples: [HelpPage.Example] = [
        ("weir completion bash > ~/.local/share/bash-completion/completions/weir", ""),
        ("weir completion zsh > ~/.zfunc/_weir", ""),
        ("weir completion fish > ~/.config/fish/completions/weir.fish", ""),
    ]
    static let usage = ["weir completion bash|zsh|fish"]
    static let firstWords = Shell.allCases.map(\.rawValue)

    private enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    private let shell: Shell

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        let names = Self.firstWords.joined(separator: ", ")
        guard let word = arguments.places.first, arguments.places.count == 1 else {
            throw .usage("name one shell: \(names)")
        }
        guard let shell = Shell(rawValue: word) else {
            throw .usage(
                "there is no completion for '\(word)'"
                    + Suggestion.text(for: word, among: Self.firstWords, otherwise: "there is \(names)")
            )
        }
        self.shell = shell
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let script = Script(context.registry)
        switch shell {
        case .bash: return try context.show(script.bash + "complete -o filenames -F _weir_words weir\n")
        case .zsh: return try context.show(script.zsh)
        case .fish: return try context.show(script.fish)
        }
    }
}

/// The scripts for shells, made from the table of commands.
private struct Script {
    private let registry: Registry

    init(_ registry: Registry) {
        self.registry = registry
    }

    private var pluginNames: String { words(registry.plugins.map(\.name)) }
    private var pluginCommands: [any Command.Type] { Commands.all.filter { $0.pluginOptions != nil } }

    private func words(_ words: [String]) -> String { words.joined(separator: " ") }

    private func words(_ options: [OptionDeclaration]) -> String { words(options.map { "--\($0.name)" }) }

    /// All options of a command, its own before those that come with a plugin.
    private func options(of command: any Command.Type) -> [OptionDeclaration] {
        var names: Set<String> = []
        return (command.options + (command.pluginOptions ?? []) + [.showHelp]).filter { names.insert($0.name).inserted }
    }

    /// What the value of an option can be, where that is one of a few words.
    private func values(of option: OptionDeclaration) -> [String] {
        switch option.kind {
        case .choice(let words): words
        case .text("FORMAT"): registry.formats.map(\.name)
        case .text("FRAMING"): Framing.allCases.map(\.rawValue)
        case .text("SPEED"): ["1x", "10x", "max"]
        case .text("LANGUAGE"): registry.languages.map(\.name)
        case .text("STYLE"): ["json", "pretty", "csv", "csv:safe"]
        default: []
        }
    }

    var bash: String {
        var valueCases: [String] = []
        func add(_ pattern: String, _ option: OptionDeclaration) {
            let values = values(of: option)
            guard !values.isEmpty else { return }
            valueCases.append(
                "    \(pattern)\" --\(option.name)\") COMPREPLY=($(compgen -W \"\(words(values))\" -- \"$cur\")); return ;;"
            )
        }
        for command in Commands.all { for option in options(of: command) { add("\"\(command.name)\"", option) } }
        for plugin in registry.plugins { for option in plugin.options { add("*", option) } }
        let firstCases = Commands.all.filter { !$0.firstWords.isEmpty }
            .map { "    \"2 \($0.name)\") words=\"\(words($0.firstWords))\" ;;" }
        let pluginCases = registry.plugins.map { "        \($0.name)) words=\"\(words($0.options))\" ;;" }
        let optionCases = Commands.all.map { command in
            let all = options(of: command)
            // In the place of a plugin only what is about the program.
            let early = command.pluginOptions == nil ? all : all.filter { !RunOptions.names.contains($0.name) }
            return "    \"\(command.name) 2\") words=\"$words "
                + words(command.pluginOptions == nil ? early : early + RunOptions.ofProgram)
                + "\" ;;\n    \"\(command.name) \"*) words=\"$words \(words(all))\" ;;"
        }
        return """
            _weir_words() {
              local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words=""
              case "${COMP_WORDS[1]} $prev" in
            \(valueCases.joined(separator: "\n"))
              esac
              if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(words(Commands.all.map { $0.name })) --help --version" -- "$cur")); return
              fi
              case "$COMP_CWORD ${COMP_WORDS[1]}" in
            \(firstCases.joined(separator: "\n"))
                "3 help") words="\(pluginNames)" ;;
              esac
              case "${COMP_WORDS[1]}" in
                \(pluginCommands.map { $0.name }.joined(separator: "|")))
                  [ "$COMP_CWORD" -eq 2 ] && words="\(pluginNames)"
                  case "${COMP_WORDS[2]}" in
            \(pluginCases.joined(separator: "\n"))
                  esac ;;
              esac
              case "${COMP_WORDS[1]} $COMP_CWORD" in
            \(optionCases.joined(separator: "\n"))
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
    var zsh: String {
        """
        #compdef weir
        autoload -U +X bashcompinit && bashcompinit
        \(bash)if [ "$funcstack[1]" = "_weir" ]; then
          _bash_complete -o filenames -F _weir_words
        else
          complete -o filenames -F _weir_words weir
        fi

        """
    }

    var fish: String {
        func quoted(_ text: String) -> String {
            "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
        }
        func line(behind words: String, _ rest: String) -> String {
            "complete -c weir -n '__fish_seen_subcommand_from \(words)' \(rest)"
        }
        func line(_ option: OptionDeclaration, behind words: String, takesValue: Bool) -> String {
            let values = values(of: option)
            return line(
                behind: words,
                "-l \(option.name)" + (takesValue ? " -r" : "") + " -d \(quoted(option.help))"
                    + (values.isEmpty ? "" : " -f -a \(quoted(self.words(values)))")
            )
        }
        var lines = [
            "complete -c weir -n __fish_use_subcommand -f -a \(quoted(words(Commands.all.map { $0.name })))"
        ]
        for command in Commands.all {
            if !command.firstWords.isEmpty {
                lines.append(line(behind: command.name, "-f -a \(quoted(words(command.firstWords)))"))
            }
            lines += options(of: command).map { line($0, behind: command.name, takesValue: $0.kind != .flag) }
        }
        for plugin in registry.plugins {
            lines.append(
                line(behind: words(pluginCommands.map { $0.name }), "-a \(plugin.name) -d \(quoted(plugin.summary))")
            )
            lines += plugin.options.map { line($0, behind: plugin.name, takesValue: true) }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
