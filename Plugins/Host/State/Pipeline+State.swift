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
        try keeper.restore(plugins)
        for remark in request.stateRemarks { context.console.writeLine(remark, about: request.name) }
        return keeper
    }

    /// Has the intake leave to the next run what this one does not come to, and takes the first checkpoint.
    func beginState() {
        guard let keeper, let intake else { return }
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

    /// Saves the state where it is due; between two batches.
    func saveStateIfDue() {
        guard let keeper else { return }
        if keeper.request.durability == .always, keeper.note(matches: earlierMatches + plugins.matchCount) {
            do throws(TransportError) {
                for output in request.outputs where output.canBeCutBack {
                    try FileSystem.synchronizeFile(output.path)
                }
            } catch {
                keeper.fail("\(error)")
            }
        }
        // What waits is handed out by now as if nothing followed, which the state of the end does not say.
        if keeper.isDue, stateOfEnd == nil { saveState() }
    }

    /// Saves the state of the end of the inputs, before the plugins learn that nothing follows: what is appended to the
    /// inputs later is read on from here.
    func saveStateOfEnd() {
        guard keeper != nil, stateOfEnd == nil, begin() == nil else { return }
        stateOfEnd = saveState()
    }

    /// Saves the state between two batches, where that can be done just now.
    ///
    /// - Returns: What was saved.
    @discardableResult
    func saveState() -> RunCheckpoint? {
        guard let keeper, let intake else { return nil }
        let start = clock.now()
        var checkpoint = RunCheckpoint()
        // In the middle of a line that is too long, say: the next batch will do.
        guard intake.save(to: &checkpoint) else { return nil }
        do throws(TransportError) {
            checkpoint.outputs = try outputLengths(keeper)
        } catch {
            keeper.fail("\(error)")
            return nil
        }
        guard plugins.unsaveable == nil else { return nil }
        do {
            checkpoint.consumers = try plugins.saved()
        } catch {
            keeper.fail("\(error)")
            return nil
        }
        checkpoint.counts =
            Self.encoded(counted) + allCounts.map { (name: Self.countPrefix + $0.name, value: $0.value) }
        if plugins.isFinished {
            checkpoint.parts.append(RunCheckpoint.Part(name: StateKeeper.finishedPlugins, bytes: []))
        }
        guard let byteCount = keeper.write(&checkpoint) else { return nil }
        let now = clock.now()
        context.status.update { numbers in
            numbers.state = PipelineStatus.State(
                taken: now,
                byteCount: byteCount,
                nanoseconds: (now - start).wholeNanoseconds
            )
        }
        return checkpoint
    }

    /// Notes that the inputs have ended and everything is written, so that the same command finds nothing to do.
    func finishState() {
        guard let keeper, var checkpoint = stateOfEnd else { return }
        checkpoint.isFinished = true
        guard let lengths = try? outputLengths(keeper) else { return }
        for index in checkpoint.outputs.indices {
            checkpoint.outputs[index].finalByteCount =
                lengths.first { $0.name == checkpoint.outputs[index].name }?.byteCount
        }
        _ = keeper.write(&checkpoint)
    }

    /// How long the outputs are that can be cut back, once what is in them is where it has to be.
    private func outputLengths(_ keeper: StateKeeper) throws(TransportError) -> [RunCheckpoint.Output] {
        var all: [RunCheckpoint.Output] = []
        for (option, address) in request.namedOutputs where address.canBeCutBack {
            if outlets.hasBegun, keeper.request.durability != .never { try FileSystem.synchronizeFile(address.path) }
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
        return all
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

    // MARK: Counts

    private static let countPrefix = "count: "
    private static let reasonPrefix = "reason: "

    private static func encoded(_ counts: Counts) -> [(name: String, value: UInt64)] {
        [
            ("events", counts.tally.events), ("rejected", counts.tally.rejected), ("late", counts.tally.late),
            ("matches", counts.matches),
        ] + counts.reasons.ranked.map { (reasonPrefix + $0.reason, $0.count) }
    }

    /// What was counted before a checkpoint.
    static func counts(before checkpoint: RunCheckpoint) -> (Counts, ofPlugins: [(name: String, value: UInt64)]) {
        var counts = Counts()
        var ofPlugins: [(name: String, value: UInt64)] = []
        for (name, value) in checkpoint.counts {
            switch name {
            case "events": counts.tally.events = value
            case "rejected": counts.tally.rejected = value
            case "late": counts.tally.late = value
            case "matches": counts.matches = value
            case _ where name.hasPrefix(countPrefix):
                ofPlugins.append((String(name.dropFirst(countPrefix.count)), value))
            case _ where name.hasPrefix(reasonPrefix):
                counts.reasons.add(String(name.dropFirst(reasonPrefix.count)), times: value)
            default: break
            }
        }
        return (counts, ofPlugins)
    }
}

extension RunRequest {
    /// Whether inputs that were read to their end have nothing that came since, or nothing more is wanted.
    func hasNothingMore(than checkpoint: RunCheckpoint) -> Bool {
        if checkpoint.parts.contains(where: { $0.name == StateKeeper.finishedPlugins }) { return true }
        return inputs.allSatisfy { input in
            guard let saved = checkpoint.inputs.first(where: { $0.name == input.name }) else { return false }
            let position: SourcePosition
            switch saved.place {
            case .unknown: return false
            case .bytes(let place): position = place.position
            case .records(let place): position = place.position
            }
            switch input.source {
            case .demo: return true
            case .address(let address):
                guard let transport = address.transport as? any ResumableTransport else { return false }
                return !transport.hasGrown(address.place, since: position)
            }
        }
    }
}

extension RunRequest {
    /// The same, where what is written goes behind what is there.
    ///
    /// - Throws: ``HostError`` for a place that cannot append.
    func appending() throws(HostError) -> RunRequest {
        func continued(_ address: Address) throws(HostError) -> Address {
            address.canBeCutBack ? try address.appending() : address
        }
        var request = self
        request.outputs = []
        for output in outputs { request.outputs.append(try continued(output)) }
        if let rejected { request.rejected = try continued(rejected) }
        if let late { request.late = try continued(late) }
        return request
    }
}
