internal import CWeir
internal import Synchronization
internal import WeirCore

/// The part of a scheduler that its thread keeps alive.
final class SchedulerCore: Sendable {
    /// What waits for its time.
    private struct Pending: Sendable {
        let action: @Sendable (Timestamp) -> Void
        // Where it is scheduled again after each time.
        let repetition: Repetition?
    }

    private enum Phase {
        case idle, running, ended
    }

    private struct State: ~Copyable {
        var timers: TimerQueue<Pending>
        var phase = Phase.idle
        // Until when the thread sleeps; a timer that is due earlier has to wake it.
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
        let repetition = interval.map(Repetition.init)
        let pending = Pending(action: action, repetition: repetition)
        let (timer, mustStart, mustWake) = try state.withLock { state throws(TimerError) in
            let timer = try state.timers.add(at: time, pending)
            repetition?.timer = timer
            let mustStart = clock.isSystem && state.phase == .idle
            if mustStart { state.phase = .running }
            let mustWake = time < state.wakeTime
            if mustWake { state.wakeTime = time }
            return (timer, mustStart, mustWake)
        }
        if mustStart { start() }
        if mustWake { parker.unpark() }
        guard let repetition else { return Subscription { self.cancel { timer } } }
        return Subscription {
            repetition.isCancelled.store(true, ordering: .relaxed)
            self.cancel { repetition.timer }
        }
    }

    /// Cancels a timer, which is looked up under the lock.
    private func cancel(_ timer: () -> TimerHandle?) {
        let cancelled = state.withLock { state in timer().flatMap { state.timers.cancel($0) } }
        // Outside the lock: what goes with it is foreign.
        withExtendedLifetime(cancelled) {}
    }

    func runDue() {
        while let (time, pending) = nextDue(at: clock.now()) {
            if let repetition = pending.repetition, repetition.isCancelled.load(ordering: .relaxed) { continue }
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
            if let repetition = pending.repetition, !repetition.isCancelled.load(ordering: .relaxed),
                let next = repetition.time(after: deadline)
            {
                // There is room: its own place has just become free.
                repetition.timer = try? state.timers.add(at: next, pending)
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

/// What is scheduled again after each time.
private final class Repetition: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `timer` is reached under the lock of the core's state only; the rest is constant
    // or atomic.

    // In nanoseconds.
    private let interval: Int64
    // Relaxed, as a subscription's own flag: it guards nothing but itself.
    let isCancelled = Atomic<Bool>(false)
    // Changes when it is scheduled again.
    var timer: TimerHandle?

    init(every interval: Duration) {
        // What is shorter than a nanosecond would be due for ever.
        self.interval = max(1, interval.wholeNanoseconds)
    }

    /// When it is due again; nil when that is beyond the end of time.
    func time(after time: Timestamp) -> Timestamp? {
        let (next, isBeyond) = time.nanosecondsSinceEpoch.addingReportingOverflow(interval)
        return isBeyond ? nil : Timestamp(nanosecondsSinceEpoch: next)
    }
}

/// What a scheduler's thread runs; it owns a reference to the scheduler's core.
private func runScheduler(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SchedulerCore>.fromOpaque(context).takeRetainedValue().run()
}
