/// A task that waits for a result, or for its own cancellation, whatever comes first.
///
/// Thread safety: `resume(with:)` from any thread; one task waits, once.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case empty
        case waiting(CheckedContinuation<Value, any Error>)
        case done(Result<Value, any Error>)
    }

    private let state = Locked(State.empty)

    /// Creates a waiter without a result.
    package init() {}

    /// Sets the result; only the first one counts.
    package func resume(with result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            if case .done = state { return nil }
            defer { state = .done(result) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result)
    }

    /// Suspends until there is a result.
    ///
    /// - Returns: The result.
    /// - Throws: What the result holds; `CancellationError` when the task is cancelled before it comes.
    package func wait() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .done(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            resume(with: .failure(CancellationError()))
        }
    }
}
