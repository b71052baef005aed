/// Where a listener's handler runs.
public struct ListenerContext: Sendable {
    @usableFromInline
    enum Kind: Sendable {
        case publisher
        case processor(ProcessorReference)
        case executor(any TaskExecutor, capacity: Int)
    }

    @usableFromInline let kind: Kind

    /// On the thread that dispatches, one at a time: before `publish` returns, unless the channel is busy; then on the
    /// thread that keeps it busy, after what that is handling.
    public static var publisher: ListenerContext { ListenerContext(kind: .publisher) }

    /// On a processor's thread, by priority.
    ///
    /// - Parameter processor: Not kept alive by the listener; when it goes the listener ends. One that has stopped refuses
    ///   and counts what it gets.
    /// - Returns: The context.
    public static func processor(_ processor: EventProcessor) -> ListenerContext {
        ListenerContext(kind: .processor(ProcessorReference(core: processor.core)))
    }

    /// On an executor, one at a time, in the order of dispatch.
    ///
    /// - Parameters:
    ///   - executor: Where to run.
    ///   - capacity: How many events may wait; a power of two. Further ones are dropped and counted.
    /// - Returns: The context.
    public static func executor(_ executor: any TaskExecutor, capacity: Int = 1024) -> ListenerContext {
        ListenerContext(kind: .executor(executor, capacity: capacity))
    }
}

/// A processor without its handle: listening does not keep a processor's thread alive.
@usableFromInline
struct ProcessorReference: Sendable {
    @usableFromInline let core: ProcessorCore
}

/// Where a listener's main-actor handler runs: on the main actor, one at a time, in the order of dispatch.
public struct MainActorContext: Sendable {
    let capacity: Int

    /// On the main actor.
    public static var mainActor: MainActorContext { MainActorContext(capacity: 1024) }

    /// On the main actor, with room for a number of events.
    ///
    /// - Parameter capacity: How many events may wait; a power of two. Further ones are dropped and counted.
    /// - Returns: The context.
    public static func mainActor(capacity: Int) -> MainActorContext {
        MainActorContext(capacity: capacity)
    }
}

/// Where a listener's asynchronous handler runs: in tasks, a bounded number at a time.
public struct TaskContext: Sendable {
    let limit: Int
    let capacity: Int

    /// In tasks.
    ///
    /// - Parameters:
    ///   - limit: How many events are handled at a time; positive. With one, they keep the order of dispatch.
    ///   - capacity: How many events may wait; a power of two. Further ones are dropped and counted.
    /// - Returns: The context.
    public static func task(limit: Int = 1, capacity: Int = 1024) -> TaskContext {
        precondition(limit > 0, "a listener needs at least one task, not \(limit)")
        return TaskContext(limit: limit, capacity: capacity)
    }
}
