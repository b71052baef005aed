internal import Dispatch
internal import Synchronization

/// Runs asynchronous work from a thread that may block.
///
/// - Parameter work: The work; runs in a task of its own.
/// - Returns: What it returns.
public func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
    let box = ResultBox<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let result = await work()
        box.value.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = box.value.withLock({ $0 }) else { preconditionFailure("the task has left no result") }
    return result
}

private final class ResultBox<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
