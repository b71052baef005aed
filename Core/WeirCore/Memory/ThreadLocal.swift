public import CWeir

/// The one object that each thread keeps for itself, made when the thread first asks for it.
///
/// For work that begins and ends on one thread without a suspension in between, where it spares handing the object
/// through every call. A thread keeps one object in all, so one type of the program can be kept this way.
///
/// Thread safety: any thread; each gets an object of its own. The object must not leave `body`.
@safe
@usableFromInline
package enum ThreadLocal<Object: AnyObject> {
    /// Calls `body` with this thread's object, without retaining it: the thread does, until it ends.
    ///
    /// - Returns: What `body` returns.
    @inline(__always)
    @inlinable
    package static func with<Result>(_ make: () -> Object, _ body: (Object) -> Result) -> Result {
        let kept = unsafe cweir_thread_kept() ?? keep(make())
        // Safety: the thread owns the object, and nothing but the end of the thread releases it.
        let reference = unsafe Unmanaged<AnyObject>.fromOpaque(kept)
        return unsafe reference._withUnsafeGuaranteedRef { object in
            precondition(type(of: object) == Object.self, "a thread keeps objects of one type only")
            return unsafe body(unsafeDowncast(object, to: Object.self))
        }
    }

    @inline(never)
    @usableFromInline
    package static func keep(_ object: Object) -> UnsafeMutableRawPointer {
        let reference = unsafe Unmanaged<AnyObject>.passRetained(object).toOpaque()
        let error = unsafe cweir_thread_keep(reference) { object in
            unsafe Unmanaged<AnyObject>.fromOpaque(object).release()
        }
        precondition(error == 0, "the system cannot keep an object for a thread (error \(error))")
        return unsafe reference
    }
}
