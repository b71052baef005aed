internal import CWeir
internal import Synchronization

/// The part of a scheduler that its thread keeps alive.
final class SchedulerCore: Sendable {
    /// Something that was scheduled.
    private final class Entry: @unchecked Sendable {
        // Safety of `@unchecked Sendable`: `handle` is reached under the lock of the state only; the rest is constant
        // or atomic.

        let interval: Duration?
        let action: @Sendable (Timestamp) -> Void
        // Changes when the entry is scheduled again.
        var handle: TimerHandle?
        let isCancelled = Atomic<Bool>(false)

        init(interval: Duration?, action: @escaping @Sendable (Timestamp) -> Void) {
            self.interval = interval
            self.action = action
        }
    }

    private enum Phase {
        case idle, running, ended
    }

    private final class State {
        var timers: TimerQueue<Entry>
        var phase = Phase.idle

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
        let entry = Entry(interval: interval, action: action)
        let (isEarliest, mustStart) = try state.withLock { state throws(TimerError) in
            let isEarliest = state.timers.nextDeadline.map { time < $0 } ?? true
            entry.handle = try state.timers.add(at: time, entry)
            guard clock.isSystem, state.phase == .idle else { return (isEarliest, false) }
            state.phase = .running
            return (isEarliest, true)
        }
        if mustStart {
            start()
        } else if isEarliest {
            parker.unpark()
        }
        return Subscription { [weak self] in self?.cancel(entry) }
    }

    private func cancel(_ entry: Entry) {
        entry.isCancelled.store(true, ordering: .relaxed)
        state.withLock { state in
            if let handle = entry.handle { _ = state.timers.cancel(handle) }
        }
    }

    func runDue() {
        while let (time, entry) = nextDue() {
            if !entry.isCancelled.load(ordering: .relaxed) { entry.action(time) }
        }
    }

    /// Takes what is due next, and puts it back for its next time where it repeats.
    private func nextDue() -> (Timestamp, Entry)? {
        state.withLock { state in
            guard let (deadline, entry) = state.timers.popDue(upTo: clock.now()) else { return nil }
            if let interval = entry.interval, !entry.isCancelled.load(ordering: .relaxed) {
                // There is room: its own place has just become free.
                entry.handle = try? state.timers.add(at: deadline + interval, entry)
            }
            return (deadline, entry)
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
        state.withLock { state in
            state.phase = .ended
            state.timers.removeAll()
        }
        parker.unpark()
    }

    fileprivate func run() {
        while true {
            runDue()
            let (hasEnded, deadline) = state.withLock { ($0.phase == .ended, $0.timers.nextDeadline) }
            if hasEnded { return }
            if let deadline {
                parker.park(until: Timestamp(nanosecondsSinceEpoch: clock.monotonicReading(at: deadline)))
            } else {
                parker.park()
            }
        }
    }
}

/// What a scheduler's thread runs; it owns a reference to the scheduler's core.
private func runScheduler(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SchedulerCore>.fromOpaque(context).takeRetainedValue().run()
}
