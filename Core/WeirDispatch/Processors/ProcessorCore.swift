internal import CWeir
internal import Synchronization
public import WeirCore

/// The part of a processor that its thread keeps alive.
@usableFromInline
final class ProcessorCore: Sendable {
    /// Work that is no event.
    enum Work: Sendable {
        /// A job of the concurrency runtime; the executor is kept alive until the job has run.
        case job(UnownedJob, EventProcessor)
        case closure(@Sendable () -> Void)
    }

    private enum Phase {
        case idle, running, stopped
    }

    private struct State: Sendable {
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
    private let patience: Duration

    private let state = Locked(State())
    private let hasWork = Atomic<Bool>(false)
    private let hasRetired = Atomic<Bool>(false)
    private let dropsPending = Atomic<Bool>(false)

    // Written by the processor's thread alone, by plain stores; read by any thread for metrics.
    private let handledCount = Atomic<UInt64>(0)
    private let workCount = Atomic<UInt64>(0)
    private let busySince = Atomic<Int64>(0)
    private let discardedCount = Atomic<UInt64>(0)
    private let times = DurationRecorder()

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
    func ends<E: Event>(_ listener: Listener<E>) {
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

    // MARK: On the processor's thread

    fileprivate func run() {
        mailbox.becomeConsumer()
        while true {
            if hasWork.load(ordering: .acquiring) { doWork() }
            if dropsPending.load(ordering: .relaxed) { break }
            // Safety: this thread is the mailbox's one consumer.
            if let (envelope, priority, order) = unsafe mailbox.take() {
                handle(envelope, priority, order)
            } else if hasRetired.load(ordering: .relaxed), letRetiredGo() {
                continue
            } else if unsafe mailbox.park(spinning: patience) == .finished {
                // Closed by `stop()` or by an overflow, and no event is pending or being put.
                break
            }
        }
        finish()
    }

    private func handle(_ envelope: Envelope, _ priority: Priority, _ order: DispatchOrder) {
        let context = EventContext(
            priority: priority,
            order: order,
            dispatchTime: envelope.dispatchTime,
            clock: clock
        )
        let handled = handledCount.load(ordering: .relaxed) &+ 1
        busySince.store(cweir_clock_coarse(), ordering: .relaxed)
        // A clock that is exact costs as much as a short handler: a sample tells how long handlers take.
        if handled % 32 == 1 {
            let start = cweir_clock_monotonic()
            envelope.open(context)
            times.record(nanoseconds: cweir_clock_monotonic() - start)
        } else {
            envelope.open(context)
        }
        busySince.store(0, ordering: .relaxed)
        handledCount.store(handled, ordering: .relaxed)
    }

    /// Releases the retired inboxes, unless something is pending; returns whether it did.
    private func letRetiredGo() -> Bool {
        // What was sent to them was sent before they were retired: so it is counted, if it was not taken.
        let gone = state.withLock { state -> [Inbox] in
            guard mailbox.isAtRest else { return [] }
            hasRetired.store(false, ordering: .relaxed)
            defer { state.retired = [] }
            return state.retired
        }
        // Outside the lock: what goes with them is foreign.
        return !gone.isEmpty
    }

    /// Does the work that there is; returns whether there was any.
    @discardableResult
    private func doWork() -> Bool {
        var work: [Work] = []
        state.withLock { state in
            hasWork.store(false, ordering: .relaxed)
            guard !state.work.isEmpty else {
                state.hasSuccessor = false
                return
            }
            swap(&work, &state.work)
            swap(&state.work, &state.spare)
        }
        guard !work.isEmpty else { return false }
        for piece in work { run(piece) }
        work.removeAll(keepingCapacity: true)
        // After a flood the memory goes.
        if work.capacity <= 1024 { state.withLock { swap(&work, &$0.spare) } }
        return true
    }

    private func run(_ work: Work) {
        workCount.wrappingAdd(1, ordering: .relaxed)
        switch work {
        case .job(let job, let executor):
            unsafe job.runSynchronously(
                isolatedTo: executor.asUnownedSerialExecutor(),
                taskExecutor: executor.asUnownedTaskExecutor()
            )
        case .closure(let body):
            body()
        }
    }

    /// Drops what is pending in the closed mailbox, and on its way in, until nothing can come any more.
    private func discardPending() {
        // Safety: no other thread consumes: this is the processor's thread, or it never ran. After the end it takes
        // nothing.
        while unsafe mailbox.park() != .finished {
            while let (envelope, _, _) = unsafe mailbox.take() {
                envelope.destroy()
                discardedCount.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    /// Drops what is left, and tells those who wait; only then has the processor stopped.
    private func finish() {
        discardPending()
        while true {
            let (work, onStop) = state.withLock { state in
                if state.work.isEmpty && state.onStop.isEmpty { state.phase = .stopped }
                defer { (state.work, state.onStop) = ([], [:]) }
                return (state.work, state.onStop.sorted { $0.key < $1.key }.map(\.value))
            }
            if work.isEmpty && onStop.isEmpty { break }
            for piece in work { run(piece) }
            for body in onStop { body() }
        }
        _ = letRetiredGo()
        mailbox.resignConsumer()
    }
}

/// What a processor's thread runs; it owns a reference to its processor's core.
private func runProcessor(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<ProcessorCore>.fromOpaque(context).takeRetainedValue().run()
}
