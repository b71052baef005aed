internal import WeirCore
internal import WeirFiles

/// Feeds plugins with the records of inputs, and writes down what they find; made and run by one thread.
final class Pipeline {
    /// What a pipeline shares with the rest of the program.
    struct Surroundings: Sendable {
        let console: Console
        let status: PipelineStatus
        let interruption: Interruption?

        /// The outputs that several pipelines write to; `nil` where there is one pipeline.
        var outputs: SharedOutputs?

        /// What is to take the place of the plugins and outputs, while the inputs go on.
        var replacement: Replacement?

        var showsProgress = false
    }

    /// Why a pipeline ended before its inputs did, or that they did.
    enum Ending {
        case endOfInput
        case interrupted
        /// Nobody reads the matches any more.
        case outputClosed
        case failed(HostError)
    }

    /// What failed while a batch was being taken.
    private enum OutputError: Error {
        case matches(TransportError)
        case rejections(TransportError)
    }

    private var request: RunRequest
    private let surroundings: Surroundings
    private let clock = MonotonicClock()
    private let meters: MeterBoard
    private var page: RunReport?
    private var plugins: RunningPlugins
    private var outlets: Outlets
    /// Absent where workers share the records: one of their threads has it then.
    private let intake: (any Intake)?
    private let workers: WorkerPool?
    private var tally = Tally()
    private var earlierMatches: UInt64 = 0
    private var byteCount: Int64 = 0
    private var counts: [(name: String, value: UInt64)] = []
    private var watermark: Timestamp?
    private var waiting: (request: RunRequest, plugins: RunningPlugins)?
    private var progress: Progress
    private var rejections: RejectionReport

    /// Opens everything and starts the plugins; nothing is read yet, except where several inputs are merged.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - surroundings: What it shares with the rest of the program.
    /// - Throws: ``HostError`` when something cannot be opened, or a plugin does not start.
    init(_ request: RunRequest, _ surroundings: Surroundings) throws(HostError) {
        self.request = request
        self.surroundings = surroundings
        meters = MeterBoard { [console = surroundings.console, name = request.name] notice in
            console.writeLine(notice, about: name)
        }
        // Before the plugin starts: a page that cannot be written is found out now, not after hours.
        page = try request.report.map { address throws(HostError) in
            try request.checkThatNothingIsOverwritten()
            return RunReport(title: "weir run \(request.instances[0].plugin.name)", sink: try address.openSink())
        }
        plugins = try RunningPlugins(request.instances, report: page?.report)
        try request.checkThatNothingIsOverwritten()
        if surroundings.replacement == nil, surroundings.outputs == nil { InterruptSignal.catchFirst() }
        var intake: (any Intake)?
        var workers: WorkerPool?
        if let partition = request.partition {
            guard plugins.agreeOnOrder else {
                throw .usage("--partition-by: some of the plugins refuse records that go back in time; run them apart")
            }
            _ = try WorkerPool.field(of: partition, in: plugins.schema)
        } else if request.inputs.count > 1 {
            _ = try MergedIntake.timeField(of: request, in: plugins.schema)
        } else {
            intake = try request.makeIntake(schema: plugins.schema, batchCapacity: RunningPlugins.batchCapacity, meters)
        }
        outlets = try Outlets(request, surroundings.outputs, meters)
        let rejected: (any TransportSink)? = try request.rejected.map { address throws(HostError) in
            try address.openSink()
        }
        // These read at once, on threads of their own: after all else, for what they have read cannot be given back.
        if let partition = request.partition {
            workers = try WorkerPool(request, partition, schema: plugins.schema, meters)
        } else if intake == nil {
            intake = try request.makeIntake(schema: plugins.schema, batchCapacity: RunningPlugins.batchCapacity, meters)
        }
        self.intake = intake
        self.workers = workers
        meters.add(rejected?.meter, name: "rejected lines")
        rejections = RejectionReport(surroundings.console, pipeline: request.name, keepingLinesIn: rejected)
        progress = Progress(
            surroundings.console,
            isOn: surroundings.showsProgress && StandardStream.error.isTerminal && !request.readsTerminal,
            expectedByteCount: intake?.expectedByteCount
        )
    }

