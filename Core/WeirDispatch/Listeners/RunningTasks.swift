internal import WeirCore

/// Tasks that are cancelled together; each is forgotten when it ends.
///
/// Thread safety: any thread.
final class RunningTasks: Sendable {
    private struct State: Sendable {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Starts a task; a cancelled one after ``cancel()``.
    func start(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.last += 1
            let number = state.last
            // Its end waits for the lock, so that it is known by then.
            let task = Task { [self] in
                await body()
                self.state.withLock { _ = $0.tasks.removeValue(forKey: number) }
            }
            if state.isCancelled { task.cancel() }
            state.tasks[number] = task
        }
    }

    /// Cancels the tasks.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return Array(state.tasks.values)
        }
        // Outside the lock: handlers of the cancellation are foreign.
        for task in tasks { task.cancel() }
    }
}
