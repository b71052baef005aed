internal import WeirCore
internal import WeirRecords
internal import WeirState

/// The records of another intake in the order of their times, where none comes later than a limit.
///
/// A record waits until one has come that is later by the lateness: those that belong before it have come by then. A record
/// that comes later than that is left out, counted and kept where that is wanted. Records of the same time stay in their
/// order. At the end of the inputs, everything is handed out.
///
/// Where an input is live, its times are taken to go on with the clock while nothing comes, so that nothing waits longer
/// than the lateness for a record that never comes.
///
/// Memory: the records of the lateness, up to a number of records and of bytes. Beyond that the oldest is handed out before
/// its time, and counted; what comes behind it is late then.
final class OrderedIntake: Intake {
    /// How many bytes of records wait, at most.
    private static let byteLimit = 256 << 20

    private let inner: any Intake
    /// The same, where an input is live.
    private let liveInner: MergedIntake?
    private let timeField: Int
    private let lateness: Int64

    /// Whether the input says how far time is, so that its records do not.
    private let followsMarks: Bool
    private let limit: Int
    private let clock = MonotonicClock()

    private var held: HeldRecords
    private var batch: RecordBatch
    private let schema: RecordSchema
    /// What is handed out next.
    private var due: RecordChunk
    private var origins: [Int32] = []
    private var names: [String] = []
    /// What was refused, and where it stands among the records: behind those that were there and due when it came.
    ///
    /// So it has its place however the records come in batches.
    private var refused: ArraySlice<(time: Timestamp, number: UInt64, line: RejectedInput)> = []
    /// What is handed out next of it.
    private var refusedNext: [RejectedInput] = []

    /// The greatest time so far.
    private var newest = Timestamp.distantPast
    /// Older records are late.
    private var frontierTime = Timestamp.distantPast
    private var lastArrival: Timestamp

    /// How often idle time is reported.
    private static let idleReportInterval: Int64 = 200_000_000

    var reportsIdleTime = false
    private var lastReport: Timestamp
    private var isReport = false
    private var hastened: UInt64 = 0
    private var hasEnded = false
    private var failure: (any Error)?

    /// Whether an interruption has come that leaves what waits for the next run.
    private var isLeftToNextRun = false

    var saving: IntakeSaving? {
        didSet { inner.saving = saving }
    }

    var saveTime: Timestamp?

    /// Creates an intake.
    ///
    /// - Parameters:
    ///   - inner: Where the records come from.
    ///   - lateness: How much later than a younger one a record may come.
    ///   - followsMarks: Whether the marks of the input say how far time is, and not its records.
    ///   - limit: How many records wait, at most.
    ///   - timeField: The index of the field with the time.
    ///   - schema: What is wanted of each record.
    ///   - batchCapacity: How many records to hand out at a time.
    ///   - resumption: What the run goes on from; `nil` where it begins.
    /// - Throws: ``HostError`` when the records that waited cannot be used.
    init(
        _ inner: any Intake,
        lateness: Duration,
        followsMarks: Bool = false,
        limit: Int,
        timeField: Int,
        schema: RecordSchema,
        batchCapacity: Int,
        _ resumption: Resumption? = nil
    ) throws(HostError) {
        self.inner = inner
        liveInner = (inner as? MergedIntake).flatMap { $0.isLive ? $0 : nil }
        self.timeField = timeField
        self.lateness = lateness.wholeNanoseconds
        self.followsMarks = followsMarks
        self.limit = limit
        self.schema = schema
        held = HeldRecords(schema: schema)
        due = RecordChunk(schema: schema)
        batch = RecordBatch(schema: schema, capacity: batchCapacity)
        lastArrival = clock.now()
        lastReport = lastArrival
        guard let kept = try resumption?.records(Self.partName, schema: schema) else { return }
        (newest, frontierTime, names) = (kept.newest, kept.frontier, kept.names)
        for index in kept.times.indices {
            held.insert(recordAt: index, of: kept.chunk, time: kept.times[index], origin: kept.origins[index])
        }
    }

    /// What the records that wait are called in a checkpoint.
    private static let partName = "held records"

    func save(to checkpoint: inout RunCheckpoint) -> Bool {
        // What was refused has still to be reported, and what is due to be handed out.
        guard refused.isEmpty, refusedNext.isEmpty, due.count == 0, failure == nil || isLeftToNextRun,
            inner.save(to: &checkpoint)
        else {
            return false
        }
        var kept = held.kept
        (kept.newest, kept.frontier, kept.names) = (newest, frontierTime, names)
        checkpoint.parts.append(RunCheckpoint.Part(name: Self.partName, bytes: kept.encoded))
        return true
    }

