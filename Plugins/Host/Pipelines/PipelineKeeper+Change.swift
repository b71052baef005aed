internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

// How a pipeline goes on with another plan.
extension PipelineKeeper {
    /// Another plan for the pipeline, which can be carried out.
    struct Change {
        fileprivate let plan: Configuration.Plan
        fileprivate let request: RunRequest
        /// Whether the inputs can be read on.
        fileprivate let staysOpen: Bool
    }

    /// Prepares to go on with another plan; nothing changes yet.
    ///
    /// - Throws: ``HostError`` when the plan cannot be carried out.
    func change(to plan: Configuration.Plan) throws(HostError) -> Change {
        let (old, interruption) = state.withLock { ($0.plan, $0.interruption) }
        let next = try plan.request(try Registry.builtIn(interruption: interruption))
        let schema: RecordSchema
        do throws(HostError) {
            schema = try RunningPlugins(next.instances).schema
            try next.checkThatNothingIsOverwritten()
        } catch {
            throw plan.locate(error)
        }
        try next.checkThatFilesCanBeWritten()
        var staysOpen = interruption != nil && next.hasInputs(of: plan, as: old)
        let canReadOn =
            !next.readsOnThreads && next.lateness == nil && ["csv", "jsonl"].contains(next.inputs[0].format.name)
            && plan.arguments[.framing] == nil
        if staysOpen, !canReadOn {
            let before = try RunningPlugins(try old.request(try Registry.builtIn(interruption: nil)).instances)
            staysOpen = before.schema == schema
        }
        return Change(plan: plan, request: next, staysOpen: staysOpen)
    }

    /// Goes on with another plan.
    ///
    /// In place where only plugins or outputs differ, so that the inputs stay open and nothing is lost; otherwise the old
    /// inputs are drained before the new ones are opened. A pipeline that has ended, or was to end, starts again.
    func apply(_ change: Change) {
        let (staysOpen, hasEnded) = state.withLock { state in
            let hasEnded = state.exitCode != nil
            let staysOpen = change.staysOpen && !hasEnded && state.desired == .run && !state.waitsForOutput
            state.plan = change.plan
            state.desired = .run
            if !staysOpen {
                state.revision += 1
                state.interruption?.trigger()
            }
            return (staysOpen, hasEnded)
        }
        if staysOpen {
            replacement.put(change.request)
        } else if hasEnded {
            start()
        }
        wake.unpark()
    }
}

extension RunRequest {
    /// Whether two plans read the same inputs in the same way, so that these can stay open; workers share what they
    /// read, and do not go on with other plugins.
    fileprivate func hasInputs(of plan: Configuration.Plan, as old: Configuration.Plan) -> Bool {
        let options: [OptionDeclaration] = [
            .from, .format, .framing, .maxLine, .seed, .idleTimeout, .report, .partitionBy, .workers,
            .lateness, .maxHeld, .maxAhead,
        ]
        return partition == nil && options.allSatisfy { plan.arguments[$0] == old.arguments[$0] }
    }
}
