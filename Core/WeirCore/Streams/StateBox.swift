/// Keeps a value that one thread at a time works on, for closures that outlive the call.
///
/// Working on a stored property of a class costs an exclusivity check and a round trip to memory for every access.
/// Here the value is moved into a local for the whole of a batch, and back.
@safe
@usableFromInline
final class StateBox<Value>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: every owner drives its box by one thread at a time (a channel from inside its
    // gate, a record consumer from the thread that feeds it), and hands over with a release and an acquire.

    @usableFromInline
    let value: UnsafeMutablePointer<Value>

    @inlinable
    init(_ value: consuming Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Moves the value into a local, calls `body`, and moves it back; not reentrant.
    @inlinable
    func withLocal(_ body: (inout Value) -> Void) {
        var local = unsafe value.move()
        body(&local)
        unsafe value.initialize(to: local)
    }
}
