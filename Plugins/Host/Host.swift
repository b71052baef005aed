internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Does what the command line says.
struct Host {
    private let console = Console()

    /// Runs the program.
    ///
    /// - Returns: How it ended.
    func run(_ arguments: [String]) -> ExitCode {
        do throws(HostError) {
            let interruption = InterruptSignal.interruption
            let context = CommandContext(
                registry: try Registry.builtIn(interruption: interruption),
                console: console,
                interruption: interruption
            )
            guard let name = arguments.first else {
                console.write(HelpCommand.overview)
                return .usage
            }
            let words = Array(arguments.dropFirst())
            switch name {
            case "--version": return try context.show("weir \(Version.text)\n")
            case "--help", "-h": return try context.show(HelpCommand.overview)
            default:
                guard let command = Commands.named(name) else { throw unknown(name) }
                if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
                    return try context.show(try command.page(for: words, context.registry).text(isLong: false))
                }
                return try command.init(words, context.registry).run(context)
            }
        } catch {
            console.write(error)
            return error.exitCode
        }
    }

    private func unknown(_ name: String) -> HostError {
        let isOption = name.hasPrefix("-")
        return .usage(
            "there is no \(isOption ? "option" : "command") '\(name)'"
                + Suggestion.text(
                    for: name,
                    among: isOption ? ["--help", "--version"] : Commands.all.map { $0.name },
                    otherwise: "'weir --help' explains what there is"
                )
        )
    }
}

extension CommandContext {
    /// Writes to standard output what was asked for.
    func show(_ text: String) throws(HostError) -> ExitCode {
        do throws(TransportError) {
            let output = try StandardOutput().openSink("")
            // Names and texts of libraries, options and programs that are asked are in it.
            let sink = StandardStream.output.isTerminal ? TerminalSink(output) : output
            try sink.write(Array(text.utf8))
            try sink.finish()
        } catch .closed {
            return .done
        } catch {
            throw HostError(.outputFailed, "\(error)")
        }
        return .done
    }
}
