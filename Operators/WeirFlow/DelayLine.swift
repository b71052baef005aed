internal import WeirCore
internal import WeirDispatch

/// The timer of a stream that is delayed.
final class DelayLine: Sendable {
    private struct State: Sendable {
        var makeTick: (@Sendable () -> (@Sendable () -> Void)?)?
        var timer: Subscription?
        // When the timer is due; `nil` where none is set.
        var dueTime: Timestamp?
        var isCancelled = false
    }

    private let duration: Duration
    private let scheduler: Scheduler
    private let state = Locked(State())

    init(_ duration: Duration, _ scheduler: Scheduler) {
        SinkTemplate.requireNotTemplate()
        self.duration = duration
        self.scheduler = scheduler
    }

    var now: Timestamp { scheduler.clock.now() }
    var due: Timestamp { scheduler.clock.time(after: duration) }

    func setTick(_ makeTick: @escaping @Sendable () -> (@Sendable () -> Void)?) {
        state.withLock { $0.makeTick = makeTick }
    }

    /// Has a tick come at a time, or before: then it is to be asked again.
    func schedule(at time: Timestamp) throws(TimerError) {
        let makeTick = state.withLock { state -> (@Sendable () -> (@Sendable () -> Void)?)? in
            // What waited for the timer may have been given up: another one for each of that would need a limit of its own.
            if let due = state.dueTime, due <= time { return nil }
            state.dueTime = time
            return state.makeTick
        }
        guard let makeTick, let tick = makeTick() else { return }
        let timer: Subscription
        do throws(TimerError) {
            timer = try scheduler.schedule(at: time) { [weak self] _ in
                self?.state.withLock { $0.dueTime = nil }
                tick()
            }
        } catch {
            state.withLock { $0.dueTime = nil }
            throw error
        }
        let isCancelled = state.withLock { state in
            state.timer = timer
            return state.isCancelled
        }
        if isCancelled { timer.cancel() }
    }

    func cancel() {
        let timer = state.withLock { state in
            state.isCancelled = true
            state.makeTick = nil
            return state.timer.take()
        }
        timer?.cancel()
    }
}
