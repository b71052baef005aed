internal import WeirCore

/// What to do with a datagram when all chunks are full.
enum DatagramOverflow: String, Sendable, CaseIterable {
    /// It stays in the kernel, whose buffer fills up in turn; the kernel drops what does not fit, and counts it.
    case block
    /// It is dropped here, and counted.
    case dropNewest = "drop-newest"
    /// The oldest chunk is dropped for it, and counted.
    case dropOldest = "drop-oldest"
}

/// The chunks between the threads that receive and the one that reads: bounded, in the order in which they were filled.
///
/// Thread safety: any thread; the lock is taken once per chunk and not per datagram.
final class ChunkQueue: Sendable {
    fileprivate struct State {
        var ready: [Chunk] = []
        var readyStart = 0
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

    // MARK: For those who fill

    /// Gives a chunk to be filled; `nil` when all are in use, and the worker is then woken when one is free.
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

    /// Drops the oldest chunk that nobody has begun to read, and gives it to be filled again.
    func takeOldest() -> Chunk? {
        guard let chunk = state.withLock({ $0.popReady() }) else { return nil }
        let count = chunk.messages
        meter.update { metrics in
            metrics.pending -= count
            metrics[.oldest] += count
        }
        chunk.clear()
        return chunk
    }

    /// Hands a chunk on to the reader.
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

    /// Says that a worker has ended.
    func workerEnded() {
        state.withLock { $0.runningWorkers -= 1 }
        reader.ring()
    }

    // MARK: For the one who reads

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
            if let chunk = state.popReady() { return .chunk(chunk) }
            if state.runningWorkers == 0 { return .over }
            state.readerWaits = true
            return .nothing
        }
    }

    /// Gives a chunk back that was read.
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

extension ChunkQueue.State {
    fileprivate mutating func popReady() -> Chunk? {
        guard readyStart < ready.count else { return nil }
        let chunk = ready[readyStart]
        readyStart += 1
        // The list moves to its front once half of it is gone: O(1) on average.
        if readyStart * 2 >= ready.count {
            ready.removeFirst(readyStart)
            readyStart = 0
        }
        return chunk
    }
}
