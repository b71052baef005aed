internal import Synchronization
public import WeirCore

/// Runs actions at times of a clock, without a main queue or run loop.
///
/// On the system's clock a thread of its own waits for the next deadline; it starts with the first schedule, sleeps
/// while nothing is due, and ends when the scheduler goes away. On any other clock nothing waits: the owner of
/// the clock calls ``runDue()`` after it moved it, as `VirtualClock` does.
///
/// What is due at the same time runs in the order in which it was scheduled, one after the other.
///
/// Thread safety: all members, from any thread, also from inside what the scheduler runs.
public final class Scheduler: Sendable {
    let core: SchedulerCore
    // What has state that waits for times, in the order in which it came.
    let kept = Locked(KeptState())

    /// Creates a scheduler without schedules.
    ///
    /// - Parameters:
    ///   - clock: The clock whose times count.
    ///   - limit: How many schedules can be pending.
    public init(clock: EventClock = EventClock(), limit: Int = 1 << 22) {
        core = SchedulerCore(clock: clock, limit: limit)
    }

    deinit {
        core.end()
    }

    /// The clock whose times count.
    public var clock: EventClock { core.clock }

    /// Schedules an action for a time; a time that has passed is due at once.
    ///
    /// - Parameters:
    ///   - time: When to run it first.
    ///   - interval: How long after each time to run it again; positive. A run that comes late moves no other.
    ///   - owner: Not kept alive. The first run that is due after it has gone does not happen, and is the last.
    ///   - action: Takes the time that it was scheduled for. Runs on the scheduler's thread.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @discardableResult
    public func schedule(
        at time: Timestamp,
        every interval: Duration? = nil,
        owner: (any AnyObject & Sendable)? = nil,
        _ action: @escaping @Sendable (Timestamp) -> Void
    ) throws(TimerError) -> Subscription {
        precondition(interval.map { $0 > .zero } ?? true, "a schedule cannot repeat every \(interval ?? .zero)")
        guard let owner else { return try core.schedule(at: time, every: interval, action) }
        let (reference, own) = (WeakReference(owner), DeferredSubscription())
        return own.set(
            try core.schedule(at: time, every: interval) { time in
                if reference.object == nil { own.cancel() } else { action(time) }
            }
        )
    }

    /// Schedules an action for after a duration.
    ///
    /// - Parameters:
    ///   - delay: How long from now; what is not positive is due at once, what is beyond the end of time then.
    ///   - interval: How long after each time to run it again; positive.
    ///   - owner: Not kept alive. The first run that is due after it has gone does not happen, and is the last.
    ///   - action: Takes the time that it was scheduled for. Runs on the scheduler's thread.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @discardableResult
    public func schedule(
        after delay: Duration,
        every interval: Duration? = nil,
        owner: (any AnyObject & Sendable)? = nil,
        _ action: @escaping @Sendable (Timestamp) -> Void
    ) throws(TimerError) -> Subscription {
        try schedule(at: clock.time(after: delay), every: interval, owner: owner, action)
    }

    /// Runs what is due by the clock, on this thread; for clocks that are not the system's.
    public func runDue() {
        core.runDue()
    }

    /// How many schedules are pending.
    public var pendingCount: Int { core.pendingCount }

    /// When the next schedule is due.
    public var nextDeadline: Timestamp? { core.nextDeadline }
}
