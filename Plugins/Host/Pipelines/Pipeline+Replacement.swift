internal import WeirCore
internal import WeirRecords

// How new plugins and outputs take the place of the old ones while the inputs stay open.
extension Pipeline {
    /// Replaces plugins and outputs between two batches, if a replacement was requested that reads the same records; the
    /// batch that is at hand goes to the new plugins.
    ///
    /// The old plugins end as at the end of an input, unless their state is saved: then the new ones go on with it.
    func replacePlugins() throws {
        guard let next = context.replacement?.takeBetweenBatches() else { return }
        try put(next, try RunningPlugins(next.instances, form: next.matchForm, report: page?.report))
    }

    /// Replaces plugins, outputs and what makes records of the inputs' bytes, in a pause for that.
    ///
    /// What was read before went to the old plugins, which end as with ``replacePlugins()``. What is read from now on goes
    /// to the new ones; the beginning of a record whose end has not come yet too.
    ///
    /// - Returns: What to read on with.
    func replace(_ intake: any Intake) throws -> any Intake {
        let sources = intake.handOver()
        guard let next = context.replacement?.take(resuming: context.interruption) else { return intake }
        let plugins = try RunningPlugins(next.instances, form: next.matchForm, report: page?.report)
        try put(next, plugins)
        let following = try next.makeIntake(
            schema: plugins.schema,
            batchCapacity: RunningPlugins.batchCapacity,
            meters,
            goingOnWith: sources
        )
        Self.add(intake.counts, to: &earlierCounts)
        self.intake = following
        prepareSavePause()
        beginState()
        // No batch is at hand, so the state need not be that of the old ones until the next comes.
        if keeper?.isDue ?? false { saveState() }
        return following
    }

    /// What was counted by the plugins and the intake, and by those that they took the place of.
    var allCounts: [(name: String, value: UInt64)] {
        var all = plugins.counts + (intake?.counts ?? [])
        Self.add(earlierCounts, to: &all)
        return all
    }

    static func add(
        _ counts: [(name: String, value: UInt64)],
        to sums: inout [(name: String, value: UInt64)]
    ) {
        for count in counts {
            if let index = sums.firstIndex(where: { $0.name == count.name }) {
                sums[index].value = NamedCount.sum(sums[index].value, count.value)
            } else {
                sums.append(count)
            }
        }
    }

    /// What the plugins know.
    var knowledge: Knowledge {
        Knowledge(
            events: tally.events - eventsBefore,
            partialMatches: (workers?.partialMatches ?? plugins.partialMatches)(),
            hasRead: tally.count > context.earlier.tally.count
        )
    }

    func put(_ next: RunRequest, _ plugins: RunningPlugins) throws {
        // A pause of the sources would stop outputs that are opened.
        savePause?.set(nil)
        _ = savePause?.end(but: context.replacement)
        plugins.goOn(with: self.plugins)
        // Rules take what they go on with from one another.
        if keeper != nil, plugins.consumers.allSatisfy({ $0.handover == nil }) {
            // What they know is not at its end; what of it does not fit is said.
            goOnWithState(of: self.plugins, in: plugins)
        } else {
            let knowledge = knowledge
            self.plugins.finish(request.completionWhenInterrupted)
            try writeMatches()
            context.abandon(knowledge)
        }
        eventsBefore = tally.events
        earlierMatches += self.plugins.matchCount
        Self.add(self.plugins.counts, to: &earlierCounts)
        // At once, so that the old ones are not counted again where an output fails below.
        let old = request
        request = next
        self.plugins = plugins
        named = NamedField.all(of: next.instances, in: plugins.schema)
        presence = FieldPresence(of: named)
        context.status.ask(plugins.partialMatches)
        context.status.update { $0.replacements += 1 }
        goOnSaving(next)
        if next.rejected?.text != old.rejected?.text || next.late?.text != old.late?.text {
            try rejections.finish(meters)
            let reasons = rejections.reasons
            rejections = try Self.openKeptLines(next, context, meters)
            rejections.go(onAfter: reasons)
            if outlets.hasBegun { try beginKeptLines() }
            rejections.report(messagesOf: meters)
        }
        // A table has the columns of its first plugins.
        let isOtherTable = outlets.hasTable && next.columns != old.columns
        if next.outputs.map(\.text) != old.outputs.map(\.text) || next.style != old.style || isOtherTable {
            try outlets.finish()
            let before = outlets
            outlets = try Outlets(next, context, meters)
            outlets.goOn(after: before.leftOut)
            if before.hasBegun { try outlets.begin() }
        }
    }
}
