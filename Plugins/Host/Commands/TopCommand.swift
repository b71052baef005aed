internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirSystem

/// Looks at programs that run: `weir top`.
struct TopCommand: Command {
    static let name = "top"
    static let operands = ""
    static let summary = "Watch a weir that runs"
    static let examples: [HelpPage.Example] = [
        ("weir top", ""), ("weir top --metrics", ""), ("weir top /run/user/1000/weir/4711.sock", ""),
    ]
    static let usage = ["weir top [SOCKET] [OPTIONS]"]
    static let options = [
        OptionDeclaration("snapshot", .flag, help: "show the numbers once, for people"),
        OptionDeclaration("json", .flag, help: "show the numbers once, as JSON"),
        OptionDeclaration("metrics", .flag, help: "show the numbers once, in the text format of Prometheus"),
    ]
    static let remark = """
        Without a socket it takes that of the only weir of yours that runs.

        PARTIAL is how many partial matches patterns hold. P50 and P99 are delays, from
        the reading of a batch to its matches. DROPPED is what was left out, with each
        cause below. Keys: q quit, p pause, s sort by another column.
        """

    private enum Mode {
        case live
        /// One answer, as text.
        case once(question: String)
    }

    private let path: String?
    private let mode: Mode

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        guard arguments.places.count <= 1 else { throw .usage("'weir top' looks at one program; name one socket") }
        path = arguments.places.first
        let asked = Self.options.map(\.name).filter { arguments.options[$0] != nil }
        guard asked.count <= 1 else { throw .usage("--\(asked[0]) and --\(asked[1]) exclude each other") }
        mode =
            switch asked.first {
            case "json": .once(question: "status")
            case let question?: .once(question: question)
            case nil: .live
            }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let path = if let path { path } else { try Self.onlySocket() }
        switch mode {
        case .once(let question): return try context.show(try Self.ask(path, question))
        case .live:
            guard StatusReport.read(try Self.ask(path, "status")) != nil else {
                throw HostError(.noInput, "'\(path)' does not answer like weir")
            }
            guard StandardStream.output.isTerminal, let screen = TerminalScreen() else {
                throw .usage("'weir top' needs a terminal; for once, take 'weir top --snapshot'")
            }
            InterruptSignal.catchFirst()
            let ending = LiveDisplay(screen, title: "weir top \(path)").run(
                while: { !(InterruptSignal.interruption?.isTriggered ?? false) },
                reports: { (try? ControlSocket.ask(path, "status")).flatMap(StatusReport.read) }
            )
            screen.giveBack()
            if ending == .unanswered { context.console.writeLine("'\(path)' answers no more: the program has ended") }
            return .done
        }
    }

    private static func ask(_ path: String, _ question: String) throws(HostError) -> String {
        do throws(TransportError) {
            return try ControlSocket.ask(path, question)
        } catch {
            throw HostError(.noInput, "\(error)")
        }
    }

    private static func onlySocket() throws(HostError) -> String {
        guard let folder = ControlSocket.privateFolder() else {
            throw HostError(.noInput, "there is no private folder for sockets; set XDG_RUNTIME_DIR, or name the socket")
        }
        let sockets = ControlSocket.living(in: folder)
        guard let first = sockets.first else {
            throw HostError(.noInput, "no weir of yours runs, as far as '\(folder)' tells")
        }
        guard sockets.count == 1 else {
            throw .usage("\(sockets.count) run; name one of \(sockets.joined(separator: ", "))")
        }
        return first
    }
}
