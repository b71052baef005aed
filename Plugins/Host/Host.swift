internal import WeirCore
internal import WeirFiles

/// Does what the command line says.
struct Host {
    private let console = Console()

    /// Runs the program.
    ///
    /// - Parameter arguments: The command line without the program's name.
    /// - Returns: How it ended.
    func run(_ arguments: [String]) -> ExitCode {
        do throws(HostError) {
            let interruption = InterruptSignal.interruption
            let registry = try Registry.builtIn(interruption: interruption)
            switch try Invocation(arguments, registry) {
            case .help(let topic, let isLong): return try show(Help.text(topic, isLong: isLong, registry))
            case .version: return try show("weir \(Version.text)\n")
            case .list(let kind, let isJSON):
                return try show(isJSON ? Listing.json(kind, registry) : Listing.text(kind, registry))
            case .graph(let command): return try show(command.text)
            case .completion(let command): return try show(command.text(registry))
            case .bench(let command):
                InterruptSignal.catchFirst()
                return try show(try command.run(registry, interruption: interruption))
            case .record(let command): return try command.run(console: console)
            case .replay(let command): return try command.run(console: console, interruption: interruption)
            case .doctor(let command):
                let (text, isGood) = command.run()
                let code = try show(text)
                return isGood ? code : .inputRejected
            case .create(let command):
                console.write(try command.run())
                return .done
            case .run(let command): return try command.run(registry, console: console, interruption: interruption)
            case .top(let command):
                guard let text = try command.run(console: console) else { return .done }
                return try show(text)
            case .validate(let command): return try command.run(registry, console: console)
            case .convert(let request):
                var conversion = try ConvertCommand(request, console: console, interruption: interruption)
                return try conversion.run()
            case .nothing:
                console.write(Help.text(.weir, isLong: false, registry))
                return .usage
            }
        } catch {
            console.writeLine(error.message)
            return error.exitCode
        }
    }

    /// Writes to standard output what was asked for.
    private func show(_ text: String) throws(HostError) -> ExitCode {
        do throws(TransportError) {
            try StandardOutput().openSink("").write(Array(text.utf8).span)
        } catch .closed {
            return .done
        } catch {
            throw HostError(.outputFailed, "\(error)")
        }
        return .done
    }
}
