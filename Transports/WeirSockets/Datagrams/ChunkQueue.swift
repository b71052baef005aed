internal import WeirCore
internal import WeirRecords

/// The chunks between the threads that receive and the one that reads: bounded, in the order in which they were filled.
///
/// Thread safety: any thread; the lock is taken once per chunk and not per datagram.
final class ChunkQueue: Sendable {
    fileprivate struct State {
        var ready = Deque<Chunk>()
        var free: [Chunk] = []
        var made = 0
        var readerWaits = false
        var blocked: Set<Int> = []
        var runningWorkers: Int
        var stop = Stop.no
    }

    /// How far the end has come.
    enum Stop {
        case no
        /// What was sent until now is still taken in.
        case draining
        case now
    }

    private let state: Locked<State>
    private let reader: Wakeup
    private let workers: [Wakeup]
    private let chunkCapacity: Int
    private let limit: Int
    private let meter: TransportMeter

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - byteCount: How much memory the chunks may take in all; each worker has at least two.
    ///   - chunkCapacity: The size of one.
    ///   - reader: Wakes the thread that reads.
    ///   - workers: Wakes each thread that receives.
    ///   - meter: Counts what is dropped.
    init(byteCount: Int, chunkCapacity: Int, reader: Wakeup, workers: [Wakeup], meter: TransportMeter) {
        state = Locked(State(runningWorkers: workers.count))
        self.reader = reader
        self.workers = workers
        self.chunkCapacity = chunkCapacity
        limit = max(2 * workers.count + 1, byteCount / chunkCapacity)
        self.meter = meter
    }

    // MARK: For the threads that receive

    /// Returns a chunk to be filled; `nil` when all are in use, and the worker is then woken when one is free.
    func takeEmpty(worker: Int) -> Chunk? {
        state.withLock { state in
            if let chunk = state.free.popLast() { return chunk }
            guard state.made < limit else {
                state.blocked.insert(worker)
                return nil
            }
            state.made += 1
            return Chunk(capacity: chunkCapacity)
        }
    }

    /// Drops the oldest chunk whose reading has not begun, to be filled again.
    func takeOldest() -> Chunk? {
        guard let chunk = state.withLock({ $0.ready.popFirst() }) else { return nil }
        let count = chunk.messages
        meter.update { metrics in
            metrics.pending -= count
            metrics[.oldest] += count
        }
        chunk.clear()
        return chunk
    }

    /// Passes a chunk to the reader.
    func put(_ chunk: Chunk) {
        let wakes = state.withLock { state in
            state.ready.append(chunk)
            return exchange(&state.readerWaits, with: false)
        }
        if wakes { reader.ring() }
    }

    /// Whether the reader has nothing to do, so that a chunk should go on though it is not full.
    var readerWaits: Bool { state.withLock { $0.readerWaits } }

    /// How far the end has come.
    var stop: Stop { state.withLock { $0.stop } }

    /// Called once by each worker at its end.
    func workerEnded() {
        state.withLock { $0.runningWorkers -= 1 }
        reader.ring()
    }

    // MARK: For the thread that reads

    /// What there is for the reader.
    enum Next {
        case chunk(Chunk)
        /// Nothing now; the reader is woken when there is something.
        case nothing
        /// Nothing any more.
        case over
    }

    /// Takes the next chunk.
    func next() -> Next {
        state.withLock { state in
            if let chunk = state.ready.popFirst() { return .chunk(chunk) }
            if state.runningWorkers == 0 { return .over }
            state.readerWaits = true
            return .nothing
        }
    }

    /// Takes a chunk back that was read.
    func recycle(_ chunk: Chunk) {
        chunk.clear()
        let blocked = state.withLock { state in
            state.free.append(chunk)
            return exchange(&state.blocked, with: [])
        }
        for worker in blocked { workers[worker].ring() }
    }

    /// Ends the workers.
    func end(_ stop: Stop) {
        state.withLock { $0.stop = stop }
        for worker in workers { worker.ring() }
    }

    /// Whether all workers have ended.
    var isOver: Bool { state.withLock { $0.runningWorkers == 0 } }
}
