internal import CWeir
internal import Synchronization

/// The part of a scheduler that its thread keeps alive.
final class SchedulerCore: Sendable {
    /// What waits for its time.
    private struct Pending: Sendable {
        let action: @Sendable (Timestamp) -> Void
        // Its own handle, where it is scheduled again after each time.
        let repeating: Schedule?
    }

    private enum Phase {
        case idle, running, ended
    }

    private struct State: ~Copyable {
        var timers: TimerQueue<Pending>
        var phase = Phase.idle
        // Until when the thread sleeps, unless somebody has woken it; what is due earlier has to.
        var wakeTime = Timestamp.distantPast

        init(limit: Int) throws(TimerError) {
            timers = try TimerQueue(limit: limit)
        }
    }

    let clock: EventClock
    private let state: Locked<State>
    private let parker = Parker()

    init(clock: EventClock, limit: Int) {
        self.clock = clock
        do {
            state = Locked(try State(limit: limit))
        } catch {
            preconditionFailure("a scheduler for \(limit) schedules cannot be made: \(error)")
        }
    }

    func schedule(
        at time: Timestamp,
        every interval: Duration?,
        _ action: @escaping @Sendable (Timestamp) -> Void
    ) throws(TimerError) -> Subscription {
        let schedule = Schedule(of: self, every: interval)
        let pending = Pending(action: action, repeating: interval == nil ? nil : schedule)
        let (mustStart, mustWake) = try state.withLock { state throws(TimerError) in
            schedule.timer = try state.timers.add(at: time, pending)
            let mustStart = clock.isSystem && state.phase == .idle
            if mustStart { state.phase = .running }
            let mustWake = time < state.wakeTime
            if mustWake { state.wakeTime = time }
            return (mustStart, mustWake)
        }
        if mustStart { start() }
        if mustWake { parker.unpark() }
        return schedule
    }

    fileprivate func cancel(_ schedule: Schedule) {
        let cancelled = state.withLock { state in schedule.timer.flatMap { state.timers.cancel($0) } }
        // Outside the lock: what goes with it is foreign.
        withExtendedLifetime(cancelled) {}
    }

    func runDue() {
        while let (time, pending) = nextDue(at: clock.now()) {
            if let schedule = pending.repeating, schedule.isCancelled { continue }
            pending.action(time)
        }
    }

    /// Takes what is due next, and puts it back for its next time where it repeats.
    private func nextDue(at now: Timestamp) -> (Timestamp, Pending)? {
        state.withLock { state in
            guard let (deadline, pending) = state.timers.popDue(upTo: now) else { return nil }
            // Of a million that are pending, few are in the cache: what the next action has captured, which is the
            // second word of a closure, comes while this one runs.
            state.timers.fetchNext(pointerAt: MemoryLayout<Int>.size)
            if let schedule = pending.repeating, !schedule.isCancelled, let next = schedule.time(after: deadline) {
                // There is room: its own place has just become free.
                schedule.timer = try? state.timers.add(at: next, pending)
            }
            return (deadline, pending)
        }
    }

    var pendingCount: Int { state.withLock { $0.timers.count } }

    var nextDeadline: Timestamp? { state.withLock { $0.timers.nextDeadline } }

    // MARK: The thread

    private func start() {
        let reference = unsafe Unmanaged.passRetained(self)
        let code = unsafe cweir_thread_start("weir.scheduler", runScheduler, reference.toOpaque())
        precondition(code == 0, "the system has no thread for a scheduler (error \(code))")
    }

    func end() {
        var ended: [Pending] = []
        state.withLock { state in
            state.phase = .ended
            while let (_, pending) = state.timers.popDue(upTo: .distantFuture) { ended.append(pending) }
        }
        // Outside the lock: what goes with them is foreign.
        ended.removeAll()
        parker.unpark()
    }

    fileprivate func run() {
        while true {
            runDue()
            let (hasEnded, deadline) = state.withLock { state in
                let deadline = state.timers.nextDeadline
                state.wakeTime = deadline ?? .distantFuture
                return (state.phase == .ended, deadline)
            }
            if hasEnded { return }
            if let deadline {
                parker.park(until: Timestamp(nanosecondsSinceEpoch: clock.monotonicReading(at: deadline)))
            } else {
                parker.park()
            }
        }
    }
}

/// The handle of something that was scheduled.
private final class Schedule: Subscription, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `timer` is reached under the lock of the core's state only; the rest is constant.

    private let core: SchedulerCore
    // In nanoseconds; 0 for once.
    private let interval: Int64
    // Changes when it is scheduled again.
    var timer: TimerHandle?

    init(of core: SchedulerCore, every interval: Duration?) {
        self.core = core
        // What is shorter than a nanosecond would be due for ever.
        self.interval = interval.map { max(1, $0.wholeNanoseconds) } ?? 0
        super.init(detachingItself: ())
    }

    override func detach() {
        core.cancel(self)
    }

    /// When it is due again; nil when it is not, or not before the end of time.
    func time(after time: Timestamp) -> Timestamp? {
        guard interval > 0 else { return nil }
        let (next, isBeyond) = time.nanosecondsSinceEpoch.addingReportingOverflow(interval)
        return isBeyond ? nil : Timestamp(nanosecondsSinceEpoch: next)
    }
}

/// What a scheduler's thread runs; it owns a reference to the scheduler's core.
private func runScheduler(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SchedulerCore>.fromOpaque(context).takeRetainedValue().run()
}
