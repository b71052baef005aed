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
        case .bash: bash(registry)
        case .zsh: "#compdef weir\nautoload -U +X bashcompinit && bashcompinit\n" + bash(registry)
        case .fish: fish(registry)
        }
    }

    private func options(of plugin: any Plugin) -> [String] {
        (plugin.options.map(\.name) + HostOption.allCases.map(\.rawValue)).map { "--\($0)" }
    }

    private func bash(_ registry: Registry) -> String {
        let plugins = registry.plugins.map(\.name).joined(separator: " ")
        let cases = registry.plugins.map { "    \($0.name)) words=\"\(options(of: $0).joined(separator: " "))\" ;;" }
        let host = HostOption.allCases.map { "--\($0.rawValue)" }.joined(separator: " ")
        let choices = registry.plugins.flatMap(\.options).compactMap { option -> String? in
            guard case .choice(let words) = option.kind else { return nil }
            return
                "    --\(option.name)) COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$cur\")); return ;;"
        }
        return """
            _weir() {
              local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words=""
              case "$prev" in
                --format) COMPREPLY=($(compgen -W "\(registry.formats.map(\.name).joined(separator: " ")) mermaid dot svg json text" -- "$cur")); return ;;
            \(choices.joined(separator: "\n"))
              esac
              if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(Self.commands.joined(separator: " ")) --help --version" -- "$cur")); return
              fi
              if [ "$COMP_CWORD" -eq 2 ]; then
                case "${COMP_WORDS[1]}" in
                  run|validate|graph|bench|report) words="\(plugins) --config" ;;
                  list) words="\(Listing.Kind.allCases.map(\.rawValue).joined(separator: " "))" ;;
                  completion) words="bash zsh fish" ;;
                  create) words="plugin" ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur")); return
              fi
              case "${COMP_WORDS[2]}" in
            \(cases.joined(separator: "\n"))
                *) words="\(host)" ;;
              esac
              case "$cur" in
                -*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
                *) COMPREPLY=($(compgen -f -- "$cur")) ;;
              esac
            }
            complete -o filenames -F _weir weir

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
        ]
        for plugin in registry.plugins {
            lines.append(
                "complete -c weir -n '__fish_seen_subcommand_from run validate graph bench report' -a \(plugin.name) -d \(quoted(plugin.summary))"
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
                "complete -c weir -n '__fish_seen_subcommand_from run' -l \(option.rawValue)\(option.placeholder == nil ? "" : " -r") -d \(quoted(option.meaning))"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
