internal import WeirCore
internal import WeirSystem

/// Spreads the records of a pipeline over threads by the value of a field, and brings what they find back into order.
///
/// Each worker has plugins of its own. Records with the same value go to the same worker, in their order. What is found
/// comes out in the order of the records that complete it, as with one worker; what only the end of the inputs brings
/// comes last, sorted by its bytes, with any number of workers. Limits, such as how many groups there can be, hold for each
/// worker: what is beyond them depends on how many there are.
///
/// Safety of the order: every worker answers every batch, also one that has no record for it, so that the answers to a
/// batch can be merged by the places of their records.
final class WorkerPool {
    /// What came of a batch.
    struct Harvest {
        var lines: [UInt8] = []
        var matches: UInt64 = 0
        var events: UInt64 = 0
        var rejections: [RejectedLine] = []
        var byteCount: Int64 = 0
        var watermark: Timestamp?
        var counts: [(name: String, value: UInt64)] = []
        /// When the batch was read.
        var start: Timestamp
    }

    /// What the reading thread says about a batch.
    private enum Header: Sendable {
        case batch(count: Int, rejections: [RejectedLine], byteCount: Int64, watermark: Timestamp?, start: Timestamp)
        case ended
        case failed(HostError)
        case interrupted
    }

    private enum Job: Sendable {
        /// Records, and the inputs that they came from, where there are several.
        case records(RecordShare, inputs: [String])
        case finish
    }

    /// A worker's answer to a batch.
    private struct Answer: Sendable {
        /// What each of the plugins found, by the places of the records in the batch.
        var findings: [Findings] = []
        /// What only the end of the inputs brought.
        var lastLines: [UInt8] = []
        var matches: UInt64 = 0
        var counts: [(name: String, value: UInt64)] = []
        var failure: HostError?
    }

    /// Asks the plugins of each worker for the partial matches that they hold.
    private final class Held: Sendable {
        private let questions = Locked<[@Sendable () -> Int?]>([])

        func add(_ question: @escaping @Sendable () -> Int?) { questions.withLock { $0.append(question) } }

        var partialMatches: Int? {
            let known = questions.withLock { $0 }.compactMap { $0() }
            return known.isEmpty ? nil : known.reduce(0, +)
        }
    }

    /// How many records a batch can have: more than for one thread, because handing it over has its price.
    static let batchCapacity = 2048

    /// How many batches may be on the way.
    private static let window = 8

    private let inputCount: Int
    private let pluginCount: Int
    private let headers: BoundedQueue<Header>
    private let jobs: [BoundedQueue<Job>]
    private let answers: [BoundedQueue<Answer>]
    private let latch = Latch()
    private let held = Held()
    private var byteCount: Int64 = 0
    private var watermark: Timestamp?
    private var hasEnded = false

    /// Starts the threads; the inputs are opened by one of them.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - partition: How to spread it.
    ///   - schema: What is wanted of each record.
    ///   - meters: Takes the meters of the transports.
    /// - Throws: ``HostError`` when the field is not among those, or the system has no threads left.
    init(_ request: RunRequest, _ partition: RunRequest.Partition, schema: RecordSchema, _ meters: MeterBoard)
        throws(HostError)
    {
        let field = try Self.field(of: partition, in: schema)
        inputCount = request.inputs.count
        pluginCount = request.instances.count
        let arrival = Parker()
        headers = BoundedQueue(capacity: Self.window, arrival: arrival)
        answers = (0..<partition.workerCount).map { _ in BoundedQueue(capacity: Self.window, arrival: arrival) }
        jobs = (0..<partition.workerCount).map { _ in BoundedQueue(capacity: Self.window) }
        for (jobs, answers) in zip(jobs, answers) {
            try start("weir.worker") { [held] in Self.work(request, schema, jobs, answers, held) }
        }
        try start("weir.intake") { [headers, jobs] in Self.read(request, schema, field, headers, jobs, meters) }
    }

