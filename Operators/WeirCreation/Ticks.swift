public import WeirCore

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
    ///   - scheduler: What the times are waited for on; kept alive by the stream's sinks' subscriptions only.
    public init(every interval: Duration, from start: Timestamp? = nil, on scheduler: Scheduler) {
        precondition(interval > .zero, "a stream cannot tick every \(interval)")
        plan = .every(interval, from: start)
        self.scheduler = scheduler
    }

    /// Creates a stream that ticks at given times.
    ///
    /// - Parameters:
    ///   - times: When; in any order, a time that has passed is due at once.
    ///   - scheduler: What the times are waited for on.
    public init(at times: some Sequence<Timestamp>, on scheduler: Scheduler) {
        plan = .at(times.sorted())
        self.scheduler = scheduler
    }

    /// Creates a stream that ticks at the times of a schedule, from the first one after a sink is attached.
    ///
    /// - Parameters:
    ///   - schedule: When; a time that the clock has jumped over is emitted all the same.
    ///   - scheduler: What the times are waited for on.
    public init(cron schedule: CronSchedule, on scheduler: Scheduler) {
        plan = .cron(schedule)
        self.scheduler = scheduler
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Timestamp {
        let handle = SinkHandle(sink)
        switch plan {
        case .every(let interval, let start):
            do throws(TimerError) {
                return try scheduler.schedule(at: start ?? scheduler.clock.now() + interval, every: interval) { time in
                    handle.receive(time, time)
                    handle.advance(time)
                }
            } catch {
                handle.finish(.failed(error))
                return Subscription()
            }
        case .at(let times):
            let position = Locked(0)
            return run(handle) {
                position.withLock { position in
                    guard position < times.count else { return nil }
                    defer { position += 1 }
                    let isLast = position == times.count - 1 || times[position + 1] > times[position]
                    return (times[position], isLast)
                }
            }
        case .cron(let schedule):
            let last = Locked(scheduler.clock.now())
            return run(handle) {
                last.withLock { last in
                    guard let next = schedule.next(after: last) else { return nil }
                    last = next
                    return (next, true)
                }
            }
        }
    }

    private func run(
        _ handle: SinkHandle<Timestamp>,
        _ next: @escaping @Sendable () -> (time: Timestamp, isLast: Bool)?
    ) -> Subscription {
        let run = TickRun(handle, scheduler, next)
        run.scheduleNext()
        return Subscription { run.cancel() }
    }
}

/// Waits for one time after the other.
private final class TickRun: Sendable {
    private let handle: SinkHandle<Timestamp>
    // The next time, and whether the one after it is later.
    private let next: @Sendable () -> (time: Timestamp, isLast: Bool)?
    private let scheduler: Scheduler
    private let pending = Locked<Subscription?>(nil)
    private let isCancelled = Locked(false)

    init(
        _ handle: SinkHandle<Timestamp>,
        _ scheduler: Scheduler,
        _ next: @escaping @Sendable () -> (time: Timestamp, isLast: Bool)?
    ) {
        self.handle = handle
        self.scheduler = scheduler
        self.next = next
    }

    func cancel() {
        isCancelled.withLock { $0 = true }
        pending.withLock { $0 }?.cancel()
    }

    func scheduleNext() {
        guard let (time, isLast) = next() else {
            handle.finish(.finished)
            return
        }
        do throws(TimerError) {
            let subscription = try scheduler.schedule(at: time) { [self] time in
                guard !isCancelled.withLock({ $0 }) else { return }
                handle.receive(time, time)
                if isLast { handle.advance(time) }
                if !isCancelled.withLock({ $0 }) { scheduleNext() }
            }
            pending.withLock { $0 = subscription }
            // It may have been cancelled before there was something to cancel.
            if isCancelled.withLock({ $0 }) { subscription.cancel() }
        } catch {
            handle.finish(.failed(error))
        }
    }
}
