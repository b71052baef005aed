internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirState

// When a pipeline saves its state, and what it goes on from.
extension Pipeline {
    /// Takes hold of the folder of the state, where one is wanted, and gives plugins back what those before knew.
    ///
    /// - Throws: ``HostError`` when something cannot be saved, or the folder cannot be used.
    static func openState(
        _ request: RunRequest,
        _ plugins: RunningPlugins,
        _ context: Context
    ) throws(HostError) -> StateKeeper? {
        guard let state = request.state else { return nil }
        try request.checkState(of: plugins)
        let clock = context.stateClock
        let keeper = try StateKeeper(state, of: request, clock: clock) {
            [console = context.console, name = request.name] in
            console.writeLine($0, about: name)
        }
        guard !keeper.isDone else { return keeper }
        try keeper.resumption?.check(request.inputs)
        // Workers have plugins of their own.
        if request.partition == nil { try keeper.resumption?.restore(plugins) }
        for remark in request.stateRemarks { context.console.writeLine(remark, about: request.name) }
        return keeper
    }

    /// Has the intake leave to the next run what this one does not come to, and takes the first checkpoint.
    func beginState() {
        guard let keeper else { return }
        guard let intake else { return keeper.forgetContents() }
        intake.saving = IntakeSaving(
            leavesRest: { [context] in context.interruption?.isTriggered ?? false },
            beforeTheEnd: { [unowned self] in saveStateOfEnd() }
        )
        keeper.forgetContents()
        // From here on a run that is killed finds one; what cannot be saved is found out now.
        if keeper.start == nil, stateOfEnd == nil { saveState() }
    }

    /// Has the state be that of other plugins from now on.
    func goOnSaving(_ next: RunRequest) {
        guard let keeper else { return }
        keeper.settings = next.state?.settings ?? keeper.settings
        guard let plugin = plugins.unsaveable else { return keeper.expedite() }
        keeper.fail("what '\(plugin)' keeps cannot be saved")
    }

    /// Gives new plugins what those before them know, as far as it fits; the others end, and what they know is lost.
    func goOnWithState(of old: RunningPlugins, in new: RunningPlugins) {
        guard let keeper else { return }
        let remark = { [console = context.console, name = request.name] (text: String) in
            console.writeLine(text, about: name)
        }
        for name in old.names {
            do {
                guard let saved = try old.saved(name) else { continue }
                let partial = saved.partialMatches.map {
                    ", with " + Quantity.counted(UInt64(max(0, $0)), "partial match", "partial matches")
                }
                switch try new.restore(saved.bytes, of: name, saved.fingerprint, droppingMismatches: true) {
                case .restored(let report):
                    guard let losses = report?.losses else { continue }
                    remark("a part of what '\(name)' knew does not fit any more, and is lost: \(losses)")
                case .isOther: remark("what '\(name)' knew does not fit any more; that is lost" + (partial ?? ""))
                case .isGone: remark("'\(name)' is no plugin any more; what it knew is lost" + (partial ?? ""))
                }
            } catch {
                keeper.fail("'\(name)': \(error)")
            }
        }
        new.noteCountsGivenBack()
    }

    /// Saves the state where it is due; between two batches.
    func saveStateIfDue() {
        guard let keeper else { return }
        synchronizeMatches()
        // First, for what is written by now makes room for the next.
        publishState()
        // What waits is handed out by now as if nothing followed, which the state of the end does not say.
        guard keeper.isDue, stateOfEnd == nil else { return }
        keeper.note(howFar)
        if keeper.hasChanges { saveState(behind: true) }
        // Nothing to save, or not just now: the next batch is another occasion.
        if keeper.isDue { keeper.postponeIdleSave() }
    }

    /// Makes ready to save the state while an input brings nothing.
    func prepareSavePause() {
        savePause?.close()
        savePause = nil
        guard keeper != nil, request.savesInPauses, let interruption = context.interruption,
            let intake = intake as? SingleIntake
        else { return }
        intake.goOn(afterPausesOf: interruption)
        savePause = SavePause(interruption)
    }

