internal import CWeir

/// A value that one thread at a time can reach, for paths that are not hot.
///
/// Like the standard library's `Mutex`, but with a lock that the thread sanitizer knows on Linux too.
@safe
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the value is reached only between acquiring and releasing the lock.

    private let lock: OpaquePointer
    private let value: UnsafeMutablePointer<Value>

    /// Creates a lock around a value.
    package init(_ initial: consuming sending Value) {
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

    /// Waits for the lock and calls `body` with the value; not reentrant.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe cweir_lock_acquire(lock)
        defer { unsafe cweir_lock_release(lock) }
        return try unsafe body(&value.pointee)
    }
}
