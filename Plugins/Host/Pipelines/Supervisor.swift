internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords
internal import WeirSystem

/// Runs the pipelines of a configuration, each on its own.
final class Supervisor: Sendable {
    private struct State: Sendable {
        var keepers: [PipelineKeeper] = []
        var wantsReload = false
        var wasInterrupted = false
    }

    private let path: String
    private let environment: EnvironmentOptions
    private let console: Console
    private let state = Locked(State())
    private let wake = Parker()
    private let outputs = SharedOutputs()

    /// Creates a supervisor; nothing runs yet.
    init(path: String, environment: EnvironmentOptions, console: Console) {
        self.path = path
        self.environment = environment
        self.console = console
    }

    /// How the pipelines go.
    var statuses: [PipelineStatus] { state.withLock { $0.keepers.map(\.status) } }

    /// Requests a reload of the configuration.
    func reload() {
        state.withLock { $0.wantsReload = true }
        wake.unpark()
    }

    /// Requests an orderly end of the pipelines.
    func interrupt() {
        state.withLock { $0.wasInterrupted = true }
        wake.unpark()
    }

    /// Whether a pipeline writes to standard output.
    var writesToStandardOutput: Bool {
        state.withLock { $0.keepers }.contains { keeper in
            let outputs = keeper.plan.arguments.options.values(.to)
            return outputs.isEmpty || outputs.contains("stdout") || outputs.contains("-")
        }
    }

    /// Reads the configuration, and understands all of it before anything is started.
    ///
    /// - Returns: What the pipelines are to do.
    /// - Throws: ``HostError`` when it cannot be used.
    func prepare() throws(HostError) -> [RunRequest] {
        let configuration = try Configuration(
            path: path,
            environment: environment,
            try Registry.builtIn(interruption: nil)
        )
        var requests: [RunRequest] = []
        for plan in configuration.plans { requests.append(try plan.request(try Registry.builtIn(interruption: nil))) }
        let keepers = configuration.plans.map(makeKeeper)
        state.withLock { $0.keepers = keepers }
        return requests
    }

    /// Runs until all pipelines have ended.
    ///
    /// - Returns: How the program ends: as the first pipeline did that failed, if one did.
    func run() -> ExitCode {
        for keeper in state.withLock({ $0.keepers }) { keeper.start() }
        var isStopping = false
        while true {
            let (wantsReload, wasInterrupted, keepers) = state.withLock { state in
                defer { state.wantsReload = false }
                return (state.wantsReload, state.wasInterrupted, state.keepers)
            }
            if wasInterrupted, !isStopping {
                isStopping = true
                for keeper in keepers { keeper.stop() }
            }
            if wantsReload, !isStopping { applyConfiguration() }
            let codes = state.withLock { $0.keepers.map(\.exitCode) }
            guard codes.contains(nil) else { return exitCode(of: codes.compactMap { $0 }, wasInterrupted) }
            wake.park()
        }
    }

    private func exitCode(of codes: [ExitCode], _ wasInterrupted: Bool) -> ExitCode {
        if wasInterrupted { return .interrupted }
        return codes.first { ![.done, .inputRejected, .allRejected, .interrupted].contains($0) }
            ?? codes.first { $0 == .inputRejected || $0 == .allRejected } ?? .done
    }

    private func makeKeeper(_ plan: Configuration.Plan) -> PipelineKeeper {
        PipelineKeeper(
            plan,
            PipelineKeeper.Context(console: console, outputs: outputs) { [wake] in wake.unpark() }
        )
    }

    /// Reads the configuration again, and replaces what changed; where it cannot be used, all goes on as before.
    private func applyConfiguration() {
        do throws(HostError) {
            let registry = try Registry.builtIn(interruption: nil)
            let configuration = try Configuration(path: path, environment: environment, registry)
            for plan in configuration.plans { _ = try plan.request(registry) }
            let before = state.withLock { $0.keepers }
            // All of it, before anything is touched.
            var replacements: [String: PipelineKeeper.Change] = [:]
            for plan in configuration.plans {
                guard let keeper = before.first(where: { $0.name == plan.name }),
                    keeper.isEnding || keeper.plan.arguments != plan.arguments
                else { continue }
                replacements[plan.name] = try keeper.change(to: plan)
            }
            var changes: [String] = []
            for keeper in before
            where !keeper.isEnding && !configuration.plans.contains(where: { $0.name == keeper.name }) {
                keeper.stop()
                changes.append("'\(keeper.name)' ends")
            }
            for plan in configuration.plans {
                if let keeper = before.first(where: { $0.name == plan.name }) {
                    guard let change = replacements[plan.name] else { continue }
                    changes.append("'\(plan.name)' " + (keeper.isEnding ? "is new" : "changed"))
                    keeper.apply(change)
                } else {
                    let keeper = makeKeeper(plan)
                    state.withLock { $0.keepers.append(keeper) }
                    keeper.start()
                    changes.append("'\(plan.name)' is new")
                }
            }
            console.writeLine(
                "read '\(path)' again: " + (changes.isEmpty ? "nothing changed" : changes.joined(separator: ", "))
            )
        } catch {
            console.write(error)
            console.writeLine("the configuration stays as it was")
        }
    }
}
