internal import CWeir
internal import Synchronization
internal import WeirCore

/// Threads that share work: their number grows while work waits, up to a limit, and shrinks where there is none.
///
///     let disk = ThreadPool(name: "disk", limit: 16)
///     readings.receive(on: .pool(disk)).subscribe { reading in save(reading) }
///
/// For work that blocks, such as reading files or waiting for a server, which must not run on the threads of Swift's
/// concurrency; and, with a thread for each processor, for long computations: see ``blocking`` and ``computation``.
///
/// Work is never refused and never dropped. It starts in the order in which it came; `ExecutionContext.pool(_:)` is for work
/// that also has to end in that order. An idle thread sleeps, and ends after a while; the last ones keep the pool alive until
/// then.
///
/// Thread safety: all members, from any thread, also from inside of work.
public final class ThreadPool: Sendable {
    private struct State: Sendable {
        /// In the order in which it came.
        var work = Deque<@Sendable () -> Void>()
        /// Where threads sleep; the one that came last has the warmest cache.
        var idle: [Parker] = []
        /// The threads, by their identity.
        var threads: Set<UInt> = []
        /// How many there are, those included that are about to begin.
        var threadCount = 0
    }

    private enum Step {
        case work(@Sendable () -> Void), sleep, end
    }

    /// For work that blocks: up to 64 threads, which end after ten idle seconds.
    public static let blocking = ThreadPool(name: "weir.blocking", limit: 64)

    /// For computations: up to one thread for each processor, which end after ten idle seconds.
    public static let computation = ThreadPool(name: "weir.compute", limit: Int(cweir_thread_processors()))

    /// The threads' name, of which the system shows the first 15 bytes on Linux.
    public let name: String

    /// How many threads there may be.
    public let limit: Int

    private let idleTime: Duration
    private let state = Locked(State())

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - name: The threads' name, of which the system shows the first 15 bytes on Linux.
    ///   - limit: How many threads there may be; positive.
    ///   - idleTime: How long a thread waits for work before it ends.
    public init(name: String = "weir.pool", limit: Int, idleTime: Duration = .seconds(10)) {
        precondition(limit > 0, "a pool needs at least one thread, not \(limit)")
        self.name = name
        self.limit = limit
        self.idleTime = idleTime
    }

    /// Runs `body` on one of the threads, as soon as one is free.
    ///
    /// Where the system has no thread for a pool without any, `body` runs before this returns.
    ///
    /// - Parameter body: What to run; it may block.
    /// - Complexity: O(1) on average.
    public func perform(_ body: @escaping @Sendable () -> Void) {
        let (sleeper, needsThread) = state.withLock { state -> (Parker?, Bool) in
            state.work.append(body)
            if let sleeper = state.idle.popLast() { return (sleeper, false) }
            guard state.threadCount < limit else { return (nil, false) }
            state.threadCount += 1
            return (nil, true)
        }
        if let sleeper { return sleeper.unpark() }
        guard needsThread, !startThread() else { return }
        // The others do it, where there are any.
        let isLast = state.withLock { state in
            state.threadCount -= 1
            return state.threadCount == 0
        }
        guard isLast else { return }
        while let work = state.withLock({ $0.work.popFirst() }) { work() }
    }

    /// How many threads there are, those included that sleep.
    public var threadCount: Int { state.withLock { $0.threadCount } }

    /// How much work waits for a thread.
    public var waitingCount: Int { state.withLock { $0.work.count } }

    /// Whether the calling thread is one of the pool.
    public var isCurrent: Bool { state.withLock { $0.threads.contains(cweir_thread_identity()) } }

    // MARK: The threads

    private func startThread() -> Bool {
        let reference = unsafe Unmanaged.passRetained(self)
        let code = unsafe cweir_thread_start(name, runThread, reference.toOpaque())
        if code != 0 { unsafe reference.release() }
        return code == 0
    }

    fileprivate func run() {
        let parker = Parker()
        let identity = cweir_thread_identity()
        state.withLock { _ = $0.threads.insert(identity) }
        var hasSlept = false
        while true {
            switch nextStep(parker, identity, isOverdue: hasSlept) {
            case .work(let work):
                hasSlept = false
                work()
            case .sleep:
                let end = MonotonicClock().now().shifted(byNanoseconds: idleTime.wholeNanoseconds)
                hasSlept = !parker.park(until: end)
            case .end: return
            }
        }
    }

    private func nextStep(_ parker: Parker, _ identity: UInt, isOverdue: Bool) -> Step {
        state.withLock { state in
            // One that was overdue may have been chosen meanwhile: then its permit makes it look once more.
            let sleeping = state.idle.firstIndex { $0 === parker }
            if let work = state.work.popFirst() {
                if let sleeping { state.idle.remove(at: sleeping) }
                return .work(work)
            }
            guard isOverdue, let sleeping else {
                if sleeping == nil { state.idle.append(parker) }
                return .sleep
            }
            state.idle.remove(at: sleeping)
            state.threads.remove(identity)
            state.threadCount -= 1
            return .end
        }
    }
}

/// What a thread of a pool runs; it owns a reference to the pool.
private func runThread(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ThreadPool>.fromOpaque(context).takeRetainedValue().run()
}

/// Work that is done one piece at a time, in the order in which it comes, by one thread of a pool after the other.
final class SerialWork: Sendable {
    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let pool: ThreadPool
    private let state = Locked(State())

    init(on pool: ThreadPool) {
        self.pool = pool
    }

    func perform(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { pool.perform { self.run() } }
    }

    /// Does what waits, and leaves what came meanwhile for later, so that others have their turn.
    private func run() {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in batch { work() }
        let hasMore = state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
        if hasMore { pool.perform { self.run() } }
    }
}
