/// When a pool grows and shrinks: fast under load, slowly afterwards.
public struct PoolScaling: Sendable, Hashable {
    /// The pool grows when more events than these are pending for one processor.
    public var pendingToGrow: Int

    /// The pool grows when an event has waited longer than this.
    public var ageToGrow: Duration

    /// The pool shrinks, by one processor at a time, when nothing has been pending for this long.
    public var quietPeriod: Duration

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - pendingToGrow: The pool grows when more events than these are pending for one processor; positive.
    ///   - ageToGrow: The pool grows when an event has waited longer than this; positive.
    ///   - quietPeriod: The pool shrinks, by one processor at a time, when nothing has been pending for this long.
    public init(
        pendingToGrow: Int = 64,
        ageToGrow: Duration = .milliseconds(10),
        quietPeriod: Duration = .seconds(10)
    ) {
        precondition(pendingToGrow > 0, "a pool cannot grow at \(pendingToGrow) pending events")
        precondition(ageToGrow > .zero && quietPeriod > .zero, "a pool's durations must be positive")
        self.pendingToGrow = pendingToGrow
        self.ageToGrow = ageToGrow
        self.quietPeriod = quietPeriod
    }
}

/// What a pool has done so far, at one moment.
public struct PoolMetrics: Sendable {
    /// What each of its processors has done; those that the pool was shrunk by are not among them.
    public var processors: [ProcessorMetrics]

    /// How often the pool has grown by a processor.
    public var grown: UInt64

    /// How often the pool has shrunk by a processor.
    public var shrunk: UInt64

    /// How many events were handled, also by processors that the pool was shrunk by, as all that follows.
    public var handled: UInt64

    /// How many events were pending when their processor stopped, and were dropped.
    public var discarded: UInt64

    /// How many events the mailboxes have dropped, by their overflow policy as a rule.
    public var dropped: UInt64

    /// How many events came when the pool had stopped, or their processor had failed by an overflow.
    public var refused: UInt64

    /// How many processors there are.
    public var size: Int { processors.count }
}

/// The numbers of several processors, added up.
struct PoolCounts: Sendable {
    var handled: UInt64 = 0
    var discarded: UInt64 = 0
    var dropped: UInt64 = 0

    mutating func add(_ metrics: ProcessorMetrics) {
        handled += metrics.handled
        discarded += metrics.discarded
        dropped += metrics.mailbox.total.dropped
    }
}
