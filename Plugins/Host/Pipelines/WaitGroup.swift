internal import WeirCore
internal import WeirDispatch

/// Counts threads that are at work, and lets one other thread wait until all have gone.
///
/// The core has `Waiter` for tasks and `waitUntilStopped()` for processors; these are plain threads.
final class WaitGroup: Sendable {
    private let count = Locked(0)
    private let empty = Parker()

    /// Counts a thread.
    func enter() {
        count.withLock { $0 += 1 }
    }

    /// Takes a thread off the count.
    func leave() {
        count.withLock { $0 -= 1 }
        empty.unpark()
    }

    /// Waits until the count is zero.
    func wait() {
        while count.withLock({ $0 > 0 }) { empty.park() }
    }
}
