internal import CWeir
internal import Synchronization
public import WeirCore

/// Several processors that share the events sent to them; their number grows under load and shrinks again.
///
///     let pool = ProcessorPool(name: "orders", size: 1...8)
///     pool.on(Order.self, balancer: .byKey(\.customer)) { order, context in book(order) }
///     try pool.start()
///
/// Handlers run on the processors' threads, several at a time. With ``Balancer/byKey(_:)`` the events of one key are
/// handled one after the other, in the order of their dispatch, whatever the pool's size does meanwhile: a key moves
/// to another processor only when none of its events is pending.
///
/// Thread safety: all members, from any thread, also from inside a handler.
public final class ProcessorPool: Sendable {
    struct State: Sendable {
        var isStarted = false
        var isStopped = false
        var quietSince: Timestamp?
        var made = 0
        var grown: UInt64 = 0
        var shrunk: UInt64 = 0
        // Removed processors, with the members among which a sender may still choose them: a mailbox that closed before
        // the last of these senders put its event would lose it.
        var retiring: [(core: ProcessorCore, members: PoolMembers)] = []
        // Processors that no sender can choose any more, and that may still handle their last events.
        var leaving: [ProcessorCore] = []
        // What those have done that have left.
        var departed = PoolCounts()

        /// Forgets member lists that no sender uses any more; returns the processors that can stop.
        mutating func settle(_ unused: [PoolMembers]) -> [ProcessorCore] {
            let settled = retiring.filter { entry in unused.contains { $0 === entry.members } }.map(\.core)
            retiring.removeAll { entry in unused.contains { $0 === entry.members } }
            leaving += settled
            return settled
        }

        /// Removes processors that have ended; their counts stay.
        mutating func forgetStopped() {
            leaving.removeAll { core in
                guard core.hasStopped else { return false }
                departed.add(core.metrics)
                return true
            }
        }

        var watch: Subscription?
        var listeners: [UInt64: @Sendable () -> Void] = [:]
        var nextListener: UInt64 = 0
    }

    /// The name of the pool; its threads are called the same, with a number.
    public let name: String

    /// How many processors there can be.
    public let size: ClosedRange<Int>

    /// When the pool grows and shrinks.
    public let scaling: PoolScaling

    /// The bus that handlers listen to.
    public let bus: EventBus

    let bounds: MailboxBounds
    let members = Snapshot<PoolMembers>()
    private let shards = PoolShards()
    let turn = Atomic<UInt64>(0)
    let refused = Atomic<UInt64>(0)
    let state = Locked(State())

    /// Creates a pool whose threads do not run yet.
    ///
    /// - Parameters:
    ///   - name: The name of the pool.
    ///   - size: How many processors there are at least, and can be at most; at least one.
    ///   - capacity: How many events may be pending for each processor and priority; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places of its processor and priority taken.
    ///   - scaling: When the pool grows and shrinks.
    ///   - bus: The bus that handlers listen to.
    public init(
        name: String = "weir.pool",
        size: ClosedRange<Int>,
        capacity: Int = 1024,
        overflowPolicy: OverflowPolicy = .block,
        scaling: PoolScaling = PoolScaling(),
        bus: EventBus = .shared
    ) {
        precondition(size.lowerBound >= 1, "a pool needs at least one processor, not \(size.lowerBound)")
        precondition(size.upperBound < 1 << 16, "a pool has at most 65,535 processors, not \(size.upperBound)")
        self.name = name
        self.size = size
        self.scaling = scaling
        self.bus = bus
        bounds = MailboxBounds(capacity: capacity, overflowPolicy: overflowPolicy)
        state.withLock { state in
            let first = (0..<size.lowerBound).map { _ in makeMember(&state) }
            members.replace(with: PoolMembers(first))
        }
        bus.note(handlerOf: self) { [weak self] in self?.cores ?? [] }
    }

    deinit {
        stop(.now)
        for end in state.withLock({ $0.listeners.values.map(\.self) }) { end() }
    }

    // MARK: Handling

