public import WeirCore
public import WeirDispatch

extension Signal where Value == Timestamp {
    /// The time, as a signal of the calling actor that moves on in steps.
    ///
    ///     @MainActor func show(_ started: Timestamp, _ scheduler: Scheduler) throws {
    ///         let now = try Signal.time(every: .milliseconds(100), by: scheduler)
    ///         let elapsed = Signal { now() - started }
    ///     }
    ///
    /// Steps are multiples of the interval from the call on. An actor that is busy for longer gets the newest alone. What
    /// depends on the time is an expression over it; for samples of a signal that has nothing to do with it see
    /// `sampled(by:)`.
    ///
    /// - Parameters:
    ///   - interval: How long a step is; positive.
    ///   - scheduler: Its clock says what time it is; kept alive by the signal.
    ///   - isolation: The actor; the one that calls.
    /// - Returns: The signal; the schedule ends with it.
    /// - Throws: `TimerError` when too many schedules are pending.
    public static func time(
        every interval: Duration,
        by scheduler: Scheduler,
        isolation: isolated any Actor = #isolation
    ) throws(TimerError) -> Signal<Timestamp> {
        let signal = MutableSignal(scheduler.clock.now())
        let (times, continuation) = AsyncStream.makeStream(of: Timestamp.self, bufferingPolicy: .bufferingNewest(1))
        let schedule = try scheduler.schedule(after: interval, every: interval) { continuation.yield($0) }
        signal.follow(times, isolation)
        signal.node.audience.atEnd {
            schedule.cancel()
            withExtendedLifetime(scheduler) {}
        }
        return signal
    }
}