    /// The index of the field by which records are spread.
    ///
    /// - Throws: ``HostError`` when no plugin reads it.
    static func field(of partition: RunRequest.Partition, in schema: RecordSchema) throws(HostError) -> Int {
        guard let field = schema.fields.firstIndex(where: { $0.name == partition.field }) else {
            throw .usage("--partition-by: no plugin reads the field '\(partition.field)'")
        }
        return field
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(HostError) {
        let latch = latch
        latch.enter()
        let isStarted = SystemThread.start(name) {
            body()
            latch.leave()
        }
        guard isStarted else {
            latch.leave()
            close()
            throw HostError(.internalError, "the system has no threads left")
        }
    }

    /// Waits until no thread is at work any more; somebody must have interrupted the inputs before, unless they ended.
    func close() {
        headers.close()
        for queue in jobs { queue.close() }
        for queue in answers { queue.close() }
        latch.wait()
    }

    /// How many records are on the way, at most.
    var pendingCount: Int { (jobs.map(\.count).max() ?? 0) * Self.batchCapacity }

    /// Finds out, on any thread, how many partial matches the plugins of all workers hold; `nil` where none of them says.
    var partialMatches: @Sendable () -> Int? {
        { [held] in held.partialMatches }
    }

    // MARK: The reading thread

    private static func read(
        _ request: RunRequest,
        _ schema: RecordSchema,
        _ field: Int,
        _ headers: BoundedQueue<Header>,
        _ jobs: [BoundedQueue<Job>],
        _ meters: MeterBoard
    ) {
        var end = Header.ended
        do {
            let intake = try request.makeIntake(schema: schema, batchCapacity: batchCapacity, meters)
            defer { intake.close() }
            let clock = MonotonicClock()
            var watermark: Timestamp?
            var isWanted = true
            while isWanted {
                var header: Header?
                var shares: [Job] = []
                let hasMore = try intake.next { batch in
                    let start = clock.now()
                    var rejections = intake.pendingRejections
                    rejections += RejectedLine.all(of: batch) { intake.input(ofLineStartingAt: $0) }
                    let (records, refused) = split(batch, among: jobs.count, by: field, latest: &watermark)
                    for index in refused {
                        rejections.append(
                            RejectedLine(
                                goingBackAt: index,
                                of: batch,
                                from: intake.input(ofRecordAt: index)
                            )
                        )
                    }
                    let hasSeveralInputs = request.inputs.count > 1
                    shares = records.map { share in
                        let places = hasSeveralInputs ? share.places : []
                        return .records(share, inputs: places.map { intake.input(ofRecordAt: Int($0)) ?? "" })
                    }
                    header = .batch(
                        count: batch.count - refused.count,
                        rejections: rejections,
                        byteCount: intake.byteCount,
                        watermark: watermark,
                        start: start
                    )
                }
                guard hasMore, let header else { break }
                isWanted = headers.give(header)
                for (queue, share) in zip(jobs, shares) where isWanted { isWanted = queue.give(share) }
            }
        } catch let error as HostError {
            end = error.exitCode == .interrupted ? .interrupted : .failed(error)
        } catch TransportError.interrupted {
            end = .interrupted
        } catch {
            end = .failed(HostError(.noInput, "\(error)"))
        }
        headers.give(end)
        for queue in jobs { queue.give(.finish) }
    }

    /// What each worker gets of a batch by the values of a field, and the indexes of the records that come too late for
    /// all; `latest` is the greatest time so far.
    private static func split(
        _ batch: borrowing RecordBatch,
        among count: Int,
        by field: Int,
        latest: inout Timestamp?
    ) -> (shares: [RecordShare], refused: [Int]) {
        let timeField = batch.schema.timeField
        let isOrdered = batch.schema.isOrdered
        var refused: [Int] = []
        var greatest = latest
        let shares = RecordShare.split(batch, into: count) { index in
            // Without an order the last record tells how far the input is, well enough.
            if isOrdered || index == batch.count - 1,
                let time = timeField.flatMap({ batch.time(ofField: $0, inRecordAt: index) })
            {
                if isOrdered, let greatest, time < greatest {
                    refused.append(index)
                    return nil
                }
                greatest = max(greatest ?? time, time)
            }
            return Int(batch.stableHash(ofField: field, inRecordAt: index) % UInt64(count))
        }
        latest = greatest
        return (shares, refused)
    }

    // MARK: The workers

    private static func work(
        _ request: RunRequest,
        _ schema: RecordSchema,
        _ jobs: BoundedQueue<Job>,
        _ answers: BoundedQueue<Answer>,
        _ held: Held
    ) {
        do throws(HostError) {
            let plugins = try RunningPlugins(request.instances, batchCapacity: batchCapacity)
            held.add(plugins.partialMatches)
            var batch = RecordBatch(schema: schema, capacity: batchCapacity)
            while let job = jobs.take() {
                var answer = Answer()
                let before = plugins.matchCount
                switch job {
                case .records(let share, let inputs):
                    share.lend(in: &batch) { answer.findings = plugins.receiveEach(&$0) }
                    for index in answer.findings.indices { answer.findings[index].move(to: share.places, inputs) }
                case .finish:
                    plugins.finish(.finished)
                    plugins.takeLines { for index in $0.indices { answer.lastLines.append($0[index]) } }
                }
                answer.matches = plugins.matchCount - before
                answer.counts = plugins.counts.map { (name: $0.name, value: $0.value) }
                answers.give(answer)
                if case .finish = job { return }
            }
        } catch {
            var answer = Answer()
            answer.failure = error
            answers.give(answer)
        }
    }

    // MARK: The collecting thread

    /// Waits for the next batch to be done.
    ///
    /// - Returns: `nil` after the end of the inputs.
    /// - Throws: ``HostError``, or ``TransportError/interrupted(address:)``, once everything before was handed out.
    func next() throws -> Harvest? {
        if let failure { throw failure }
        guard !hasEnded, let header = headers.take() else { return nil }
        switch header {
        case .batch(let count, let rejections, let byteCount, let watermark, let start):
            self.byteCount = byteCount
            self.watermark = watermark
            let answers = try takeAnswers()
            var harvest = Harvest(start: start)
            (harvest.lines, harvest.rejections) = Findings.merged(answers.flatMap(\.findings))
            // Several plugins may refuse the same record, and others take it.
            harvest.events = UInt64(pluginCount == 1 ? max(0, count - harvest.rejections.count) : count)
            harvest.rejections = merge(rejections, harvest.rejections)
            fill(&harvest, from: answers)
            return harvest
        case .ended: break
        case .failed(let error): failure = error
        case .interrupted: failure = TransportError.interrupted(address: "the inputs")
        }
        hasEnded = true
        let answers = try takeAnswers()
        var harvest = Harvest(start: MonotonicClock().now())
        let lines = answers.flatMap { $0.lastLines.split(separator: UInt8(ascii: "\n")) }
        for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            harvest.lines += line
            harvest.lines.append(UInt8(ascii: "\n"))
        }
        fill(&harvest, from: answers)
        return harvest
    }

    private var failure: (any Error)?

    private func takeAnswers() throws(HostError) -> [Answer] {
        var taken: [Answer] = []
        for queue in answers {
            guard let answer = queue.take() else { throw HostError(.internalError, "a worker has stopped") }
            if let failure = answer.failure { throw failure }
            taken.append(answer)
        }
        return taken
    }

    private func fill(_ harvest: inout Harvest, from answers: [Answer]) {
        harvest.matches = answers.reduce(0) { $0 + $1.matches }
        harvest.byteCount = byteCount
        harvest.watermark = watermark
        guard let first = answers.first else { return }
        harvest.counts = first.counts.enumerated().map { index, count in
            (count.name, answers.reduce(0) { $0 + (index < $1.counts.count ? $1.counts[index].value : 0) })
        }
    }

    /// Both kinds of rejections in the order of the input, where there is one input.
    private func merge(_ early: [RejectedLine], _ late: [RejectedLine]) -> [RejectedLine] {
        guard inputCount == 1, !early.isEmpty, !late.isEmpty else { return early + late }
        return (early + late).enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
            .map(\.element)
    }
}