    /// Reads the inputs to their end, or until something stops it.
    ///
    /// - Parameter beforeSummary: Called when nothing more happens, before that is told.
    /// - Returns: How it ended; everything that there is to say was said.
    func run(_ beforeSummary: () -> Void = {}) -> Ending {
        surroundings.status.watch(meters)
        // The plugins of workers are theirs.
        surroundings.status.ask(workers?.partialMatches ?? plugins.partialMatches)
        surroundings.status.update { $0.phase = .running }
        var ending = if let workers { pump(workers) } else if let intake { pump(intake) } else { Ending.endOfInput }
        byteCount = intake?.byteCount ?? byteCount
        // Plugins that need no more may leave threads behind that still read.
        if case .endOfInput = ending, !plugins.isFinished {} else { surroundings.interruption?.trigger() }
        switch ending {
        case .endOfInput, .interrupted, .outputClosed: plugins.finish(.finished)
        case .failed(let error): plugins.finish(.failed(error))
        }
        // The end may have brought matches of its own; where the output is at fault, it is of no use to go on.
        switch ending {
        case .endOfInput, .interrupted: if let fault = writeRest() { ending = fault }
        case .failed(let error): if error.exitCode == .noInput { _ = writeRest() }
        case .outputClosed: break
        }
        if let fault = finishOutlets() {
            if case .failed = ending {} else { ending = fault }
        }
        progress.erase()
        if let page, !isFailed(ending) {
            do throws(TransportError) {
                try page.write(nanoseconds: progress.elapsedNanoseconds, counts: plugins.counts)
            } catch {
                ending = .failed(HostError(.outputFailed, "\(error)"))
            }
        }
        intake?.close()
        workers?.close()
        publish(delay: 0, count: 0)
        surroundings.status.update { $0.phase = .ended(exitCode(of: ending)) }
        beforeSummary()
        for (name, metrics) in meters.metrics {
            surroundings.console.writeLine("\(name): \(metrics)", about: request.name)
        }
        close(ending)
        return ending
    }

    private func isFailed(_ ending: Ending) -> Bool {
        if case .failed(let error) = ending { error.exitCode != .noInput } else { false }
    }

    /// Takes batch after batch.
    private func pump(_ intake: any Intake) -> Ending {
        do {
            while true {
                var wanted: RecordSchema?
                let hasMore = try intake.next { batch in
                    wanted = try replacePlugins(keeping: batch)
                    try take(&batch, from: intake)
                }
                if let wanted { try changeSchema(of: intake, to: wanted) }
                guard hasMore else { return .endOfInput }
                // An intake that drains says itself when there is nothing more.
                if let interruption = surroundings.interruption, interruption.isTriggered, !intake.drainsWhenInterrupted
                {
                    return .interrupted
                }
                if plugins.isFinished { return .endOfInput }
                progress.update(events: tally.events, byteCount: intake.byteCount)
            }
        } catch {
            return ending(of: error)
        }
    }

    /// Collects what workers find.
    private func pump(_ workers: WorkerPool) -> Ending {
        do {
            while let harvest = try workers.next() {
                tally.events += harvest.events
                tally.rejected += UInt64(harvest.rejections.count { !$0.isContinuation })
                earlierMatches += harvest.matches
                byteCount = harvest.byteCount
                counts = harvest.counts
                watermark = harvest.watermark ?? watermark
                if !harvest.lines.isEmpty {
                    progress.erase()
                    do throws(TransportError) {
                        try outlets.write(harvest.lines.span)
                    } catch {
                        throw OutputError.matches(error)
                    }
                }
                publish(delay: (clock.now() - harvest.start).wholeNanoseconds, count: Int(harvest.events))
                do throws(TransportError) {
                    try rejections.report(harvest.rejections)
                } catch {
                    throw OutputError.rejections(error)
                }
                progress.update(events: tally.events, byteCount: byteCount)
            }
            return .endOfInput
        } catch {
            return ending(of: error)
        }
    }

    private func ending(of error: any Error) -> Ending {
        switch error {
        case let error as OutputError: ending(of: error)
        case TransportError.interrupted: .interrupted
        case let error as HostError: error.exitCode == .interrupted ? .interrupted : .failed(error)
        default: .failed(HostError(.noInput, "\(error)"))
        }
    }

    /// Has the plugins take a batch, and writes down what came of it.
    private func take(_ batch: inout RecordBatch, from intake: any Intake) throws(OutputError) {
        let start = clock.now()
        let found = batch.rejections.count
        var refused: [RejectedLine] = intake.pendingRejections
        plugins.receive(&batch) { refused += $0 }
        tally.count(batch, rejectedBefore: found)
        tally.rejected += UInt64(refused.count { !$0.isContinuation })
        page?.count(batch, tally, nanoseconds: progress.elapsedNanoseconds)
        try writeMatches()
        if !batch.rejections.isEmpty {
            refused += RejectedLine.all(of: batch) { intake.input(ofLineStartingAt: $0) }
        }
        if let time = plugins.schema.timeField.flatMap({ batch.time(ofField: $0, inRecordAt: batch.count - 1) }) {
            watermark = max(watermark ?? time, time)
        }
        byteCount = intake.byteCount
        counts = plugins.counts.map { (name: $0.name, value: $0.value) }
        publish(delay: (clock.now() - start).wholeNanoseconds, count: batch.count)
        guard !refused.isEmpty else { return }
        do throws(TransportError) {
            try rejections.report(refused)
        } catch {
            throw .rejections(error)
        }
    }