    var frontier: Timestamp? { liveInner == nil && !inner.goesOnAfterInterruption ? nil : frontierTime }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        while true {
            // What waits is for the next run.
            if isLeftToNextRun, refused.isEmpty, refusedNext.isEmpty, let failure { throw failure }
            while due.count < batch.capacity {
                releaseRefused()
                guard !isLeftToNextRun, let time = held.oldestTime, time <= frontierTime else { break }
                release()
            }
            if due.count > 0 || !refusedNext.isEmpty || isReport {
                isReport = false
                pendingRejections = exchange(&refusedNext, with: [])
                // Forgotten before the next time, and not at once: the body asks where the records came from.
                defer {
                    due = RecordChunk(schema: schema)
                    origins.removeAll(keepingCapacity: true)
                }
                try due.lend(0..<due.count, in: &batch, body)
                return true
            }
            if hasEnded {
                if let failure { throw failure }
                return false
            }
            try readOn()
        }
    }

    /// Takes the next records of the other intake, or learns that there are none.
    ///
    /// - Throws: ``TransportError/interrupted(address:)`` where it can be asked again.
    private func readOn() throws(TransportError) {
        if let liveInner {
            let due = held.oldestTime.map { lastArrival.shifted(byNanoseconds: missing(to: $0)) }
            let report =
                reportsIdleTime && newest > .distantPast
                ? lastReport.shifted(byNanoseconds: Self.idleReportInterval) : nil
            liveInner.wakeTime = [due, report, saveTime].compactMap { $0 }.min()
        }
        do {
            hasEnded = try !inner.next { take($0) }
        } catch TransportError.interrupted(let address) where inner.goesOnAfterInterruption {
            if let mark = inner.mark { raiseFrontier(to: mark.shifted(byNanoseconds: -lateness)) }
            guard let time = held.oldestTime, time <= frontierTime else { throw .interrupted(address: address) }
        } catch {
            failure = error
            hasEnded = true
            if case TransportError.interrupted = error { isLeftToNextRun = saving?.leavesRest() ?? false }
        }
        guard hasEnded, !isLeftToNextRun else { return }
        if failure == nil { saving?.beforeTheEnd() }
        frontierTime = .distantFuture
    }

    /// By how much the newest time has to grow until a time is due.
    private func missing(to time: Timestamp) -> Int64 {
        (time - newest.shifted(byNanoseconds: -lateness)).wholeNanoseconds
    }

    private func take(_ batch: borrowing RecordBatch) {
        refuse(inner.pendingRejections)
        var rejections = RejectedInput.all(of: batch) { inner.input(ofLineStartingAt: $0) }[...]
        defer { refuse(rejections) }
        if batch.isEmpty, inner.pendingRejections.isEmpty {
            // Nothing came while the clock went on.
            let now = clock.now()
            let idle = (now - lastArrival).wholeNanoseconds
            isReport = reportsIdleTime || isTimeToSave(now)
            lastReport = now
            raiseFrontier(to: newest.shifted(byNanoseconds: -lateness).shifted(byNanoseconds: idle))
            return
        }
        if liveInner != nil || inner.goesOnAfterInterruption { lastArrival = clock.now() }
        // Also where all that comes has to wait.
        isReport = isReport || liveInner != nil && isTimeToSave(lastArrival)
        for index in 0..<batch.count {
            let line = batch.line(ofRecordAt: index)
            while let rejection = rejections.first, rejection.line < line { refuse([rejections.removeFirst()]) }
            // The plugins say what is wrong with a record whose time cannot be read.
            let time = batch.time(ofField: timeField, inRecordAt: index) ?? newest
            let input = inner.input(ofRecordAt: index)
            guard time >= frontierTime else {
                // Marks may be ahead of the records.
                let reference = max(newest, frontierTime.shifted(byNanoseconds: lateness))
                refuse([RejectedInput(lateRecordAt: index, of: batch, from: input, by: reference - time)])
                continue
            }
            guard held.insert(recordAt: index, of: batch, time: time, origin: number(of: input)) else {
                refuse([RejectedInput(tooLargeRecordAt: index, of: batch, from: input)])
                continue
            }
            newest = max(newest, time)
            if !followsMarks { raiseFrontier(to: newest.shifted(byNanoseconds: -lateness)) }
            makeRoom()
        }
    }

    private func isTimeToSave(_ now: Timestamp) -> Bool { saveTime.map { $0 <= now } ?? false }

    private func raiseFrontier(to time: Timestamp) {
        frontierTime = max(frontierTime, time)
    }

    /// Returns the oldest records where too many wait.
    private func makeRoom() {
        while held.count > limit || held.byteCount > Self.byteLimit, due.count < batch.capacity,
            let time = held.oldestTime
        {
            if time > frontierTime { hastened += 1 }
            raiseFrontier(to: time)
            releaseRefused()
            release()
        }
    }

    private func release() {
        origins.append(held.moveOldest(to: &due))
    }

    private func refuse(_ lines: some Sequence<RejectedInput>) {
        for line in lines { refused.append((frontierTime, held.nextNumber, line)) }
    }

    /// Hands out what was refused before the oldest record.
    private func releaseRefused() {
        while let first = refused.first, isLeftToNextRun || held.isOldest(after: first.time, first.number) {
            refused.removeFirst()
            var line = first.line
            line.position = due.count
            refusedNext.append(line)
        }
    }

    func index(ofRecordStartingAt start: Int) -> Int? { due.index(ofRecordStartingAt: start) }

    // MARK: Where records come from

    /// A number that stands for an input; -1 where there is one input.
    private func number(of input: String?) -> Int32 {
        guard let input else { return -1 }
        if let index = names.firstIndex(of: input) { return Int32(index) }
        names.append(input)
        return Int32(names.count - 1)
    }

    func input(ofLineStartingAt start: Int) -> String? {
        due.index(ofRecordStartingAt: start).flatMap { input(ofRecordAt: $0) }
    }

    func input(ofRecordAt index: Int) -> String? { origins[index] < 0 ? nil : names[Int(origins[index])] }

    private(set) var pendingRejections: [RejectedInput] = []

    // MARK: How it goes

    var byteCount: Int64 { inner.byteCount }

    var expectedByteCount: Int64? { inner.expectedByteCount }

    /// What waits is handed out before the end.
    var drainsWhenInterrupted: Bool { true }

    var pendingCount: Int { held.count + inner.pendingCount }

    var counts: [(name: String, value: UInt64)] {
        inner.counts + [("records were handed on before their time, because --max-held has no room for more", hastened)]
    }

    var sample: [UInt8]? { inner.sample }

    func handOver() -> [Int: HeadKeepingSource] { inner.handOver() }

    func close() { inner.close() }
}
