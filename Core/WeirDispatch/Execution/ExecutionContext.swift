/// Where work runs: on a processor, or in virtual time.
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
