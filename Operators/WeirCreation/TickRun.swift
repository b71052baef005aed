internal import WeirCore
internal import WeirDispatch

/// Which times there are.
enum TickPlan: Sendable {
    case every(Duration, from: Timestamp?)
    case at([Timestamp])
    case cron(CronSchedule)
}

/// Where a sink is in the times.
struct TickPosition: Sendable {
    private let plan: TickPlan
    // The next of a period; nil beyond the end of time.
    private var due: Timestamp?
    // The next of given times.
    private var place = 0
    // The last of a schedule.
    private var last: Timestamp

    /// The time that is waited for, and whether the one after it is later.
    private(set) var next: (time: Timestamp, isLast: Bool)?

    init(_ plan: TickPlan, startingBy clock: EventClock) {
        self.plan = plan
        last = clock.now()
        if case .every(let interval, let start) = plan { due = start ?? clock.time(after: interval) }
        advance()
    }

    /// Goes on to the next time.
    mutating func advance() {
        switch plan {
        case .every(let interval, _):
            next = due.map { ($0, true) }
            guard let time = due else { return }
            let later = time.shifted(byNanoseconds: interval.wholeNanoseconds)
            due = later > time ? later : nil
        case .at(let times):
            guard place < times.count else { return next = nil }
            next = (times[place], place == times.count - 1 || times[place + 1] > times[place])
            place += 1
        case .cron(let schedule):
            next = schedule.next(after: last).map { ($0, true) }
            if let next { last = next.time }
        }
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        switch plan {
        case .every(let interval, _): state.require(interval.wholeNanoseconds)
        case .at(let times): state.require(describing: "\(times.map(\.nanosecondsSinceEpoch))")
        case .cron(let schedule): state.require(describing: "\(schedule)")
        }
        try state.exchange(&due)
        try state.exchange(&place)
        try state.exchange(&last)
        try state.exchange(&next)
    }
}

/// Waits for one time after the other.
final class TickRun: ScheduledState {
    private struct Run {
        var position: TickPosition
        // Nil when the stream is over.
        var handle: SinkHandle<Timestamp>?
        // What waits for the next time.
        var timer: Subscription?
    }

    let own = DeferredSubscription()
    private let scheduler: Scheduler
    private let isDue = Locked(false)
    private let run = Locked<GatedState<Run>?>(nil)

    init<S: Sink>(_ sink: S, _ scheduler: Scheduler, _ position: TickPosition) where S.Input == Timestamp {
        self.scheduler = scheduler
        let confined = GatedState({ Run(position: position, handle: SinkHandle(sink)) }) { [weak self] run in
            self?.work(on: &run)
        }
        run.withLock { $0 = confined }
    }

    /// Waits for the first time.
    func start() {
        run.withLock { $0 }?.run()
    }

    private func work(on run: inout Run) {
        if isDue.withLock({ $0 }) {
            isDue.withLock { $0 = false }
            run.timer = nil
            tick(&run)
        }
        if run.timer == nil { wait(&run) }
    }

    private func tick(_ run: inout Run) {
        guard !own.isCancelled, let (time, isLast) = run.position.next else { return }
        run.handle?.receive(time, time)
        if isLast, !own.isCancelled { run.handle?.advance(time) }
        run.position.advance()
    }

    private func wait(_ run: inout Run) {
        guard !own.isCancelled, let handle = run.handle else { return run.handle = nil }
        guard let (time, _) = run.position.next else {
            run.handle = nil
            return handle.finish(.finished)
        }
        do throws(TimerError) {
            run.timer = own.set(try scheduler.schedule(at: time) { [self] _ in comeDue() })
        } catch {
            run.handle = nil
            handle.finish(.failed(error))
        }
    }

    private func comeDue() {
        isDue.withLock { $0 = true }
        run.withLock { $0 }?.run()
    }

    func end() { own.cancel() }

    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        let gated = run.withLock { $0 }
        let isDone: Void? = try gated?.whileIdle(
            postponing: { gated?.run() },
            { (run) throws(StateError) in
                try state.begin("ticks")
                try run.position.exchangeState(&state)
                let isRestoring = state.isRestoring
                try run.handle?.exchangeState(&state)
                guard isRestoring else { return }
                run.timer?.cancel()
                isDue.withLock { $0 = false }
                wait(&run)
            }
        )
        guard isDone != nil else { throw .busy("a stream of ticks") }
    }
}
