internal import WeirCore
internal import WeirDispatch
internal import WeirRecords
internal import WeirState
internal import WeirSystem

/// Spreads the records of a pipeline over threads by the value of a field, and brings what they find back into order.
///
/// The workers are threads of its own and no processors: plugins are not sendable, so the thread that makes them runs
/// them, and the work of a processor is sendable closures.
///
/// Each worker has plugins of its own. Records with the same value go to the same worker, in their order. What is found
/// comes out in the order of the records that complete it, as with one worker; what only the end of the inputs brings
/// comes last, sorted by its lines, with any number of workers. Limits, such as how many groups there can be, hold for each
/// worker: what is beyond them depends on how many there are.
///
/// Safety of the order: every worker answers every batch, also one that has no record for it, so that the answers to a
/// batch can be merged by the places of their records.
final class WorkerPool {
    /// What came of a batch.
    struct BatchResult {
        var matches: [UInt8] = []
        var matchCount: UInt64 = 0
        var events: UInt64 = 0
        var rejections: [RejectedInput] = []
        var byteCount: Int64 = 0
        var watermark: Timestamp?
        var counts: [(name: String, value: UInt64)] = []
        /// How far the records were out of order until now.
        var order = RecordOrder()
        /// The fields that no record had until now.
        var unseen: [Int] = []
        /// When the batch was read.
        var start: Timestamp
        /// What is known between this batch and the next, in place of what was found.
        var cut: Cut?
    }

    /// What is known between two batches: where the inputs are, and what each worker keeps.
    struct Cut: Sendable {
        let checkpoint: RunCheckpoint
        /// Whether the inputs have ended, and the plugins do not know it yet.
        let isEnd: Bool
    }

    /// What the reading thread says about a batch.
    enum Header: Sendable {
        case batch(
            count: Int,
            rejections: [RejectedInput],
            byteCount: Int64,
            watermark: Timestamp?,
            counts: [(name: String, value: UInt64)],
            order: RecordOrder,
            unseen: [Int],
            start: Timestamp
        )
        /// What each worker keeps is to be saved: all batches before are part of it, and none that follows. All stand still
        /// for it, also the reading thread: a copy of the process would wait for good for what Swift's runtime was just
        /// making for another thread.
        case cut(Cut)
        case ended
        case failed(HostError)
        case interrupted
    }

    enum Job: Sendable {
        /// Records, and the inputs that they came from, where there are several.
        case records(RecordShare, inputs: [String])
        /// No record before a time follows.
        case advance(to: Timestamp)
        /// The worker stands still until what it keeps was saved.
        case lend
        /// The end of the inputs; without a completion, what the plugins know is for the next run.
        case finish(Completion?)
    }

    /// A worker's answer to a batch.
    struct Answer: Sendable {
        /// What each of the plugins found, by the places of the records in the batch.
        var results: [PluginResult] = []
        /// What only the end of the inputs brought, or time that went on without records.
        var lastMatches: [UInt8] = []
        var matchCount: UInt64 = 0
        var counts: [(name: String, value: UInt64)] = []
        var order = RecordOrder()
        /// The plugins, while the worker stands still.
        var lent: SharedCell<RunningPlugins>?
        /// What the plugins know.
        var saved: [RunCheckpoint.Consumer] = []
        /// Why that cannot be saved.
        var flaw: String?
        var failure: HostError?
    }

    /// How a thread that stands still goes on.
    enum Release: Sendable {
        /// What it keeps was saved.
        case saved
        /// A worker saves that itself, and answers.
        case save
    }

    /// Asks the plugins of each worker for the partial matches that they hold.
    final class Held: Sendable {
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
    static let window = 8

    private let request: RunRequest
    private let schema: RecordSchema
    private let field: Int
    let form: MatchForm
    let inputCount: Int
    let pluginCount: Int
    let headers: BoundedQueue<Header>
    let jobs: [BoundedQueue<Job>]
    let answers: [BoundedQueue<Answer>]
    /// Those of the workers, and that of the reading thread.
    let releases: [BoundedQueue<Release>]
    let threads = WaitGroup()
    let held = Held()
    var byteCount: Int64 = 0
    var watermark: Timestamp?
    var readCounts: [(name: String, value: UInt64)] = []
    var readOrder = RecordOrder()
    var unseen: [Int] = []
    var hasEnded = false
    var failure: (any Error)?