    /// Handles the events of a type on whichever processor the balancer chooses.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - balancer: Which processor gets an event.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched; called on several threads at once.
    /// - Returns: The handle that ends it.
    @discardableResult
    public func on<E: Sendable>(
        _ type: E.Type,
        balancer: Balancer<E> = .roundRobin,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @Sendable (E, EventContext) -> Void
    ) -> Subscription {
        let listener = Listener(filter: filter, owner: owner)
        end(withPool: listener)
        let endpoint = PoolEndpoint(self, shards: shards, balancer: balancer.kind, listener: listener, handler: handler)
        return bus.channel(of: type).start(listener) { event, context in
            // What the endpoint cannot send it drops, and tells the listener.
            if listener.admits(event, context) { endpoint.send(event, context) }
        }
    }

    /// Ends a listener when the pool goes.
    private func end<E: Sendable>(withPool listener: Listener<E>) {
        let id = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = { [weak listener] in listener?.end() }
            return state.nextListener
        }
        listener.onEnd { [weak self] in
            // Outside the lock: what goes with it is foreign.
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
    }

    // MARK: Running

    /// Starts the threads; starting again does nothing.
    ///
    /// - Throws: ``ProcessorError/noThread(name:code:)`` when the system has no thread left.
    public func start() throws(ProcessorError) {
        let isFirst = try state.withLock { state throws(ProcessorError) in
            guard !state.isStarted, !state.isStopped else { return false }
            var cores: [ProcessorCore] = []
            members.read { cores = $0.all.map(\.core) }
            for core in cores { try core.start() }
            // Not before all have a thread: otherwise starting again would leave out those that have none.
            state.isStarted = true
            return true
        }
        guard isFirst, size.count > 1 else { return }
        let watch = try? bus.scheduler.schedule(after: scaling.quietPeriod / 4, every: scaling.quietPeriod / 4) {
            [weak self] _ in self?.shrinkIfQuiet()
        }
        let isStopped = state.withLock { state in
            state.watch = watch
            return state.isStopped
        }
        // Stopped meanwhile, by another thread.
        if isStopped { watch?.cancel() }
    }

    /// Stops the pool; it cannot be started again.
    ///
    /// Returns at once. What is sent to the pool from now on is refused: when all has ended, as many events were sent
    /// to it as were handled, discarded, dropped or refused, see ``metrics``.
    ///
    /// - Parameter mode: What to do with the events that are pending.
    public func stop(_ mode: EventProcessor.StopMode = .draining) {
        let (cores, watch) = state.withLock { state in
            state.isStopped = true
            defer { state.watch = nil }
            return (allCores(state), state.watch)
        }
        watch?.cancel()
        for core in cores { core.stop(mode) }
    }

    /// Waits until all threads have ended.
    ///
    /// Not from inside a handler, and not from asynchronous code: it blocks.
    public func waitUntilStopped() {
        for core in cores {
            precondition(!core.isCurrent, "the pool '\(name)' cannot wait for itself; stop it and return")
            core.waitUntilStopped()
        }
    }

    /// Suspends until all threads have ended.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before.
    public func stopped() async throws {
        for core in cores { try await core.stopped() }
    }

    /// The processors of the pool, and those that are about to leave it.
    var cores: [ProcessorCore] {
        state.withLock { state in allCores(state) }
    }

    private func allCores(_ state: State) -> [ProcessorCore] {
        var cores = state.leaving + state.retiring.map(\.core)
        members.read { cores += $0.all.map(\.core) }
        return cores
    }

    /// A snapshot of the pool's counts; reading it delays no sender.
    public var metrics: PoolMetrics {
        state.withLock { state -> PoolMetrics in
            var counts = state.departed
            for core in state.leaving + state.retiring.map(\.core) { counts.add(core.metrics) }
            var processors: [ProcessorMetrics] = []
            members.read { processors = $0.all.map(\.core.metrics) }
            for metrics in processors { counts.add(metrics) }
            return PoolMetrics(
                processors: processors,
                grown: state.grown,
                shrunk: state.shrunk,
                handled: counts.handled,
                discarded: counts.discarded,
                dropped: counts.dropped,
                refused: refused.load(ordering: .relaxed)
            )
        }
    }
}
