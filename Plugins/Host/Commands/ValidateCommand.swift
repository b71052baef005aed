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
            console.writeLine("valid: \(summary(of: request))")
            return .done
        case .configuration(let path):
            let configuration = try Configuration(path: path, environment: EnvironmentOptions(), registry)
            var code = ExitCode.done
            for plan in configuration.plans {
                do throws(HostError) {
                    let request = try plan.request(registry)
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
            return code
        }
    }

    private func check(_ request: RunRequest) throws(HostError) {
        let plugins = try RunningPlugins(request.instances)
        try request.checkThatNothingIsOverwritten()
        if request.inputs.count > 1, plugins.schema.timeField == nil {
            _ = try MergedIntake(request, schema: plugins.schema, batchCapacity: 1, nil)
        }
        for input in request.inputs { _ = try request.openSource(of: input) }
        for output in request.outputs + [request.rejected, request.report].compactMap({ $0 }) where output.isFile {
            do throws(TransportError) {
                try FileSystem.checkWritable(output.path)
            } catch {
                throw HostError(.cannotCreate, "\(error)")
            }
        }
        for output in request.outputs where !output.isFile { _ = try output.openSink() }
    }

    private func summary(of request: RunRequest) -> String {
        request.instances.map(\.name).joined(separator: " and ") + " from "
            + request.inputs.map(\.name).joined(separator: ", ") + " to "
            + request.outputs.map(\.name).joined(separator: ", ")
    }
}
