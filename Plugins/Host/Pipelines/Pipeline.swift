internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirState

/// Feeds the records of inputs to plugins, and writes what they find; made and run by one thread.
final class Pipeline {
    /// What a pipeline shares with the rest of the program.
    struct Context: Sendable {
        let console: Console
        let status: PipelineStatus
        let interruption: Interruption?

        /// The outputs that several pipelines write to; `nil` where there is one pipeline.
        var outputs: SharedOutputs?

        /// What is to take the place of the plugins and outputs, while the inputs go on.
        var replacement: Replacement?

        /// How long to wait for an output that fails; `nil` where that ends the run.
        var patience: OutputPatience?

        var showsProgress = false

        /// What the runs counted that failed before this one.
        var earlier = Counts()

        /// Says when the state is to be saved.
        var stateClock: any TimeSource = MonotonicClock()
    }

    /// What a run counts, and another one that takes its place goes on with.
    struct Counts {
        var tally = Tally()
        var matches: UInt64 = 0
        var reasons = RejectionReasons()
    }

    /// Why a pipeline ended before its inputs did, or that they did.
    enum Ending {
        case endOfInput
        case interrupted
        /// Nobody reads the matches any more.
        case outputClosed
        case failed(HostError)

        var isEndOfInput: Bool { if case .endOfInput = self { true } else { false } }
    }

    /// What failed while a batch was being taken.
    enum OutputError: Error {
        case matches(TransportError)
        case rejections(TransportError)
    }

    var request: RunRequest
    let context: Context
    let clock = MonotonicClock()

    /// What stops the reading where it brings nothing, so that the state is saved.
    var savePause: SavePause?
    let meters: TransportMeters
    var page: RunReport?
    var plugins: RunningPlugins
    var outlets: Outlets
    /// Absent where workers share the records: one of their threads has it then.
    var intake: (any Intake)?
    let workers: WorkerPool?
    var tally = Tally()
    var earlierMatches: UInt64 = 0
    var byteCount: Int64 = 0
    var counts: [(name: String, value: UInt64)] = []
    var watermark: Timestamp?
    var order = RecordOrder()
    var named: [NamedField]
    var presence: FieldPresence
    /// What was counted by plugins and intakes that others took the place of.
    var earlierCounts: [(name: String, value: UInt64)] = []
    var unseenOfWorkers: [Int] = []
    /// How many records came before the present plugins.
    var eventsBefore: UInt64 = 0
    var progress: Progress

    /// What the plugins knew before they were told that nothing follows.
    var knowledgeAtEnd = Knowledge()
    var rejections: RejectionReport

    /// What saves the state; `nil` where that is not wanted.
    let keeper: StateKeeper?

    /// What was saved when the inputs had ended.
    var stateOfEnd: RunCheckpoint?

    /// Opens everything and starts the plugins; nothing is read yet, except where several inputs are merged.
    ///
    /// - Throws: ``HostError`` when something cannot be opened, or a plugin does not start.
    init(_ request: RunRequest, _ context: Context) throws(HostError) {
        self.request = request
        var context = context
        let meters = TransportMeters { [console = context.console, name = request.name] notice in
            console.writeLine(notice, about: name)
        }
        self.meters = meters
        // Before the plugin starts: a page that cannot be written is found out now, not after hours.
        page = try request.report.map { address throws(HostError) in
            try request.checkThatNothingIsOverwritten()
            return RunReport(title: "weir run \(request.instances[0].plugin.name)", sink: try address.openWholeSink())
        }
        page?.about = request.about
        plugins = try RunningPlugins(request.instances, form: request.matchForm, report: page?.report)
        named = NamedField.all(of: request.instances, in: plugins.schema)
        presence = FieldPresence(of: named)
        try request.checkThatNothingIsOverwritten()
        try request.checkTimes(of: plugins.schema)
        try request.checkJournals()
        if context.replacement == nil, context.outputs == nil { InterruptSignal.catchFirst() }
        let keeper = try Self.openState(request, plugins, context)
        self.keeper = keeper
        if let start = keeper?.start {
            let (counts, ofPlugins) = Self.counts(before: start, isDone: keeper?.isDone ?? false)
            context.earlier = counts
            earlierCounts = ofPlugins
            byteCount = start.inputs.reduce(0) { $0 + $1.byteCount }
        }
        self.context = context
        let isDone = keeper?.isDone ?? false
        // What is written goes behind what was written before the checkpoint.
        let opened = keeper?.start == nil ? request : try request.appending()
        var intake: (any Intake)?
        var workers: WorkerPool?
        if let partition = request.partition {
            guard plugins.agreeOnOrder else {
                throw .usage("--partition-by: some of the plugins refuse records that go back in time; run them apart")
            }
            _ = try WorkerPool.field(of: partition, in: plugins.schema)
        } else if request.readsOnThreads {
            _ = try MergedIntake.timeField(of: request, in: plugins.schema)
        } else if !isDone {
            intake = try request.makeIntake(
                schema: plugins.schema,
                batchCapacity: RunningPlugins.batchCapacity,
                meters,
                keeper?.resumption
            )
        }
        if let partition = request.partition, !isDone {
            workers = try WorkerPool(request, partition, schema: plugins.schema, keeper?.resumption)
        }
        if !isDone { try keeper?.cutBack(request.namedOutputs.filter(\.address.canBeCutBack)) }
        outlets = try Outlets(opened, context, meters)
        rejections = try Self.openKeptLines(opened, context, meters)
        // These read at once, on threads of their own: after all else, for what they have read cannot be given back.
        if let workers {
            let interruption = context.interruption
            try workers.beginReading(canAdvance: plugins.canAdvance, meters, keeper?.resumption) {
                interruption?.isTriggered ?? false
            }
        } else if request.partition == nil, intake == nil, !isDone {
            intake = try request.makeIntake(
                schema: plugins.schema,
                batchCapacity: RunningPlugins.batchCapacity,
                meters,
                keeper?.resumption
            )
        }
        self.intake = intake
        self.workers = workers
        (tally, earlierMatches) = (context.earlier.tally, context.earlier.matches)
        eventsBefore = tally.events
        rejections.go(onAfter: context.earlier.reasons)
        rejections.report(messagesOf: meters)
        context.console.write(request.queries, about: request.name)
        if plugins.canAdvance, request.lateness == nil, request.inputs.contains(where: \.isLive) {
            context.console.writeLine(
                "what does not happen is noticed when a later record comes; with --lateness, such as --lateness 1s, time goes "
                    + "on with the clock while none comes",
                about: request.name
            )
        }
        progress = Progress(
            context.console,
            isOn: context.showsProgress && StandardStream.error.isTerminal && !request.readsTerminal,
            expectedByteCount: intake?.expectedByteCount
        )
    }

