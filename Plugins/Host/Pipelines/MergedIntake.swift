internal import WeirCore
internal import WeirDispatch
internal import WeirRecords
internal import WeirState
internal import WeirSystem

/// The records of several inputs, merged by event time.
///
/// A thread reads each input. A record is handed out once every other input has shown a record that is not older, has
/// ended, or has brought nothing for the idle timeout; records of the same time stand in the order of the inputs. So the
/// merged order of files is a function of the files alone. The order within an input stays as it is: a record that is
/// older than the one before it, or whose time cannot be read, counts as being of the same time as that.
final class MergedIntake: Intake {
    /// What a reading thread hands over.
    enum Piece: Sendable {
        /// The place is behind the records, where it is wanted and known.
        case records(
            RecordChunk,
            times: [Timestamp],
            rejections: [RejectedInput],
            byteCount: Int64,
            place: RunCheckpoint.Input.Place?
        )
        case ended(place: RunCheckpoint.Input.Place?)
        case interrupted
        case failed(HostError)
    }

    /// Inputs that threads leave behind.
    private final class Opened: Sendable {
        let all = Locked<[Int: HeadKeepingSource]>([:])
    }

    /// An input, as far as it was merged.
    private struct Head {
        let name: String
        let queue: BoundedQueue<Piece>
        var chunk: RecordChunk
        var times: [Timestamp] = []
        var next = 0
        var byteCount: Int64 = 0
        /// Where the input is behind the records; `nil` where that is not known.
        var place: RunCheckpoint.Input.Place?
        /// The time of the last record that was read.
        var newest = Timestamp.distantPast
        var hasEnded = false
        /// Since when the others have waited for it.
        var waitingSince: Timestamp?

        var time: Timestamp? { next < times.count ? times[next] : nil }
    }

    /// How many pieces an input may be ahead of the others, and how long one is, but for its last record.
    private static let queueCapacity = 4
    static let pieceLength = 4 << 20

    /// Whether an input may be silent for a while and then go on.
    let isLive: Bool

    /// When to hand out a batch without anything where nothing else is there to hand out; `nil` for never.
    var wakeTime: Timestamp?
    var saveTime: Timestamp?
    private var nextWake: Timestamp? { [wakeTime, saveTime].compactMap { $0 }.min() }

    private let hasSeveralInputs: Bool
    private let losesWhatWaits: Bool

    var saving: IntakeSaving?
    private let schema: RecordSchema
    private let idleTimeout: Duration
    private let clock = MonotonicClock()
    private let arrival = Parker()
    private let threads = WaitGroup()

    /// The inputs that were opened, by their numbers.
    private let sources = Opened()
    private var heads: [Head] = []
    private var batch: RecordBatch
    private var origins: [Int] = []
    private var merged: RecordChunk
    private var wasInterrupted = false

    /// Why an input cannot be read on: what was merged before is handed out, and then this is thrown.
    private var failure: HostError?

    /// The index of the field by which inputs are merged.
    ///
    /// - Throws: ``HostError`` when no plugin says which field the time is.
    static func timeField(of request: RunRequest, in schema: RecordSchema) throws(HostError) -> Int {
        guard let field = schema.timeField else {
            throw .usage(
                "several inputs are merged by event time, and it is not known which field that is for "
                    + request.instances.map { "'\($0.name)'" }.joined(separator: " and ") + "; give one input"
            )
        }
        return field
    }

    /// Starts reading.
    ///
    /// - Throws: ``HostError`` when an input cannot be opened or there is no time to merge by.
    init(
        _ request: RunRequest,
        schema: RecordSchema,
        batchCapacity: Int,
        _ meters: TransportMeters?,
        _ open: [Int: HeadKeepingSource],
        _ resumption: Resumption?
    ) throws(HostError) {
        let timeField = try Self.timeField(of: request, in: schema)
        self.schema = schema
        isLive = request.inputs.contains(where: \.isLive)
        hasSeveralInputs = request.inputs.count > 1
        losesWhatWaits = request.losesWhatWaits
        idleTimeout = request.idleTimeout
        batch = RecordBatch(schema: schema, capacity: batchCapacity)
        merged = RecordChunk(schema: schema)
        let started = arrival
        for (number, input) in request.inputs.enumerated() {
            let queue = BoundedQueue<Piece>(capacity: Self.queueCapacity, arrival: started)
            var head = Head(name: input.name, queue: queue, chunk: RecordChunk(schema: schema))
            head.byteCount = open[number]?.byteCount ?? resumption?.byteCount(of: input) ?? 0
            head.place = resumption?.place(of: input) ?? request.startPlace(of: input)
            if let kept = try resumption?.records("records \(number)", schema: schema) {
                (head.chunk, head.times, head.newest) = (kept.chunk, kept.times, kept.newest)
            }
            let newest = head.newest
            heads.append(head)
            let (threads, sources) = (threads, sources)
            threads.enter()
            let isStarted = SystemThread.start("weir.input") {
                Self.read(input, of: request, schema, timeField, after: newest, into: queue) { () throws(HostError) in
                    let (source, reading) = try request.reading(
                        ofInput: number,
                        schema: schema,
                        batchCapacity: RunningPlugins.batchCapacity,
                        meters,
                        goingOnWith: open,
                        resumption
                    )
                    sources.all.withLock { $0[number] = source }
                    return reading
                }
                threads.leave()
            }
            guard isStarted else {
                threads.leave()
                close()
                throw HostError(.internalError, "the system has no threads left")
            }
        }
    }

