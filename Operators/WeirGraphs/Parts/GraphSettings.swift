public import WeirCore

/// How a graph runs.
public struct GraphSettings: Sendable {
    /// Where the islands of a graph run: the parts between its asynchronous boundaries.
    public enum Execution: Sendable {
        /// A single island on the thread that runs the graph, or gives it something; several each on a processor of its
        /// own.
        case automatic
        /// On the thread that runs the graph, or gives it something; boundaries included. For tests in virtual time.
        case inline
        /// Each on a processor of its own.
        case processors
    }

    /// How many elements a stage asks for, and may hold, where nothing else says how many: from 1 on.
    public var batch: Int

    /// Where islands run.
    public var execution: Execution

    /// What `throttle`, ticks and the like go by.
    public var clock: EventClock

    /// What wakes stages that wait for a time; one on ``clock``.
    ///
    /// Without one, a graph that needs one makes it.
    public var scheduler: Scheduler?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - batch: How many elements a stage asks for at a time; from 1 on.
    ///   - execution: Where islands run.
    ///   - clock: What `throttle`, ticks and the like go by.
    ///   - scheduler: What wakes stages that wait for a time; one on `clock`.
    public init(
        batch: Int = 256,
        execution: Execution = .automatic,
        clock: EventClock = EventClock(),
        scheduler: Scheduler? = nil
    ) {
        precondition(batch > 0, "a stage has to ask for an element at least, not for \(batch)")
        self.batch = batch
        self.execution = execution
        self.clock = scheduler?.clock ?? clock
        self.scheduler = scheduler
    }
}
