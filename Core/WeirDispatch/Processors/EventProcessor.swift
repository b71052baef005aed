public import WeirCore

/// A thread with a mailbox: handles events one at a time, the most urgent first.
///
///     let alarms = EventProcessor(name: "alarms")
///     alarms.on(Temperature.self) { temperature, context in
///         if temperature.celsius > 90 { Alarm(timestamp: temperature.timestamp).queue(priority: .highest) }
///     }
///     try alarms.start()
///
/// ## Order
///
/// What is stacked comes before what is queued; within each, the more urgent before the less urgent; within a
/// priority, a stack gives the newest first and a queue the oldest. The processor looks anew before each event, so an
/// urgent event waits for the handler that is running and for nothing else.
///
/// ## Threads
///
/// Handlers run on the processor's thread only. The processor is also the executor of the actors that ask for it and
/// of tasks that prefer it; their jobs run between events.
///
///     actor Ledger {
///         let processor = EventProcessor(name: "ledger")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { processor.asUnownedSerialExecutor() }
///     }
///
/// An idle processor uses no processor time. When the last reference to it goes away its thread ends, as after
/// ``stop(_:)`` with `.now`.
///
/// Thread safety: all members, from any thread, also from inside a handler.
public final class EventProcessor: Sendable {
    /// What to do with the events that are pending when a processor stops.
    public enum StopMode: Sendable {
        /// Handles what is pending first; nothing new is accepted meanwhile.
        case draining
        /// Drops what is pending, and counts it.
        case now
    }

    /// How long an idle thread looks for events before it sleeps, unless told otherwise: 5 µs.
    ///
    /// Without that, a processor that is quicker than those who dispatch to it would sleep after each event, and each
    /// event would have to wake it.
    public static let defaultPatience = Duration.microseconds(5)

    /// The bus that handlers listen to unless they name another.
    public let bus: EventBus

    @usableFromInline let core: ProcessorCore

    /// Creates a processor whose thread does not run yet; what is dispatched to it is pending until it does.
    ///
    /// - Parameters:
    ///   - name: The thread's name, of which the system shows the first 15 bytes on Linux.
    ///   - capacity: How many events may be pending for each priority, queue and stack apart; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places of its priority taken. With
    ///     `OverflowPolicy.block`, an event that a handler dispatches to its own full processor is dropped and
    ///     counted: it cannot wait for itself.
    ///   - patience: How long the idle thread looks for events, using its processor, before it sleeps. An event that
    ///     comes meanwhile is handled within a microsecond; waking takes several, from the one who dispatches too.
    ///   - bus: The bus that handlers listen to unless they name another.
    public init(
        name: String = "weir.processor",
        capacity: Int = 1024,
        overflowPolicy: OverflowPolicy = .block,
        spinning patience: Duration = EventProcessor.defaultPatience,
        bus: EventBus = .shared
    ) {
        do {
            let bounds = MailboxBounds(capacity: capacity, overflowPolicy: overflowPolicy)
            self.bus = bus
            core = try ProcessorCore(name: name, bounds: bounds, patience: patience, clock: bus.clock)
        } catch {
            preconditionFailure("a processor of capacity \(capacity) cannot be made: \(error)")
        }
        bus.note(.processor(self))
    }

    /// Creates a processor with bounds of its own for each priority.
    ///
    /// - Parameters:
    ///   - name: The thread's name, of which the system shows the first 15 bytes on Linux.
    ///   - bounds: How many events may be pending, and what happens to more.
    ///   - patience: How long the idle thread looks for events, using its processor, before it sleeps. An event that
    ///     comes meanwhile is handled within a microsecond; waking takes several, from the one who dispatches too.
    ///   - bus: The bus that handlers listen to unless they name another.
    /// - Throws: ``MailboxError`` when a capacity is no power of two, or there is no memory.
    public init(
        name: String,
        bounds: MailboxBounds,
        spinning patience: Duration = EventProcessor.defaultPatience,
        bus: EventBus = .shared
    ) throws(MailboxError) {
        self.bus = bus
        core = try ProcessorCore(name: name, bounds: bounds, patience: patience, clock: bus.clock)
        bus.note(.processor(self))
    }

    deinit {
        core.abandon()
    }

    /// The thread's name.
    public var name: String { core.name }

    // MARK: Handling

    /// Handles the events of a type, one at a time, on the processor's thread.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it.
    @inlinable
    @discardableResult
    public func on<E: Sendable>(
        _ type: E.Type,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @Sendable (E, EventContext) -> Void
    ) -> Subscription {
        bus.listen(to: type, on: .processor(self), filter: filter, owner: owner, handler)
    }

    // MARK: Running

    /// Starts the thread; starting it again does nothing.
    ///
    /// - Throws: ``ProcessorError/noThread(name:code:)`` when the system has no thread left.
    public func start() throws(ProcessorError) {
        try core.start()
    }

    /// Stops the processor; it cannot be started again.
    ///
    /// Returns at once, also from inside a handler; ``waitUntilStopped()`` and ``stopped()`` wait. What is sent to the
    /// processor from now on is refused: when all has ended, as many events were sent to it as were handled, discarded
    /// or dropped by the mailbox, see ``metrics``.
    ///
    /// - Parameter mode: What to do with the events that are pending.
    public func stop(_ mode: StopMode = .draining) {
        core.stop(mode)
    }

    /// Waits until the thread has ended.
    ///
    /// Not from inside a handler, and not from asynchronous code: it blocks.
    public func waitUntilStopped() {
        precondition(!core.isCurrent, "the processor '\(name)' cannot wait for itself; stop it and return")
        core.waitUntilStopped()
    }

    /// Suspends until the thread has ended.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before.
    public func stopped() async throws {
        try await core.stopped()
    }

    /// Runs `body` on the processor's thread, between events.
    ///
    /// - Parameter body: What to run.
    public func perform(_ body: @escaping @Sendable () -> Void) {
        core.add(.closure(body))
    }

    /// A snapshot of the processor's counts; reading it delays no sender.
    public var metrics: ProcessorMetrics { core.metrics }
}

/// What can go wrong with a processor.
public enum ProcessorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system has no thread left; the code is one of `errno`.
    case noThread(name: String, code: Int32)

    public var description: String {
        switch self {
        case .noThread(let name, let code): "the system has no thread for the processor '\(name)' (error \(code))"
        }
    }
}

extension EventProcessor: SerialExecutor, TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        core.add(.job(UnownedJob(job), self))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    public func checkIsolated() {
        precondition(core.isCurrent, "this must run on the processor '\(name)', and runs elsewhere")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        core.isCurrent
    }
}
