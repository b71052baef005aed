/// Where work runs: on a processor, on a pool of threads, on an actor, or in virtual time.
///
/// What is given to a context runs one piece at a time, in the order in which it was given.
public struct ExecutionContext: Sendable {
    let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether the one who gives work may wait for it: the context has a thread of its own, which is another one.
    let canBeWaitedFor: @Sendable () -> Bool

    /// The thread of a processor, between its events.
    ///
    /// - Parameter processor: The processor; what is given to it before it has been started runs when it has.
    /// - Returns: The context.
    public static func processor(_ processor: EventProcessor) -> ExecutionContext {
        ExecutionContext(
            perform: { processor.perform($0) },
            canBeWaitedFor: { processor.isIsolatingCurrentContext() != true }
        )
    }

    /// The threads of a pool, one piece after the other: those of other contexts run beside.
    ///
    /// - Parameter pool: The pool.
    /// - Returns: The context; each has an order of its own.
    public static func pool(_ pool: ThreadPool) -> ExecutionContext {
        let work = SerialWork(on: pool)
        // All threads of the pool might wait for each other.
        return ExecutionContext(perform: { work.perform($0) }, canBeWaitedFor: { !pool.isCurrent })
    }

    /// Threads for computations, one for each processor: ``ThreadPool/computation``.
    public static var computation: ExecutionContext { pool(.computation) }

    /// Threads for work that blocks, whose number grows: ``ThreadPool/blocking``.
    public static var blocking: ExecutionContext { pool(.blocking) }

    /// The main actor.
    public static var mainActor: ExecutionContext { actor(MainActor.shared) }

    /// An actor, by one task for all that waits, between its other work.
    ///
    /// - Parameter actor: The actor; not kept alive. What is given to it after it has gone is dropped.
    /// - Returns: The context.
    public static func actor(_ actor: any Actor) -> ExecutionContext {
        self.actor(actor) {}
    }

    /// The same, with what to do when there is work and the actor has gone.
    static func actor(_ actor: any Actor, onGone: @escaping @Sendable () -> Void) -> ExecutionContext {
        let queue = ActorQueue(actor, onGone: onGone)
        // Who waited might keep the very thread that the actor needs.
        return ExecutionContext(perform: { queue.perform($0) }, canBeWaitedFor: { false })
    }

    /// Whatever runs what is due on a scheduler: its thread, or the test that moves a virtual clock.
    ///
    /// - Parameter scheduler: The scheduler; work is due at once.
    /// - Returns: The context.
    public static func scheduler(_ scheduler: Scheduler) -> ExecutionContext {
        ExecutionContext(
            perform: { work in
                // Without a timer left it runs here: late is worse than elsewhere.
                guard (try? scheduler.schedule(after: .zero, { _ in work() })) == nil else { return }
                work()
            },
            canBeWaitedFor: { false }
        )
    }
}
