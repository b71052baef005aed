internal import WeirCore
internal import WeirRecords
internal import WeirState

// What a pipeline counted, in a checkpoint, and what there is left to do after one.
extension Pipeline {
    static let countPrefix = "count: "
    static let reasonPrefix = "reason: "
    fileprivate static let endPrefix = "end: "

    /// What was counted when all was written, beside what was counted at the checkpoint.
    static func encoded(
        atTheEnd counts: Counts,
        ofPlugins: [(name: String, value: UInt64)]
    ) -> [(name: String, value: UInt64)] {
        (encoded(counts) + ofPlugins.map { (countPrefix + $0.name, $0.value) }).map { (endPrefix + $0.name, $0.value) }
    }

    static func encoded(_ counts: Counts) -> [(name: String, value: UInt64)] {
        [
            ("events", counts.tally.events), ("rejected", counts.tally.rejected), ("late", counts.tally.late),
            ("matches", counts.matches),
        ] + counts.reasons.ranked.map { (reasonPrefix + $0.reason, $0.count) }
    }

    /// What was counted before a checkpoint; where that was the end, what the plugins found at the end counts too.
    static func counts(
        before checkpoint: RunCheckpoint,
        isDone: Bool
    ) -> (Counts, ofPlugins: [(name: String, value: UInt64)]) {
        var counts = Counts()
        var ofPlugins: [(name: String, value: UInt64)] = []
        for (name, value) in checkpoint.counts(isDone: isDone) {
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

extension RunCheckpoint {
    /// What was counted at the checkpoint, or when all was written.
    func counts(isDone: Bool) -> [(name: String, value: UInt64)] {
        let ends = counts.filter { $0.name.hasPrefix(Pipeline.endPrefix) }
        guard isDone, !ends.isEmpty else { return counts.filter { !$0.name.hasPrefix(Pipeline.endPrefix) } }
        return ends.map { (String($0.name.dropFirst(Pipeline.endPrefix.count)), $0.value) }
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
