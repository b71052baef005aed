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
/// the scheduler has no room for another schedule, the stream fails with its error.
///
/// - Complexity: That of the scheduler per element.
public struct Ticks: EventStream {
    public typealias Element = Timestamp

    private enum Plan: Sendable {
        case every(Duration, from: Timestamp?)
        case at([Timestamp])
        case cron(CronSchedule)
    }

    private let plan: Plan
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
        let run = TickRun(SinkHandle(sink), scheduler, next())
        run.scheduleNext()
        return Subscription { [own = run.own] in own.cancel() }
    }

    /// The source of the next time, and whether the one after it is later.
    private func next() -> @Sendable () -> (time: Timestamp, isLast: Bool)? {
        switch plan {
        case .every(let interval, let start):
            let due = Locked(Timestamp?.some(start ?? scheduler.clock.time(after: interval)))
            return {
                due.withLock { due in
                    guard let time = due else { return nil }
                    let next = time.shifted(byNanoseconds: interval.wholeNanoseconds)
                    due = next > time ? next : nil
                    return (time, true)
                }
            }
        case .at(let times):
            let position = Locked(0)
            return {
                position.withLock { position in
                    guard position < times.count else { return nil }
                    defer { position += 1 }
                    let isLast = position == times.count - 1 || times[position + 1] > times[position]
                    return (times[position], isLast)
                }
            }
        case .cron(let schedule):
            let last = Locked(scheduler.clock.now())
            return {
                last.withLock { last in
                    guard let next = schedule.next(after: last) else { return nil }
                    last = next
                    return (next, true)
                }
            }
        }
    }
}

/// Waits for one time after the other.
private final class TickRun: Sendable {
    let own = DeferredSubscription()
    private let handle: SinkHandle<Timestamp>
    private let next: @Sendable () -> (time: Timestamp, isLast: Bool)?
    private let scheduler: Scheduler

    init(
        _ handle: SinkHandle<Timestamp>,
        _ scheduler: Scheduler,
        _ next: @escaping @Sendable () -> (time: Timestamp, isLast: Bool)?
    ) {
        self.handle = handle
        self.scheduler = scheduler
        self.next = next
    }

    func scheduleNext() {
        guard let (time, isLast) = next() else { return handle.finish(.finished) }
        do throws(TimerError) {
            let subscription = try scheduler.schedule(at: time) { [self] time in
                guard !own.isCancelled else { return }
                handle.receive(time, time)
                if isLast, !own.isCancelled { handle.advance(time) }
                if !own.isCancelled { scheduleNext() }
            }
            own.set(subscription)
        } catch {
            handle.finish(.failed(error))
        }
    }
}
