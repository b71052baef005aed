internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirSystem

/// Stops the reading of an input that brings nothing for a moment, so that the state is saved.
///
/// Thread safety: any thread.
final class SavePause: Sendable {
    private struct State: Sendable {
        var time: Timestamp?
        var hasPaused = false
        var isClosed = false
    }

    private let interruption: Interruption
    private let state = Locked(State())
    private let clock = MonotonicClock()
    private let parker = Parker()
    private let threads = WaitGroup()

    /// Starts the thread that waits; where the system has none left, nothing is ever stopped.
    init(_ interruption: Interruption) {
        self.interruption = interruption
        threads.enter()
        let isStarted = SystemThread.start("weir.save") { [self] in
            while let time = nextTime() { parker.park(until: time) }
            threads.leave()
        }
        if !isStarted { threads.leave() }
    }

    /// Begins the pause if it is time.
    ///
    /// - Returns: When to look again; `nil` for never.
    private func nextTime() -> Timestamp? {
        state.withLock { state in
            if state.isClosed { return nil }
            guard let time = state.time, !state.hasPaused else { return .distantFuture }
            guard time <= clock.now() else { return time }
            state.hasPaused = true
            interruption.pause()
            return .distantFuture
        }
    }

    /// Says when to stop the reading; `nil` for never.
    func set(_ time: Timestamp?) {
        let isEarlier = state.withLock { state in
            guard let before = exchange(&state.time, with: time) else { return time != nil }
            // Not for a moment: that it is told with each batch costs something.
            return time.map { $0.shifted(byNanoseconds: 1_000_000) < before } ?? false
        }
        if isEarlier { parker.unpark() }
    }

    /// Ends the pause, if there is one.
    ///
    /// - Parameter replacement: What may have begun another one, which stays.
    /// - Returns: Whether there was one.
    func end(but replacement: Replacement?) -> Bool {
        let hasPaused = state.withLock { state in
            guard state.hasPaused else { return false }
            (state.hasPaused, state.time) = (false, nil)
            interruption.resume()
            return true
        }
        if hasPaused { replacement?.pauseAgain(interruption) }
        return hasPaused
    }

    /// Ends the thread.
    func close() {
        state.withLock { $0.isClosed = true }
        parker.unpark()
        threads.wait()
        _ = end(but: nil)
    }
}
