public import WeirCore
public import WeirDispatch

/// The times of a schedule, as they come.
///
///     Ticks(every: .seconds(60), on: scheduler)
///     Ticks(at: [opening, closing], on: scheduler)
///     try Ticks(cron: CronSchedule("0 9 * * mon-fri"), on: scheduler)
///
/// Emits each time when the scheduler's clock reaches it, as an element at that time, and then the time as a watermark;
/// after the last of given times it finishes. Emits on the thread that runs the scheduler. Remembers the position. When
/// the scheduler has no room for another schedule, the stream fails with its error. Checkpoints of the scheduler have the
/// position: after a restart the next time is the one that would have been the next, and is due at once where it has passed.
///
/// - Complexity: That of the scheduler per element.
public struct Ticks: EventStream {
    public typealias Element = Timestamp

    private let plan: TickPlan
    private let scheduler: Scheduler

    /// Creates a stream that ticks for ever.
    ///
    /// - Parameters:
    ///   - interval: How long from one time to the next; positive.
    ///   - start: The first time; an interval after a sink is attached if there is none.
    ///   - scheduler: The scheduler that waits; kept alive only by the subscriptions of the stream's sinks.
    public init(every interval: Duration, from start: Timestamp? = nil, on scheduler: Scheduler) {
        precondition(interval >= .nanoseconds(1), "Ticks: interval must be positive, but is \(interval)")
        plan = .every(interval, from: start)
        self.scheduler = scheduler
    }

    /// Creates a stream that ticks at given times.
    ///
    /// - Parameters:
    ///   - times: When; in any order, a time that has passed is due at once.
    ///   - scheduler: The scheduler that waits.
    public init(at times: some Sequence<Timestamp>, on scheduler: Scheduler) {
        plan = .at(times.sorted())
        self.scheduler = scheduler
    }

    /// Creates a stream that ticks at the times of a schedule, from the first one after a sink is attached.
    ///
    /// - Parameters:
    ///   - schedule: When; a time that the clock has jumped over is emitted all the same.
    ///   - scheduler: The scheduler that waits.
    public init(cron schedule: CronSchedule, on scheduler: Scheduler) {
        plan = .cron(schedule)
        self.scheduler = scheduler
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Timestamp {
        let run = TickRun(sink, scheduler, TickPosition(plan, startingBy: scheduler.clock))
        scheduler.keep(run)
        run.start()
        return Subscription { [own = run.own] in own.cancel() }
    }
}