    func save(to checkpoint: inout RunCheckpoint) -> Bool {
        for (number, head) in heads.enumerated() {
            guard let place = head.place else { return false }
            checkpoint.inputs.append(RunCheckpoint.Input(name: head.name, place: place, byteCount: head.byteCount))
            var rest = KeptRecords(schema: schema)
            rest.newest = head.newest
            for index in head.next..<head.times.count {
                rest.chunk.append(recordAt: index, of: head.chunk)
                rest.times.append(head.times[index])
            }
            checkpoint.parts.append(RunCheckpoint.Part(name: "records \(number)", bytes: rest.encoded))
        }
        return true
    }

    func handOver() -> [Int: HeadKeepingSource] {
        close()
        return sources.all.withLock { $0 }
    }

    func close() {
        for head in heads { head.queue.close() }
        threads.wait()
    }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        merged = RecordChunk(schema: schema)
        origins.removeAll(keepingCapacity: true)
        var rejections: [RejectedInput] = []
        while merged.count < batch.capacity, rejections.isEmpty {
            rejections = fillHeads()
            // What of the others' records comes before what is missing, the next run finds out.
            if wasInterrupted, saving?.leavesRest() ?? false, !losesWhatWaits || heads.allSatisfy(\.hasEnded) { break }
            // Which of the others' records come before what is missing is not known.
            guard rejections.isEmpty, failure == nil else { break }
            let waiting = heads.indices.filter { !heads[$0].hasEnded && heads[$0].time == nil }
            if !waiting.isEmpty {
                // What is merged already need not wait for the input that the rest waits for.
                guard merged.count == 0 || areIdle(waiting) else { break }
                if merged.count == 0, let nextWake, clock.now() >= nextWake {
                    pendingRejections = []
                    try merged.lend(0..<0, in: &batch, body)
                    return true
                }
                guard areIdle(waiting) else {
                    arrival.park(until: min(deadline(of: waiting), nextWake ?? .distantFuture))
                    continue
                }
            }
            guard takeOldest() else {
                guard waiting.isEmpty || merged.count > 0 else {
                    // All others have ended or are idle too: there is nothing to do but wait.
                    arrival.park(until: nextWake ?? .distantFuture)
                    continue
                }
                break
            }
        }
        if merged.count == 0, rejections.isEmpty {
            if let failure { throw failure }
            if wasInterrupted { throw TransportError.interrupted(address: "the inputs") }
            return false
        }
        pendingRejections = rejections
        try merged.lend(0..<merged.count, in: &batch, body)
        return true
    }

    /// The lines of the last batch that were rejected while they were read.
    private(set) var pendingRejections: [RejectedInput] = []

    /// Takes the next piece of each input that has shown everything.
    private func fillHeads() -> [RejectedInput] {
        for index in heads.indices where failure == nil && !heads[index].hasEnded && heads[index].time == nil {
            guard let piece = heads[index].queue.tryPop() else { continue }
            heads[index].waitingSince = nil
            switch piece {
            case .records(let chunk, let times, let rejections, let byteCount, let place):
                heads[index].chunk = chunk
                heads[index].place = place
                heads[index].newest = times.last ?? heads[index].newest
                heads[index].times = times
                heads[index].next = 0
                heads[index].byteCount = byteCount
                if !rejections.isEmpty { return rejections }
            case .ended(let place):
                heads[index].hasEnded = true
                heads[index].place = place
            case .interrupted:
                heads[index].hasEnded = true
                wasInterrupted = true
            case .failed(let error): failure = error
            }
        }
        return []
    }

    /// Whether the inputs that there is nothing of have brought nothing for so long that the others go on.
    private func areIdle(_ waiting: [Int]) -> Bool {
        let now = clock.now()
        var areIdle = true
        for index in waiting {
            let since = heads[index].waitingSince ?? now
            heads[index].waitingSince = since
            if now - since < idleTimeout { areIdle = false }
        }
        return areIdle
    }

    private func deadline(of waiting: [Int]) -> Timestamp {
        let ends = waiting.compactMap { heads[$0].waitingSince.map { $0 + idleTimeout } }
        let now = clock.now()
        return ends.filter { $0 > now }.min() ?? now
    }

    /// Moves the oldest record that there is into the batch.
    ///
    /// - Returns: False when there is none.
    private func takeOldest() -> Bool {
        var oldest: (index: Int, time: Timestamp)?
        for index in heads.indices {
            guard let time = heads[index].time else { continue }
            if let found = oldest, found.time <= time { continue }
            oldest = (index, time)
        }
        guard let oldest else { return false }
        merged.append(recordAt: heads[oldest.index].next, of: heads[oldest.index].chunk)
        origins.append(oldest.index)
        heads[oldest.index].next += 1
        return true
    }

    func input(ofLineStartingAt start: Int) -> String? {
        merged.index(ofRecordStartingAt: start).flatMap { input(ofRecordAt: $0) }
    }

    func input(ofRecordAt index: Int) -> String? { hasSeveralInputs ? heads[origins[index]].name : nil }

    var byteCount: Int64 { heads.reduce(0) { $0 + $1.byteCount } }

    var expectedByteCount: Int64? { nil }

    var drainsWhenInterrupted: Bool { true }

    var pendingCount: Int {
        heads.reduce(0) { $0 + $1.times.count - $1.next + $1.queue.count * RunningPlugins.batchCapacity }
    }
}
