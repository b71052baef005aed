public import WeirCore

/// The times of a schedule, as they come.
///
///     Ticks(every: .seconds(60), on: scheduler)
///     Ticks(at: [opening, closing], on: scheduler)
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
            let run = TickRun(handle, times, scheduler)
            run.scheduleNext()
            return run.subscription
        }
    }
}

/// Waits for one time after the other.
private final class TickRun: Sendable {
    private let handle: SinkHandle<Timestamp>
    private let times: [Timestamp]
    private let scheduler: Scheduler
    private let position = Locked(0)
    let subscription = Subscription()

    init(_ handle: SinkHandle<Timestamp>, _ times: [Timestamp], _ scheduler: Scheduler) {
        self.handle = handle
        self.times = times
        self.scheduler = scheduler
    }

    func scheduleNext() {
        let index = position.withLock { position in
            defer { position += 1 }
            return position
        }
        guard index < times.count else {
            handle.finish(.finished)
            return
        }
        do throws(TimerError) {
            try scheduler.schedule(at: times[index]) { [self] time in
                guard !subscription.isCancelled else { return }
                handle.receive(time, time)
                if index == times.count - 1 || times[index + 1] > time { handle.advance(time) }
                if !subscription.isCancelled { scheduleNext() }
            }
        } catch {
            handle.finish(.failed(error))
        }
    }
}