    /// Reads the inputs to their end, or until something stops it.
    ///
    /// - Returns: How it ended; everything that there is to say was said.
    func run(_ beforeSummary: () -> Void = {}) -> Ending {
        context.status.watch(meters)
        // The plugins of workers are theirs.
        context.status.ask(workers?.partialMatches ?? plugins.partialMatches)
        context.status.update { $0.phase = .running }
        sayWhereItGoesOn()
        beginState()
        prepareSavePause()
        var ending = if let workers { pump(workers) } else if let intake { pump(intake) } else { Ending.endOfInput }
        // Before outputs are opened or ended, which a pause would stop.
        savePause?.close()
        byteCount = intake?.byteCount ?? byteCount
        // Plugins that need no more may leave threads behind that still read.
        if case .endOfInput = ending, !plugins.isFinished {} else { context.interruption?.trigger() }
        knowledgeAtEnd = knowledge
        if keeper != nil {
            switch ending {
            case .endOfInput where intake != nil: saveStateOfEnd()
            case .interrupted:
                do {
                    // The next run has the rules that wait for the next batch.
                    try replacePlugins()
                    saveState()
                } catch {
                    keeper?.fail("\(error)")
                }
            case .endOfInput, .outputClosed, .failed: break
            }
        }
        switch ending {
        // What the plugins know goes on in the next run.
        case .interrupted where keeper != nil: break
        case .endOfInput where keeper?.isDone ?? false: break
        case .endOfInput: plugins.finish(.finished)
        case .interrupted, .outputClosed: plugins.finish(request.completionWhenInterrupted)
        case .failed(let error): plugins.finish(.failed(error))
        }
        // The end may have brought matches of its own; where the output is at fault, it is of no use to go on.
        switch ending {
        case .endOfInput where keeper?.isDone ?? false: break
        case .endOfInput: if let fault = begin() ?? writeRest() { ending = fault }
        case .interrupted: if let fault = writeRest() { ending = fault }
        case .failed(let error): if error.exitCode == .noInput, outlets.hasBegun { _ = writeRest() }
        case .outputClosed: break
        }
        try? rejections.finish(meters)
        if let fault = finishOutlets() {
            if case .failed = ending {} else { ending = fault }
        }
        progress.erase()
        if let page, outlets.hasBegun, !isFailed(ending) {
            do throws(TransportError) {
                try page.write(
                    nanoseconds: progress.elapsedNanoseconds,
                    counts: plugins.namedCounts,
                    isWhole: ending.isEndOfInput
                )
            } catch {
                ending = .failed(HostError(.outputFailed, "\(error)"))
            }
        }
        if case .endOfInput = ending { finishState() }
        intake?.close()
        workers?.close()
        keeper?.close()
        publish(delay: 0, count: 0)
        context.status.update { $0.phase = .ended(exitCode(of: ending)) }
        beforeSummary()
        tally.refused += meters.refusedCount
        for (name, metrics) in meters.metrics {
            context.console.writeLine("\(name): \(metrics)", about: request.name)
        }
        close(ending)
        return ending
    }

    /// What was counted until now, also by runs before.
    var counted: Counts {
        Counts(tally: tally, matches: earlierMatches + plugins.matchCount, reasons: rejections.reasons)
    }

    private func isFailed(_ ending: Ending) -> Bool {
        if case .failed(let error) = ending { error.exitCode != .noInput } else { false }
    }
}
