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
        fileprivate let reading: Reading
    }

    /// What a change means for the inputs.
    fileprivate enum Reading {
        /// They are read on as before.
        case goesOn
        /// They stay open, and what makes records of their bytes begins anew.
        case begins
        /// They are closed, and opened again.
        case reopens
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
            try next.checkTimes(of: schema)
            try next.checkThatNothingIsOverwritten()
            for output in next.outputs where next.style(of: output).isTable {
                _ = try context.outputs.continuing(output).existingColumns(besides: next.columns)
            }
        } catch {
            throw plan.locate(error)
        }
        try next.checkThatFilesCanBeWritten()
        guard interruption != nil, next.hasInputs(of: plan, as: old) else {
            return Change(plan: plan, request: next, reading: .reopens)
        }
        let before = try? RunningPlugins(try old.request(try Registry.builtIn(interruption: nil)).instances)
        let isAlike = before?.schema == schema && plan.readsRecords(as: old)
        return Change(
            plan: plan,
            request: next,
            reading: isAlike ? .goesOn : next.canBeginInTheMiddle(plan.arguments) ? .begins : .reopens
        )
    }

    /// Goes on with another plan.
    ///
    /// In place where the inputs are the same, so that they stay open and nothing is lost; otherwise the old inputs are
    /// drained before the new ones are opened. A pipeline that has ended, or was to end, starts again.
    func apply(_ change: Change) {
        let hasEnded = state.withLock { state in
            let hasEnded = state.exitCode != nil
            state.plan = change.plan
            // What is triggered ends, and what comes after it has the plan.
            let isEnding = hasEnded || state.desired == .end || state.interruption?.isTriggered ?? true
            if change.reading != .reopens, !isEnding, !state.waitsForOutput {
                context.console.write(change.request.queries, about: name)
                replacement.put(change.request, pausing: change.reading == .begins ? state.interruption : nil)
            } else {
                state.revision += 1
                state.interruption?.trigger()
            }
            state.desired = .run
            return hasEnded
        }
        if hasEnded { start() }
        wake.unpark()
    }
}

extension RunRequest {
    /// Whether two plans read the same inputs, so that these can stay open; workers share what they read, and do not go
    /// on with other plugins.
    fileprivate func hasInputs(of plan: Configuration.Plan, as old: Configuration.Plan) -> Bool {
        let options: [OptionDeclaration] = [
            .from, .format, .delimiter, .quote, .comment, .header, .framing, .seed, .report, .partitionBy, .workers,
            .state, .checkpoint, .stateMismatch, .fsync, .journal, .journalLimit, .journalFull,
        ]
        return partition == nil && options.allSatisfy { plan.arguments[$0] == old.arguments[$0] }
    }

    /// Whether reading can begin anew in the middle of the inputs: there is nothing before a record that says what it
    /// means, but for a header that was kept.
    func canBeginInTheMiddle(_ arguments: PipelineArguments) -> Bool {
        arguments[.framing] == nil
            && inputs.allSatisfy { input in
                guard input.format.canBeginInTheMiddle else { return false }
                // What a plugin makes itself knows no pause.
                guard case .address(let address) = input.source else { return false }
                return address.framing == nil
            }
    }
}

extension Configuration.Plan {
    /// Whether two plans make the same records of the same bytes, in the same order.
    fileprivate func readsRecords(as old: Configuration.Plan) -> Bool {
        let options: [OptionDeclaration] = [.maxLine, .idleTimeout, .lateness, .maxHeld, .maxAhead]
        return options.allSatisfy { arguments[$0] == old.arguments[$0] }
    }
}
