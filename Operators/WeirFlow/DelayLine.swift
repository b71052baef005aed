internal import WeirCore
internal import WeirDispatch

/// The timer of a stream that is delayed.
final class DelayLine: Sendable {
    private struct State: Sendable {
        var makeTick: (@Sendable () -> (@Sendable () -> Void)?)?
        var timer: Subscription?
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

    func schedule(at time: Timestamp) throws(TimerError) {
        guard let makeTick = state.withLock({ $0.makeTick }), let tick = makeTick() else { return }
        let timer = try scheduler.schedule(at: time) { _ in tick() }
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
