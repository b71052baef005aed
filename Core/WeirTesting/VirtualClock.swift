public import WeirCore
public import WeirDispatch

/// A clock that only a test moves, and that runs the tasks that become due.
///
///     let clock = VirtualClock()
///     let bus = EventBus(clock: EventClock(clock))
///     clock.drives(bus.scheduler)
///     try bus.queue(Reminder(), after: .seconds(60))
///     clock.advance(by: .seconds(60))  // the reminder is dispatched before this returns
///
/// Thread safety: any thread may read the time; one thread moves the clock.
public final class VirtualClock: TimeSource {
    private struct State: Sendable {
        var now: Timestamp
        var schedulers: [Scheduler] = []
    }

    private let state: Locked<State>

    /// Creates a clock.
    ///
    /// - Parameter start: The initial time.
    public init(at start: Timestamp = .epoch) {
        state = Locked(State(now: start))
    }

    public func now() -> Timestamp {
        state.withLock { $0.now }
    }

    /// Runs the due tasks of a scheduler whenever the clock moves.
    ///
    /// - Parameter scheduler: A scheduler on this clock.
    public func drives(_ scheduler: Scheduler) {
        state.withLock { $0.schedulers.append(scheduler) }
    }

    /// Moves the clock, and stops at each deadline to run what is due.
    ///
    /// - Parameter duration: How far; not negative.
    public func advance(by duration: Duration) {
        advance(to: now() + duration)
    }

    /// Moves the clock, and stops at each deadline to run what is due.
    ///
    /// - Parameter time: The new time; not before the present one.
    public func advance(to time: Timestamp) {
        precondition(time >= now(), "a clock cannot go back from \(now()) to \(time)")
        let schedulers = state.withLock { $0.schedulers }
        for scheduler in schedulers { scheduler.runDue() }
        while let next = schedulers.compactMap(\.nextDeadline).min(), next <= time {
            state.withLock { $0.now = max($0.now, next) }
            for scheduler in schedulers { scheduler.runDue() }
        }
        // What ran on the way may have moved the clock further.
        state.withLock { $0.now = max($0.now, time) }
    }
}
