internal import WeirCore
internal import WeirFiles
internal import WeirRecords

// What a pipeline does while there is input.
extension Pipeline {
    /// Takes batch after batch.
    func pump(_ first: any Intake) -> Ending {
        var intake = first
        do {
            while true {
                // What waits for nothing to happen waits only while there are partial matches.
                intake.reportsIdleTime = plugins.canAdvance && plugins.partialMatches() != 0
                if savesWhileIdle { setSaveTime(of: intake) }
                do {
                    let hasMore = try intake.next { batch in
                        let isEmpty = batch.isEmpty && intake.pendingRejections.isEmpty
                        guard !isEmpty || intake.reportsIdleTime else { return }
                        try beginOutputs()
                        try replacePlugins()
                        try take(&batch, from: intake)
                    }
                    guard hasMore else { return .endOfInput }
                    saveStateIfDue()
                } catch TransportError.interrupted where context.replacement?.pauses ?? false {
                    _ = savePause?.end(but: context.replacement)
                    intake = try replace(intake)
                } catch TransportError.interrupted where savePause?.end(but: context.replacement) ?? false {
                    saveStateIfDue()
                }
                // An intake that drains says itself when there is nothing more.
                if let interruption = context.interruption, interruption.isTriggered,
                    !intake.drainsWhenInterrupted || (keeper != nil && !request.losesWhatWaits)
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
    func pump(_ workers: WorkerPool) -> Ending {
        do {
            while let result = try workers.next() {
                // A header that lacks a field shows only after this.
                if result.events > 0 || !result.rejections.isEmpty { try beginOutputs() }
                tally.events += result.events
                tally.count(result.rejections)
                earlierMatches += result.matchCount
                byteCount = result.byteCount
                counts = result.counts
                Self.add(earlierCounts, to: &counts)
                watermark = result.watermark ?? watermark
                (order, unseenOfWorkers) = (result.order, result.unseen)
                if !result.matches.isEmpty {
                    progress.erase()
                    do throws(TransportError) {
                        try outlets.write(result.matches)
                    } catch {
                        throw OutputError.matches(error)
                    }
                }
                publish(delay: (clock.now() - result.start).wholeNanoseconds, count: Int(result.events))
                do throws(TransportError) {
                    try rejections.report(result.rejections)
                } catch {
                    throw OutputError.rejections(error)
                }
                progress.update(events: tally.events, byteCount: byteCount)
                synchronizeMatches()
                publishState()
                if let cut = result.cut { try saveState(of: cut, of: workers, since: result.start) }
                if let keeper, stateOfEnd == nil, keeper.isDue { workers.requestCut() }
            }
            return .endOfInput
        } catch {
            return ending(of: error)
        }
    }

    /// Feeds a batch to the plugins, and writes what comes of it.
    func take(_ batch: inout RecordBatch, from intake: any Intake) throws(OutputError) {
        let start = clock.now()
        let found = batch.rejections.count
        let early = intake.pendingRejections
        var refused: [RejectedInput] = []
        presence.look(at: batch)
        plugins.receive(&batch) { refused += $0 }
        if batch.count == 0, let frontier = intake.frontier { plugins.advance(to: frontier) }
        tally.count(batch, rejectedBefore: found)
        tally.count(early)
        tally.count(refused)
        page?.count(batch, tally.since(context.earlier.tally), nanoseconds: progress.elapsedNanoseconds)
        var fault: OutputError?
        do throws(OutputError) {
            try writeMatches()
        } catch {
            // The lines that were rejected are kept all the same.
            fault = error
        }
        if !batch.rejections.isEmpty {
            refused += RejectedInput.all(
                of: batch,
                input: { intake.input(ofLineStartingAt: $0) },
                position: { intake.index(ofRecordStartingAt: $0) }
            )
        }
        refused = RejectedInput.merged(early, refused)
        if let time = plugins.schema.timeField.flatMap({ batch.time(ofField: $0, inRecordAt: batch.count - 1) }) {
            watermark = max(watermark ?? time, time)
        }
        byteCount = intake.byteCount
        counts = allCounts
        publish(delay: (clock.now() - start).wholeNanoseconds, count: batch.count)
        if !refused.isEmpty {
            do throws(TransportError) {
                try rejections.report(refused)
            } catch {
                throw fault ?? .rejections(error)
            }
        }
        if let fault { throw fault }
    }

    /// Publishes the numbers of the pipeline.
    func publish(delay: Int64, count: Int) {
        context.status.update { numbers in
            numbers.tally = tally
            numbers.matches = earlierMatches + plugins.matchCount
            numbers.byteCount = byteCount
            numbers.pending = intake?.pendingCount ?? workers?.pendingCount ?? 0
            numbers.watermark = watermark
            numbers.delays.add(nanoseconds: delay, count: count)
            numbers.counts = counts
        }
    }

    func ending(of error: any Error) -> Ending {
        switch error {
        case let error as OutputError: Ending(error)
        case TransportError.interrupted: .interrupted
        case let error as HostError: error.exitCode == .interrupted ? .interrupted : .failed(error)
        default: .failed(HostError(.noInput, "\(error)"))
        }
    }
}
