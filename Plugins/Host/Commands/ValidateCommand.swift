internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Opens everything that a run would open, and reads the first records of files, but finds nothing.
///
/// Outputs that are files are opened without emptying them, and files that were made for that are removed again.
struct ValidateCommand: Command {
    static let name = "validate"
    static let operands = "PLUGIN [INPUT]"
    static let summary = "Open all that a run would open, and run nothing"
    static let examples: [HelpPage.Example] = [
        ("weir validate shake readings.csv --to matches.jsonl", ""), ("weir validate --config pipelines.json", ""),
        ("weir validate match --rules rules/ events.jsonl", "says which rules cannot be used"),
    ]
    static let usage = ["weir validate PLUGIN [INPUT] [OPTIONS OF 'weir run']", "weir validate --config FILE"]
    static let remark = """
        It reads the first records of files too. The exit code says whether all is
        well.
        """
    static let pluginOptions: [OptionDeclaration]? = RunOptions.all

    private let line: RunLine

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        line = try RunLine(words, of: Self.self, registry)
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let (registry, console) = (context.registry, context.console)
        for remark in EnvironmentOptions.remarks(registry) { console.writeLine(remark) }
        switch line.task {
        case .pipeline(let arguments):
            let request = try line.request(arguments, registry)
            try check(request, console)
            try line.checkMonitoring(of: [request])
            console.writeLine(verdict(on: request))
            return code(of: request)
        case .configuration(let path):
            let configuration = try Configuration(path: path, environment: EnvironmentOptions(), registry)
            var code = ExitCode.done
            var requests: [RunRequest] = []
            for plan in configuration.plans {
                do throws(HostError) {
                    let request = try plan.request(registry)
                    requests.append(request)
                    do throws(HostError) {
                        try check(request, console)
                        console.writeLine(verdict(on: request), about: plan.name)
                        if code == .done { code = self.code(of: request) }
                    } catch {
                        throw plan.locate(error)
                    }
                } catch {
                    console.write(error, about: plan.name)
                    if code == .done { code = error.exitCode }
                }
            }
            try line.checkMonitoring(of: requests)
            return code
        }
    }

    private func code(of request: RunRequest) -> ExitCode {
        request.queries?.flaws.isEmpty ?? true ? .done : .rulesLeftOut
    }

    private func check(_ request: RunRequest, _ console: Console) throws(HostError) {
        console.write(request.queries, about: request.name)
        let plugins = try RunningPlugins(request.instances)
        try request.checkThatNothingIsOverwritten()
        try request.checkTimes(of: plugins.schema)
        try request.checkJournals()
        if request.inputs.count > 1 { _ = try MergedIntake.timeField(of: request, in: plugins.schema) }
        if let partition = request.partition { _ = try WorkerPool.field(of: partition, in: plugins.schema) }
        for input in request.inputs {
            // Who writes into a pipe would lose its reader again.
            if case .address(let address) = input.source, address.stream != nil { continue }
            _ = try request.openSource(of: input)
            try checkRecords(of: input, request, console)
        }
        try request.checkThatFilesCanBeWritten()
        try request.checkState(of: plugins)
        for remark in request.stateRemarks { console.writeLine(remark, about: request.name) }
        // Opening a file would empty it, and what was spilled would be sent.
        for (_, output) in request.namedOutputs where !output.isFile && !output.isRecording && !output.hasSpill {
            _ = try output.openSink()
        }
    }

    /// Checks the header and the first records of a file; what is no file would have to wait for them.
    private func checkRecords(
        of input: RunRequest.Input,
        _ request: RunRequest,
        _ console: Console
    ) throws(HostError) {
        guard case .address(let address) = input.source, address.isFile else { return }
        // Plugins of its own: the times of one file say nothing about those of another.
        let plugins = try RunningPlugins(request.instances)
        let named = NamedField.all(of: request.instances, in: plugins.schema)
        let isAlone = request.inputs.count == 1
        var presence = FieldPresence(of: named)
        var tally = Tally()
        var reasons = RejectionReasons()
        var sample: [UInt8]?
        var newest: Timestamp?
        do {
            // Not followed: what is there is enough.
            let opened = try address.transport.openSource(FileTransport.address(ofPath: address.path))
            // Whatever is not as long as it says keeps what it holds for the run.
            guard opened.expectedByteCount != nil || opened is DecompressingSource else { return }
            let source = HeadKeepingSource(opened, keepsHead: input.format.beginsWithHeader)
            var (shown, schema) = (input, isAlone ? plugins.schema.requiring(named) : plugins.schema)
            if input.hasFirstLine {
                let lines = try source.firstLines(limit: ShownReading.byteCount)
                (shown, schema) = request.shown(input, schema, byFirstLines: lines)
                if !shown.format.beginsWithHeader { source.forgetHead() }
            }
            var reader = RecordReader(source, format: shown.format, schema: schema, limits: request.limits)
            _ = try reader.next { batch in
                let found = batch.rejections.count
                if source.head?.isEmpty ?? true, batch.count > 0 { sample = batch.raw(recordAt: 0) }
                presence.look(at: batch)
                newest = plugins.schema.timeField.flatMap { batch.time(ofField: $0, inRecordAt: batch.count - 1) }
                plugins.receive(&batch) { tally.count($0) }
                tally.count(batch, rejectedBefore: found)
                for rejection in batch.rejections where !rejection.isContinuation { reasons.add(rejection.reason) }
            }
            if let head = source.head, !head.isEmpty { sample = head }
        } catch let error as FormatError {
            throw HostError(.noInput, request.explain(error, in: input))
        } catch let error as HostError {
            throw error
        } catch let error as TransportError {
            throw HostError(error, opening: .noInput)
        } catch {
            throw HostError(.noInput, "\(error)")
        }
        let remarks = RunAdvice(
            request: request,
            tally: tally,
            matches: 1,
            reasons: reasons,
            order: plugins.order,
            takesAnyOrder: plugins.takesAnyOrder,
            unseen: named.filter { presence.unseen.contains($0.index) && isAlone },
            named: named,
            schema: plugins.schema,
            newest: newest,
            available: request.fieldNames(in: sample),
            hasObjects: request.hasObjects(in: sample)
        ).remarks
        let count = Quantity.counted(tally.events + tally.rejected, "record", "records")
        guard tally.events > 0 || tally.rejected == 0 else {
            throw HostError(
                .allRejected,
                "'\(input.name)' is of no use, by its first \(count): \(remarks.joined(separator: "; "))"
            )
        }
        for remark in remarks { console.writeLine("'\(input.name)', first \(count): \(remark)", about: request.name) }
    }

    private func verdict(on request: RunRequest) -> String {
        let flaws = UInt64(request.queries?.flaws.count ?? 0)
        return (flaws == 0 ? "valid: " : "valid but for \(Quantity.counted(flaws, "rule", "rules")): ")
            + request.instances.map(\.name).joined(separator: " and ") + " from "
            + request.inputs.map(\.name).joined(separator: ", ") + " to "
            + request.outputs.map(\.name).joined(separator: ", ")
    }
}
