internal import CWeir

/// A value that one thread at a time can reach, for paths that are not hot.
///
///     final class Totals: Sendable {
///         private let counts = Locked<[String: Int]>([:])
///
///         func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
///         var snapshot: [String: Int] { counts.withLock { $0 } }
///     }
///
/// Keep state that closures of several streams share in one, or state of a subscriber that another thread reads. What only
/// the operators of one stream use needs none: a stream runs on one thread at a time. Like the standard library's `Mutex`,
/// but with a lock that the thread sanitizer knows on Linux too.
///
/// Thread safety: any thread. Waiting threads sleep; they are not served in order.
@safe
public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the value is reached only between acquiring and releasing the lock.

    private let lock: OpaquePointer
    private let value: UnsafeMutablePointer<Value>

    /// Creates a lock around a value.
    ///
    /// - Parameter initial: The value; nothing else may refer to what it consists of, unless that is `Sendable`.
    /// - Complexity: O(1), with an allocation of the lock and one of the value.
    public init(_ initial: consuming sending Value) {
        guard let lock = unsafe cweir_lock_create() else { preconditionFailure("there is no memory for a lock") }
        unsafe self.lock = lock
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initial)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe cweir_lock_destroy(lock)
    }

    /// Waits for the lock and calls `body` with the value.
    ///
    /// Not reentrant: `body` must not take the same lock, or it waits for itself for ever. Keep it short, and call nothing in
    /// it that waits or publishes.
    ///
    /// - Parameter body: Called once, on this thread, with the value to read or change.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; the lock is released then too.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe cweir_lock_acquire(lock)
        defer { unsafe cweir_lock_release(lock) }
        return try unsafe body(&value.pointee)
    }
}
