public import WeirCore
public import WeirDispatch

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

    /// The default number of elements that a stage requests and may hold; at least 1.
    public var batch: Int

    /// Where islands run.
    public var execution: Execution

    /// The clock of `throttle` and ticks.
    public var clock: EventClock

    /// What wakes stages that wait for a time; one on ``clock``.
    ///
    /// Without one, a graph that needs one makes it.
    public var scheduler: Scheduler?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - batch: How many elements a stage requests at a time; at least 1.
    ///   - execution: Where islands run.
    ///   - clock: The clock of `throttle` and ticks.
    ///   - scheduler: What wakes stages that wait for a time; one on `clock`.
    public init(
        batch: Int = 256,
        execution: Execution = .automatic,
        clock: EventClock = EventClock(),
        scheduler: Scheduler? = nil
    ) {
        precondition(batch > 0, "GraphSettings: batch must be positive, but is \(batch)")
        self.batch = batch
        self.execution = execution
        self.clock = scheduler?.clock ?? clock
        self.scheduler = scheduler
    }
}