    /// Tells whoever looks how it goes.
    private func publish(delay: Int64, count: Int) {
        surroundings.status.update { numbers in
            numbers.tally = tally
            numbers.matches = earlierMatches + plugins.matchCount
            numbers.byteCount = byteCount
            numbers.pending = intake?.pendingCount ?? workers?.pendingCount ?? 0
            numbers.watermark = watermark
            numbers.delays.add(nanoseconds: delay, count: count)
            numbers.counts = counts
        }
    }

    private func writeMatches() throws(OutputError) {
        do throws(TransportError) {
            try plugins.takeLines { [outlets, progress] lines throws(TransportError) in
                progress.erase()
                try outlets.write(lines)
            }
        } catch {
            throw .matches(error)
        }
    }

    /// Writes what is left at the end.
    ///
    /// - Returns: What went wrong, if anything did.
    private func writeRest() -> Ending? {
        do throws(OutputError) {
            try writeMatches()
            do throws(TransportError) {
                try rejections.finish()
            } catch {
                throw .rejections(error)
            }
            return nil
        } catch {
            return ending(of: error)
        }
    }

    /// Delivers what the outputs still keep.
    ///
    /// - Returns: What went wrong, if anything did.
    private func finishOutlets() -> Ending? {
        do throws(TransportError) {
            try outlets.finish()
            return nil
        } catch {
            return ending(of: OutputError.matches(error))
        }
    }

    private func ending(of error: OutputError) -> Ending {
        switch error {
        case .matches(.closed): .outputClosed
        case .matches(let error), .rejections(let error): .failed(HostError(.outputFailed, "\(error)"))
        }
    }

    /// Says how it went.
    private func close(_ ending: Ending) {
        let console = surroundings.console
        if !outlets.leftOutFields.isEmpty {
            let names = outlets.leftOutFields.map { "'\($0)'" }.joined(separator: ", ")
            console.writeLine(
                "the table has no columns for \(names), which the first match lacked",
                about: request.name
            )
        }
        let final = workers == nil ? plugins.counts.map { (name: $0.name, value: $0.value) } : counts
        for count in final where count.value > 0 {
            console.writeLine("\(Quantity.grouped(count.value)) \(count.name)", about: request.name)
        }
        let matches = earlierMatches + plugins.matchCount
        let summary = tally.summary(matches: matches, nanoseconds: progress.elapsedNanoseconds)
        switch ending {
        case .endOfInput:
            let remark = byteCount == 0 ? "the input is empty; " : ""
            console.writeLine(remark + summary, about: request.name)
        case .interrupted: console.writeLine("interrupted; " + summary, about: request.name)
        case .outputClosed: break
        case .failed(let error):
            console.writeLine(error.message, about: request.name)
            if tally.events > 0 || tally.rejected > 0 {
                console.writeLine("stopped early; " + summary, about: request.name)
            }
        }
    }

    /// How the program ends after this pipeline alone.
    func exitCode(of ending: Ending) -> ExitCode {
        switch ending {
        case .endOfInput: request.isStrict && tally.rejected > 0 ? .inputRejected : .done
        case .interrupted: .interrupted
        case .outputClosed: .done
        case .failed(let error): error.exitCode
        }
    }
}

// MARK: Replacing what runs

extension Pipeline {
    /// Puts new plugins and outputs in the place of the old ones, between two batches, if somebody wants that.
    ///
    /// The old plugins end as at the end of an input. Nothing that was read is lost: the batch that is at hand goes to
    /// the new plugins, unless they want other fields; it goes to the old ones then, and the next one to the new.
    ///
    /// - Returns: The fields that the new plugins want, where they are others.
    private func replacePlugins(keeping batch: borrowing RecordBatch) throws -> RecordSchema? {
        guard waiting == nil, let next = surroundings.replacement?.take() else { return nil }
        let plugins = try RunningPlugins(next.instances)
        guard plugins.schema == self.plugins.schema else {
            waiting = (next, plugins)
            return plugins.schema
        }
        try put(next, plugins)
        return nil
    }

    /// Reads on with other fields.
    private func changeSchema(of intake: any Intake, to schema: RecordSchema) throws {
        guard let (next, plugins) = waiting else { return }
        waiting = nil
        guard intake.change(to: schema) else {
            throw HostError(.internalError, "the inputs cannot be read on with other fields")
        }
        try put(next, plugins)
    }

    private func put(_ next: RunRequest, _ plugins: RunningPlugins) throws {
        self.plugins.finish(.finished)
        try writeMatches()
        earlierMatches += self.plugins.matchCount
        if next.outputs.map(\.text) != request.outputs.map(\.text) || next.style != request.style {
            try outlets.finish()
            outlets = try Outlets(next, surroundings.outputs, meters)
        }
        self.plugins = plugins
        surroundings.status.ask(plugins.partialMatches)
        request = next
        surroundings.status.update { $0.replacements += 1 }
    }
}
