internal import CWeir
internal import Synchronization
internal import WeirCore

/// The part of a processor that its thread keeps alive.
@usableFromInline
final class ProcessorCore: Sendable {
    /// Work that is no event.
    enum Work: Sendable {
        /// A job of the concurrency runtime; the executor is kept alive until the job has run.
        case job(UnownedJob, EventProcessor)
        case closure(@Sendable () -> Void)
    }

    enum Phase {
        case idle, running, stopped
    }

    struct State: Sendable {
        var phase = Phase.idle
        // As long as there are actors and tasks with something to do: the runtime holds their jobs anyway.
        var work: [Work] = []
        // Empty: the memory of work that is done, for what comes.
        var spare: [Work] = []
        // Whether a successor does the work of a thread that has ended.
        var hasSuccessor = false
        var onStop: [UInt64: @Sendable () -> Void] = [:]
        // Ends the listeners, once the numbers cannot be read any more.
        var onAbandon: [UInt64: @Sendable () -> Void] = [:]
        var isAbandoned = false
        var nextID: UInt64 = 0
        // Inboxes that get nothing new, and whose last events may be pending.
        var retired: [Inbox] = []
    }

    let name: String
    let clock: EventClock
    let mailbox: Mailbox<Envelope>

    // How long to look for events before sleeping.
    let patience: Duration

    let state = Locked(State())
    let hasWork = Atomic<Bool>(false)
    // Of the work that the thread has taken, how many pieces come after the one that runs.
    let workLeft = Atomic<Int>(0)
    let hasRetired = Atomic<Bool>(false)
    let dropsPending = Atomic<Bool>(false)

    // Written by the processor's thread alone, by plain stores; read by any thread for metrics.
    let handledCount = Atomic<UInt64>(0)
    let workCount = Atomic<UInt64>(0)
    let busySince = Atomic<Int64>(0)
    let discardedCount = Atomic<UInt64>(0)
    let times = DurationRecorder()

    init(
        name: String,
        bounds: MailboxBounds,
        patience: Duration = .zero,
        clock: EventClock
    ) throws(MailboxError) {
        self.name = name
        self.patience = patience
        self.clock = clock
        mailbox = try Mailbox(bounds: bounds, onDrop: { $0.destroy() })
    }

    // MARK: From any thread

    /// Adds work that is no event.
    ///
    /// It is never refused: once the thread has ended, one of those who add work does all of it, piece by piece.
    func add(_ work: Work) {
        let hasToDoIt = state.withLock { state in
            state.work.append(work)
            hasWork.store(true, ordering: .releasing)
            guard state.phase == .stopped, !state.hasSuccessor else { return false }
            state.hasSuccessor = true
            return true
        }
        if hasToDoIt {
            mailbox.becomeConsumer()
            while doWork() {}
            mailbox.resignConsumer()
        } else {
            mailbox.nudge()
        }
    }

    /// Keeps an inbox until nothing of it can be pending; no publisher may send to it any more.
    func retire(_ inbox: Inbox) {
        let isKept = state.withLock { state in
            guard state.phase != .stopped || !mailbox.isAtRest else { return false }
            state.retired.append(inbox)
            hasRetired.store(true, ordering: .relaxed)
            return true
        }
        if isKept { mailbox.nudge() }
    }

    /// Ends a listener when the processor goes.
    ///
    /// Not when it stops: what is sent to it afterwards is refused by the mailbox, and counted there.
    @usableFromInline
    func ends<E: Sendable>(_ listener: Listener<E>) {
        let (id, isAbandoned) = state.withLock { state in
            state.nextID += 1
            if !state.isAbandoned { state.onAbandon[state.nextID] = { listener.end() } }
            return (state.nextID, state.isAbandoned)
        }
        if isAbandoned { return listener.end() }
        // Outside the lock: what goes with it is foreign.
        listener.onEnd { [self] in _ = state.withLock { $0.onAbandon.removeValue(forKey: id) } }
    }

    /// Stops, and ends the listeners: the handle of the processor has gone.
    func abandon() {
        stop(.now)
        let ends = state.withLock { state in
            state.isAbandoned = true
            defer { state.onAbandon = [:] }
            return state.onAbandon.sorted { $0.key < $1.key }.map(\.value)
        }
        for end in ends { end() }
    }

    /// How many events are pending, and the one that is being handled.
    var load: Int {
        mailbox.pendingCount + (busySince.load(ordering: .relaxed) == 0 ? 0 : 1)
    }

    var hasStopped: Bool { state.withLock { $0.phase == .stopped } }

    var isRunning: Bool { state.withLock { $0.phase == .running } }

    /// Whether nothing is pending; to be asked while the thread is kept from its work.
    var isAtRest: Bool {
        // What is received on a processor that does not run yet is saved where it waits.
        mailbox.isAtRest
            && (!isRunning || !hasWork.load(ordering: .acquiring) && workLeft.load(ordering: .relaxed) == 0)
    }

    var isCurrent: Bool { mailbox.isConsumer }

    func start() throws(ProcessorError) {
        let isFirst = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .running
            return true
        }
        guard isFirst else { return }
        let reference = unsafe Unmanaged.passRetained(self)
        let code = unsafe cweir_thread_start(name, runProcessor, reference.toOpaque())
        guard code == 0 else {
            unsafe reference.release()
            state.withLock { $0.phase = .idle }
            throw .noThread(name: name, code: code)
        }
    }

    func stop(_ mode: EventProcessor.StopMode) {
        if mode == .now { dropsPending.store(true, ordering: .relaxed) }
        mailbox.close()
        mailbox.nudge()
        let neverRan = state.withLock { state in
            defer { if state.phase == .idle { state.phase = .running } }
            return state.phase == .idle
        }
        // Nobody else will ever take anything out.
        if neverRan {
            mailbox.becomeConsumer()
            finish()
        }
    }

    func waitUntilStopped() {
        let parker = Parker()
        onStop { parker.unpark() }
        parker.park()
    }

    func stopped() async throws {
        let waiter = Waiter<Void>()
        let id = onStop { waiter.resume(with: .success(())) }
        defer { forget(id) }
        try await waiter.wait()
    }

    /// Calls `body` when the processor has stopped; at once if it has already.
    ///
    /// - Parameter body: Called once.
    /// - Returns: What ``forget(_:)`` takes to remove the action.
    @discardableResult
    func onStop(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, isStopped) = state.withLock { state in
            state.nextID += 1
            if state.phase != .stopped { state.onStop[state.nextID] = body }
            return (state.nextID, state.phase == .stopped)
        }
        if isStopped { body() }
        return id
    }

    func forget(_ id: UInt64) {
        // Outside the lock: what goes with it is foreign.
        _ = state.withLock { $0.onStop.removeValue(forKey: id) }
    }

    var metrics: ProcessorMetrics {
        let since = busySince.load(ordering: .relaxed)
        return ProcessorMetrics(
            handled: handledCount.load(ordering: .relaxed),
            jobs: workCount.load(ordering: .relaxed),
            discarded: discardedCount.load(ordering: .relaxed),
            busyFor: since == 0 ? nil : .nanoseconds(max(0, cweir_clock_coarse() - since)),
            handlerTimes: times.histogram,
            mailbox: mailbox.metrics
        )
    }
}

/// What a processor's thread runs; it owns a reference to its processor's core.
private func runProcessor(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ProcessorCore>.fromOpaque(context).takeRetainedValue().run()
}