    /// Whether what is known is to be saved between two batches; `nil` where it never is.
    private let saving: Saving?

    /// Whether that was requested, and did not come yet.
    var isCutOnTheWay: Bool

    /// The plugins of the workers, while these stand still.
    var lent: [SharedCell<RunningPlugins>] = []

    /// Starts the workers, which take what those before them knew; nothing is read yet.
    ///
    /// - Throws: ``HostError`` when the field is not among those, what was known does not fit, or the system has no threads
    ///   left.
    init(
        _ request: RunRequest,
        _ partition: RunRequest.Partition,
        schema: RecordSchema,
        _ resumption: Resumption?
    ) throws(HostError) {
        field = try Self.field(of: partition, in: schema)
        self.request = request
        self.schema = schema
        isCutOnTheWay = request.state != nil && resumption == nil
        saving = request.state == nil ? nil : Saving(takesFirst: resumption == nil)
        form = request.matchForm
        inputCount = request.inputs.count
        pluginCount = request.instances.count
        let arrival = Parker()
        headers = BoundedQueue(capacity: Self.window, arrival: arrival)
        answers = (0..<partition.workerCount).map { _ in BoundedQueue(capacity: Self.window, arrival: arrival) }
        jobs = (0..<partition.workerCount).map { _ in BoundedQueue(capacity: Self.window) }
        releases = (0...partition.workerCount).map { _ in BoundedQueue(capacity: 1) }
        // Each lets it go once it has taken its part.
        let handed = Locked([Resumption?](repeating: resumption, count: partition.workerCount))
        for index in jobs.indices {
            let (jobs, answers, releases) = (jobs[index], answers[index], releases[index])
            try start("weir.worker") { [held] in
                let place = WorkerPlace(index: index, count: partition.workerCount)
                let resumption = handed.withLock { exchange(&$0[index], with: nil) }
                Self.work(request, schema, jobs, answers, releases, held, place, resumption)
            }
        }
        do throws(HostError) {
            _ = try takeAnswers()
        } catch {
            close()
            throw error
        }
    }

    /// Starts to read the inputs, which are opened by a thread.
    ///
    /// - Parameters:
    ///   - canAdvance: Whether time that goes on without records brings something.
    ///   - meters: Where to add those of the inputs.
    ///   - resumption: Where the inputs are; `nil` where they begin.
    ///   - leavesRest: Whether an interruption leaves what waits for the next run.
    /// - Throws: ``HostError`` when the system has no threads left.
    func beginReading(
        canAdvance: Bool,
        _ meters: TransportMeters,
        _ resumption: Resumption?,
        leavesRest: @escaping @Sendable () -> Bool
    ) throws(HostError) {
        let places = resumption?.withoutConsumers
        try start("weir.intake") { [request, schema, field, saving, headers, jobs, releases] in
            let reading = Reading(
                request: request,
                schema: schema,
                field: field,
                canAdvance: canAdvance,
                headers: headers,
                jobs: jobs,
                release: releases[jobs.count],
                saving: saving,
                leavesRest: leavesRest
            )
            reading.run(meters, places)
        }
    }

    /// Has what is known be saved between two batches, once.
    func requestCut() {
        guard !isCutOnTheWay else { return }
        isCutOnTheWay = true
        saving?.request()
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
        let threads = threads
        threads.enter()
        let isStarted = SystemThread.start(name) {
            body()
            threads.leave()
        }
        guard isStarted else {
            threads.leave()
            close()
            throw HostError(.internalError, "the system has no threads left")
        }
    }

    /// Waits until no thread works any more.
    ///
    /// Inputs that have not ended must have been interrupted before.
    func close() {
        headers.close()
        for queue in jobs { queue.close() }
        for queue in answers { queue.close() }
        for queue in releases { queue.close() }
        threads.wait()
    }

    /// How many records are on the way, at most.
    var pendingCount: Int { (jobs.map(\.count).max() ?? 0) * Self.batchCapacity }

    /// Finds out, on any thread, how many partial matches the plugins of all workers hold; `nil` where none of them says.
    var partialMatches: @Sendable () -> Int? {
        { [held] in held.partialMatches }
    }
}
