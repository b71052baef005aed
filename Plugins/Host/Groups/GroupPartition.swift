internal import WeirCore
internal import WeirGroups
internal import WeirRecords
internal import WeirState

/// One partition of a group: plugins of its own, fed with its messages.
final class GroupPartition: PartitionProcessor {
    /// What partitions tell the member that works at them.
    final class Results {
        var tally = Tally()
        var matches: UInt64 = 0
        var byteCount: Int64 = 0
        var lostOutputs: UInt64 = 0

        /// Gets what was rejected, or came too late.
        var report: ([RejectedInput]) throws(TransportError) -> Void = { _ in }
    }

    private let number: Int
    private let request: RunRequest
    private let plugins: RunningPlugins
    private let messages: GroupIntake
    private let intake: any Intake
    private let results: Results
    private let followsMarks: Bool
    private var outputs: [UInt8] = []

    /// The greatest event time so far.
    private(set) var watermark: Timestamp?

    private static let watermarkPart = "watermark"

    /// How many records wait for others, unless told otherwise.
    private static let heldLimit = 1_000_000

    /// Begins a partition, or goes on with what was known of it.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - request: What to run.
    ///   - state: What was known; `nil` at the beginning.
    ///   - sourceCount: How many parts the input has that say how far time is, and are merged by that.
    ///   - decoder: Decodes the messages.
    ///   - results: Gets what was counted.
    ///   - remark: Says what of the state does not fit, where that is allowed.
    /// - Throws: ``HostError`` when the state does not fit.
    init(
        _ number: Int,
        _ request: RunRequest,
        from state: [UInt8]?,
        sourceCount: Int,
        _ decoder: GroupDecoder,
        _ results: Results,
        remark: @escaping @Sendable (String) -> Void
    ) throws(HostError) {
        self.number = number
        self.request = request
        self.results = results
        plugins = try RunningPlugins(request.instances)
        var resumption: Resumption?
        if let state, let kept = request.state {
            do throws(CheckpointFlaw) {
                resumption = Resumption(checkpoint: try RunCheckpoint(state), request: kept, remark: remark)
            } catch {
                throw HostError(.noInput, "--group: what was known of partition \(number) cannot be read: \(error)")
            }
        }
        try resumption?.restore(plugins)
        watermark = resumption?.time(Self.watermarkPart)
        messages = GroupIntake(request, decoder, schema: plugins.schema, sourceCount: sourceCount)
        if let resumption { messages.goOn(with: resumption.checkpoint) }
        followsMarks = sourceCount > 0
        let isMerged = sourceCount > 0 && plugins.schema.timeField != nil
        if let lateness = request.lateness ?? (isMerged ? .zero : nil) {
            intake = try OrderedIntake(
                messages,
                lateness: lateness,
                followsMarks: isMerged,
                limit: request.heldLimit > 0 ? request.heldLimit : Self.heldLimit,
                timeField: try request.timeField(in: plugins.schema, for: "--lateness"),
                schema: plugins.schema,
                batchCapacity: RunningPlugins.batchCapacity,
                resumption
            )
        } else {
            intake = messages
        }
    }

    func take(_ payload: ArraySlice<UInt8>) { messages.append(payload) }

    func take(_ mark: TimeMark, of source: Int) { messages.append(mark, of: source) }

    var time: Int64? { watermark?.nanosecondsSinceEpoch }

    func process() throws(GroupError) {
        let before = (matches: plugins.matchCount, bytes: messages.byteCount)
        do {
            // An intake of messages ends by saying that no more have come.
            while try intake.next({ try receive(&$0) }) {}
        } catch TransportError.interrupted {
            if let frontier = intake.frontier, frontier > .distantPast { plugins.advance(to: frontier) }
            plugins.takeMatches { outputs += $0 }
            results.matches += plugins.matchCount - before.matches
            results.byteCount += messages.byteCount - before.bytes
        } catch {
            throw GroupError(.refused, "partition \(number): \(error)")
        }
    }

    private func receive(_ batch: inout RecordBatch) throws {
        let found = batch.rejections.count
        let early = intake.pendingRejections
        var refused: [RejectedInput] = []
        plugins.receive(&batch) { refused += $0 }
        plugins.takeMatches { outputs += $0 }
        results.tally.count(batch, rejectedBefore: found)
        results.tally.count(early)
        results.tally.count(refused)
        if !batch.rejections.isEmpty {
            refused += RejectedInput.all(of: batch, position: { intake.index(ofRecordStartingAt: $0) })
        }
        refused = RejectedInput.merged(early, refused)
        if let time = plugins.schema.timeField.flatMap({ batch.time(ofField: $0, inRecordAt: batch.count - 1) }) {
            watermark = max(watermark ?? time, time)
        }
        if !refused.isEmpty { try results.report(refused) }
    }

    func passTime() throws(GroupError) {
        messages.passTime()
        try process()
    }

    /// Records that wait for others, and not for the marks of a group before this one.
    var isWaiting: Bool { intake.pendingCount > 0 && request.lateness != nil && !followsMarks }

    var outputByteCount: Int { outputs.count }

    /// Says, on any thread, how many partial matches there are; `nil` where no plugin does.
    var partialMatches: @Sendable () -> Int? { plugins.partialMatches }

    func takeOutputs() -> [UInt8] { exchange(&outputs, with: []) }

    func save() throws(GroupError) -> [UInt8] {
        var checkpoint = RunCheckpoint()
        checkpoint.program = Version.text
        guard intake.save(to: &checkpoint) else {
            throw GroupError(.refused, "partition \(number): a record that is too long is still being read")
        }
        if let watermark { checkpoint.parts.append(RunCheckpoint.Part(name: Self.watermarkPart, time: watermark)) }
        do {
            checkpoint.consumers = try plugins.saved()
        } catch {
            throw GroupError(.refused, "partition \(number): \(error)")
        }
        return checkpoint.encoded()
    }
}
