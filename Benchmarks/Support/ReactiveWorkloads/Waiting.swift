internal import Dispatch

/// Runs asynchronous work from a thread that may block.
func wait(for work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        await work()
        done.signal()
    }
    done.wait()
}