    /// Whether something may have to be saved while nothing comes.
    var savesWhileIdle: Bool { keeper != nil && (savePause != nil || request.inputs.contains(where: \.isLive)) }

    /// Says until when the next batch is waited for before the state is saved.
    func setSaveTime(of intake: any Intake) {
        guard let keeper else { return }
        keeper.note(howFar)
        let time = clock.now() + keeper.timeUntilIdleSave
        intake.saveTime = time
        savePause?.set(keeper.hasChanges || keeper.isWriting ? time : nil)
    }

    private var howFar: StateKeeper.Progress {
        StateKeeper.Progress(
            byteCount: intake?.byteCount ?? 0,
            recordCount: tally.count,
            matchCount: earlierMatches + plugins.matchCount
        )
    }

    /// Waits until the disk has the new matches, where that is wanted.
    func synchronizeMatches() {
        guard let keeper, keeper.request.durability == .always,
            keeper.note(matches: earlierMatches + plugins.matchCount)
        else { return }
        do throws(TransportError) {
            try FileSystem.synchronizeFiles(request.outputs.filter(\.canBeCutBack).map(\.path))
        } catch {
            keeper.fail("\(error)")
        }
    }

    /// Publishes what was saved, and what was not.
    func publishState() {
        guard let keeper else { return }
        if let (byteCount, pause) = keeper.noteWriting() { show(byteCount, pause: pause) }
        let journals = keeper.request.journals?.byteCounts
        context.status.update { numbers in
            numbers.stateFailures = keeper.failureCount
            numbers.journals = journals
        }
    }

    /// Saves the state of the end of the inputs, before the plugins learn that nothing follows: what is appended to the
    /// inputs later is read on from here.
    func saveStateOfEnd() {
        guard keeper != nil, stateOfEnd == nil, begin() == nil else { return }
        stateOfEnd = saveState()
    }

    /// Saves the state between two batches, where that can be done just now.
    ///
    /// - Parameter isBehind: Whether it is written while the pipeline goes on.
    /// - Returns: What was saved.
    @discardableResult
    func saveState(behind isBehind: Bool = false) -> RunCheckpoint? {
        guard let keeper, let intake else { return nil }
        let start = clock.now()
        var checkpoint = RunCheckpoint()
        // In the middle of a line that is too long, say: the next batch will do.
        guard intake.save(to: &checkpoint) else { return nil }
        guard plugins.unsaveable == nil else { return nil }
        if plugins.isFinished {
            checkpoint.parts.append(RunCheckpoint.Part(name: StateKeeper.finishedPlugins, bytes: []))
        }
        if isBehind, keeper.prefersCopy, plugins.canBeSavedInCopy,
            saveInCopy(&checkpoint, with: allCounts, since: start, plugins.saved)
        {
            return checkpoint
        }
        do {
            checkpoint.consumers = try plugins.saved()
        } catch {
            keeper.fail("\(error)")
            return nil
        }
        return save(&checkpoint, with: allCounts, since: start, behind: isBehind)
    }

    /// Saves what workers, which stand still until then, and the thread that reads know between two batches.
    func saveState(of cut: WorkerPool.Cut, of workers: WorkerPool, since start: Timestamp) throws(HostError) {
        defer { workers.release() }
        guard let keeper, stateOfEnd == nil else { return }
        if cut.isEnd, begin() != nil { return }
        var checkpoint = cut.checkpoint
        if !cut.isEnd, keeper.prefersCopy, workers.canBeSavedInCopy,
            saveInCopy(&checkpoint, with: counts, since: start, workers.savedOfAll)
        {
            return
        }
        let (consumers, flaw) = try workers.save()
        if let flaw { return keeper.fail(flaw) }
        checkpoint.consumers = consumers
        let saved = save(&checkpoint, with: counts, since: start, behind: !cut.isEnd)
        if cut.isEnd { stateOfEnd = saved }
    }

