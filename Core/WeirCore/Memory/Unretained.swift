/// A reference that does not count, for the back edges of a graph.
///
/// It must not be used once its object is gone: the object's `deinit` has to remove every stored one. So following an
/// edge costs a load, where a weak reference costs several atomic operations.
///
/// Thread safety: that of the object.
@safe
@frozen
@usableFromInline
package struct Unretained<Object: AnyObject> {
    // Safety: the rule above, which each use proves where it stores the reference.

    @usableFromInline let reference: Unmanaged<Object>

    /// Creates a reference to an object.
    @inlinable
    package init(_ object: Object) {
        unsafe reference = .passUnretained(object)
    }

    /// The object, retained.
    @inlinable
    package var object: Object { unsafe reference.takeUnretainedValue() }

    /// Calls `body` with the object, without retaining it.
    ///
    /// - Returns: What `body` returns.
    @inlinable
    package func with<Result>(_ body: (Object) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef(body)
    }

    /// Whether this is a reference to `object`.
    ///
    /// - Returns: True when it is the same object.
    @inlinable
    package func refers(to object: Object) -> Bool {
        unsafe reference.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
    }
}
