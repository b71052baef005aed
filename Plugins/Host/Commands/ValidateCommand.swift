internal import WeirCore
internal import WeirFiles

/// Opens everything that a run would open, and runs nothing.
///
/// Outputs that are files are opened without emptying them, and files that were made for that are removed again.
struct ValidateCommand {
    private let command: RunCommand

    /// Reads what follows `weir validate`: the same as `weir run`.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        command = try RunCommand(words, topic: "validate", registry)
    }

    /// Checks.
    ///
    /// - Parameters:
    ///   - registry: What there is.
    ///   - console: Where to tell people.
    /// - Returns: How it ended; all mistakes were told.
    /// - Throws: ``HostError`` where there is one mistake to tell.
    func run(_ registry: Registry, console: Console) throws(HostError) -> ExitCode {
        switch command.task {
        case .pipeline(let arguments):
            let request = try command.request(arguments, registry)
            try check(request)
            try command.checkMonitoring(of: [request])
            console.writeLine("valid: \(summary(of: request))")
            return .done
        case .configuration(let path):
            let configuration = try Configuration(path: path, environment: EnvironmentOptions(), registry)
            var code = ExitCode.done
            var requests: [RunRequest] = []
            for plan in configuration.plans {
                do throws(HostError) {
                    let request = try plan.request(registry)
                    requests.append(request)
                    do throws(HostError) {
                        try check(request)
                        console.writeLine("valid: \(summary(of: request))", about: plan.name)
                    } catch {
                        throw plan.locate(error)
                    }
                } catch {
                    console.writeLine(error.message, about: plan.name)
                    if code == .done { code = error.exitCode }
                }
            }
            try command.checkMonitoring(of: requests)
            return code
        }
    }

    private func check(_ request: RunRequest) throws(HostError) {
        let plugins = try RunningPlugins(request.instances)
        try request.checkThatNothingIsOverwritten()
        if request.inputs.count > 1 { _ = try MergedIntake.timeField(of: request, in: plugins.schema) }
        if let partition = request.partition { _ = try WorkerPool.field(of: partition, in: plugins.schema) }
        for input in request.inputs { _ = try request.openSource(of: input) }
        try request.checkThatFilesCanBeWritten()
        // Opening a file would empty it.
        for (_, output) in request.namedOutputs where !output.isFile && !output.isRecording {
            _ = try output.openSink()
        }
    }

    private func summary(of request: RunRequest) -> String {
        request.instances.map(\.name).joined(separator: " and ") + " from "
            + request.inputs.map(\.name).joined(separator: ", ") + " to "
            + request.outputs.map(\.name).joined(separator: ", ")
    }
}