    /// Completes a checkpoint, and has a copy of the process save what plugins know, and write it.
    ///
    /// - Returns: False where it has to be written in another way.
    private func saveInCopy(
        _ checkpoint: inout RunCheckpoint,
        with counts: [(name: String, value: UInt64)],
        since start: Timestamp,
        _ contents: () throws -> [RunCheckpoint.Consumer]
    ) -> Bool {
        guard let keeper else { return false }
        let paths = complete(&checkpoint, with: counts, keeper)
        return keeper.writeInCopy(
            &checkpoint,
            after: paths,
            contents: contents,
            pause: { (clock.now() - start).wholeNanoseconds }
        )
    }

    /// Completes a checkpoint, and writes it.
    private func save(
        _ checkpoint: inout RunCheckpoint,
        with counts: [(name: String, value: UInt64)],
        since start: Timestamp,
        behind isBehind: Bool
    ) -> RunCheckpoint? {
        guard let keeper else { return nil }
        let paths = complete(&checkpoint, with: counts, keeper)
        if isBehind {
            let pause = (clock.now() - start).wholeNanoseconds
            if keeper.writeBehind(&checkpoint, after: paths, pause: pause) { return checkpoint }
        }
        guard let byteCount = keeper.write(&checkpoint, after: paths) else { return nil }
        show(byteCount, pause: (clock.now() - start).wholeNanoseconds)
        return checkpoint
    }

    /// Adds what the pipeline itself knows.
    ///
    /// - Returns: The files that have to be on the disk before the checkpoint.
    private func complete(
        _ checkpoint: inout RunCheckpoint,
        with counts: [(name: String, value: UInt64)],
        _ keeper: StateKeeper
    ) -> [String] {
        let (outputs, paths) = outputLengths(keeper)
        checkpoint.outputs = outputs
        checkpoint.counts =
            Self.encoded(counted) + counts.map { (name: Self.countPrefix + $0.name, value: $0.value) }
        return paths
    }

    private func show(_ byteCount: Int, pause: Int64) {
        let now = clock.now()
        context.status.update { numbers in
            numbers.state = PipelineStatus.State(taken: now, byteCount: byteCount, nanoseconds: pause)
        }
    }

    /// Notes that the inputs have ended and everything is written, so that the same command finds nothing to do.
    func finishState() {
        guard let keeper, var checkpoint = stateOfEnd else { return }
        checkpoint.isFinished = true
        checkpoint.counts += Self.encoded(atTheEnd: counted, ofPlugins: workers == nil ? allCounts : counts)
        let (lengths, paths) = outputLengths(keeper)
        for index in checkpoint.outputs.indices {
            checkpoint.outputs[index].finalByteCount =
                lengths.first { $0.name == checkpoint.outputs[index].name }?.byteCount
        }
        _ = keeper.write(&checkpoint, after: paths)
    }

    /// How long the outputs are that can be cut back, and those that have to be on the disk before that is said.
    private func outputLengths(_ keeper: StateKeeper) -> (outputs: [RunCheckpoint.Output], paths: [String]) {
        var all: [RunCheckpoint.Output] = []
        var paths: [String] = []
        for (option, address) in request.namedOutputs where address.canBeCutBack {
            if outlets.hasBegun, keeper.request.durability != .never { paths.append(address.path) }
            let now = FileSystem.length(ofFile: address.path)
            // What was there before goes with the first record.
            let isKept = outlets.hasBegun || goesOn || address.appends
            all.append(
                RunCheckpoint.Output(
                    name: StateKeeper.name(of: address, option),
                    byteCount: isKept ? now?.byteCount ?? 0 : 0,
                    node: now?.node ?? 0
                )
            )
        }
        return (all, paths)
    }

    // MARK: Going on

    /// Whether the run goes on from a checkpoint.
    var goesOn: Bool { keeper?.start != nil }

    /// Says where a run goes on, and that there is nothing to do.
    func sayWhereItGoesOn() {
        guard let keeper, let start = keeper.start else { return }
        let place = "\(Quantity.counted(tally.count, "record", "records"))"
        context.console.writeLine(
            keeper.isDone
                ? "nothing to do: '\(keeper.request.folder)' says that all \(place) were read, and nothing came since"
                : "goes on behind \(place), from checkpoint \(start.number) of '\(keeper.request.folder)'",
            about: request.name
        )
    }
}
