import WeirCore

/// Doors that tasks wait at until a test opens them, each by its number; a cancelled task passes with an error.
package final class Gates: Sendable {
    private struct State {
        var open: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// Creates closed gates.
    package init() {}

    /// The gates at which tasks wait.
    package var waiting: Set<Int> { state.withLock { Set($0.waiting.keys) } }

    /// The gates at which tasks were cancelled.
    package var cancelled: Set<Int> { state.withLock { $0.cancelled } }

    /// Waits until a gate is open; one task at each.
    package func pass(_ number: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.contains(number) { return .failure(CancellationError()) }
                    if state.open.contains(number) { return .success(()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// Opens a gate for good.
    package func open(_ number: Int) {
        let waiting = state.withLock { state in
            state.open.insert(number)
            return state.waiting.removeValue(forKey: number)
        }
        waiting?.resume()
    }
}

/// Lets other tasks run until something holds; false after a great many turns and five minutes.
package func eventually(
    isolation: isolated (any Actor)? = #isolation,
    _ isSo: () async -> Bool
) async -> Bool {
    // Guards against what hangs. Turns alone say nothing of how far other threads are on a busy machine, and time alone
    // nothing of other tasks, which wait for minutes where tests keep all threads busy.
    let limit = ContinuousClock.now + .seconds(300)
    var turns = 0
    while turns < 1_000_000 || ContinuousClock.now < limit {
        if await isSo() { return true }
        turns += 1
        await Task.yield()
    }
    return false
}
