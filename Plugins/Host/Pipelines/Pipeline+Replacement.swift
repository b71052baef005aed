internal import WeirCore
internal import WeirRecords

// How new plugins and outputs take the place of the old ones while the inputs go on.
extension Pipeline {
    /// Replaces plugins and outputs between two batches, if a replacement was requested.
    ///
    /// The old plugins end as at the end of an input. Nothing that was read is lost: the batch that is at hand goes to
    /// the new plugins, unless they want other fields; it goes to the old ones then, and the next one to the new.
    ///
    /// - Returns: The fields that the new plugins want, where they are others.
    func replacePlugins(keeping batch: borrowing RecordBatch) throws -> RecordSchema? {
        guard waiting == nil, let next = context.replacement?.take() else { return nil }
        let plugins = try RunningPlugins(next.instances, report: page?.report)
        guard plugins.schema == self.plugins.schema else {
            waiting = (next, plugins)
            return plugins.schema
        }
        try put(next, plugins)
        return nil
    }

    /// Reads on with other fields.
    func changeSchema(of intake: any Intake, to schema: RecordSchema) throws {
        guard let (next, plugins) = waiting else { return }
        waiting = nil
        guard intake.change(to: schema) else {
            throw HostError(.internalError, "the inputs cannot be read on with other fields")
        }
        try put(next, plugins)
    }

    /// What the plugins know.
    var knowledge: Knowledge {
        Knowledge(
            events: tally.events - eventsBefore,
            partialMatches: (workers?.partialMatches ?? plugins.partialMatches)(),
            hasRead: tally.events + tally.rejected + tally.late > 0
        )
    }

    func put(_ next: RunRequest, _ plugins: RunningPlugins) throws {
        let knowledge = knowledge
        self.plugins.finish(.finished)
        try writeMatches()
        context.abandon(knowledge)
        eventsBefore = tally.events
        earlierMatches += self.plugins.matchCount
        if next.rejected?.text != request.rejected?.text || next.late?.text != request.late?.text {
            try rejections.finish(meters)
            let reasons = rejections.reasons
            rejections = try Self.openKeptLines(next, context, meters)
            rejections.go(onAfter: reasons)
            if outlets.hasBegun { try beginKeptLines() }
            rejections.report(messagesOf: meters)
        }
        if next.outputs.map(\.text) != request.outputs.map(\.text) || next.style != request.style {
            try outlets.finish()
            let hasBegun = outlets.hasBegun
            outlets = try Outlets(next, context, meters)
            if hasBegun { try outlets.begin() }
        }
        self.plugins = plugins
        named = NamedField.all(of: next.instances, in: plugins.schema)
        presence = FieldPresence(of: named)
        context.status.ask(plugins.partialMatches)
        request = next
        context.status.update { $0.replacements += 1 }
    }
}
