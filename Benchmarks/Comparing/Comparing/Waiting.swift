internal import Dispatch
internal import Synchronization

/// Runs asynchronous work from a thread that may block.
///
/// - Parameter work: The work; runs in a task of its own.
/// - Returns: What it returns.
public func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
    let place = Place<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let result = await work()
        place.value.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = place.value.withLock({ $0 }) else { preconditionFailure("the task has left no result") }
    return result
}

private final class Place<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
