/// State that belongs to whoever drives a chain of sinks, although what refers to it has to be `Sendable`.
///
/// A chain is driven by one thread at a time: that is the contract of ``Sink``. Where a chain has to leave something for its
/// driver, or the driver to reach into the chain, both ends hold one of these. Only they may touch it.
@safe
@usableFromInline
package final class DrivenState<Value: ~Copyable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the driver is one thread at a time, and hands over with a release and an acquire, as
    // for `StateBox`; nobody else has the state.

    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    /// Creates the state.
    ///
    /// - Parameter value: What it begins with.
    @inlinable
    package init(_ value: consuming Value) {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }

    /// The state; not to be changed while another access to it goes on.
    @inlinable
    package var value: Value {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(pointer) }
        @inline(__always)
        unsafeMutableAddress { unsafe pointer }
    }

    /// Moves the state into a local, calls `body`, and moves it back; not reentrant.
    ///
    /// - Parameter body: Works on the state; nobody may touch it otherwise meanwhile.
    @inlinable
    package func withLocal(_ body: (inout Value) -> Void) {
        var local = unsafe pointer.move()
        body(&local)
        unsafe pointer.initialize(to: local)
    }
}
