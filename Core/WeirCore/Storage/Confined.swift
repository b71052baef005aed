/// Keeps a value that can not be copied, for something that can be, such as a sink.
///
/// Whoever holds the box holds the one value: copies of the box share it. One thread at a time works on it, as with the
/// state of every sink; calling ``withValue(_:)`` from inside itself traps. So a sink with a box cannot be in the pipeline
/// of groups, which have copies of it: making one there traps, too.
///
/// - Complexity: O(1) per call, without allocation, lock, exclusivity check of the runtime or reference counting.
@frozen
@safe
public struct Confined<Value: ~Copyable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the owner is a sink, or what a sink owns; those are driven by one thread at a time,
    // which hands over with a release and an acquire. Safety of the pointers: they are those of `owner`, which lives as
    // long as the box; and `isBusy` rules out a second access while one is going on.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let isBusy: UnsafeMutablePointer<Bool>
    @usableFromInline let owner: Owner

    /// Frees the value when the last box has gone.
    @safe
    @usableFromInline
    final class Owner {
        @usableFromInline let value: UnsafeMutablePointer<Value>
        @usableFromInline let isBusy: UnsafeMutablePointer<Bool>

        @inlinable
        init(_ value: consuming Value) {
            unsafe self.value = .allocate(capacity: 1)
            unsafe self.value.initialize(to: value)
            unsafe isBusy = .allocate(capacity: 1)
            unsafe isBusy.initialize(to: false)
        }

        deinit {
            unsafe value.deinitialize(count: 1)
            unsafe value.deallocate()
            unsafe isBusy.deallocate()
        }
    }

    /// Creates a box.
    ///
    /// - Parameter value: What it keeps.
    @inlinable
    public init(_ value: consuming Value) where Value: Sendable {
        Prototype.refuse()
        owner = Owner(value)
        unsafe self.value = owner.value
        unsafe isBusy = owner.isBusy
    }

    /// Calls `body` with the value.
    ///
    /// - Parameter body: Must not use the box again.
    /// - Returns: What `body` returns.
    @inlinable
    public func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe precondition(!isBusy.pointee, "a confined value was used while it was being worked on")
        unsafe isBusy.pointee = true
        defer { unsafe isBusy.pointee = false }
        return unsafe body(&value.pointee)
    }

    /// Calls `body` with the value and an argument, which may be one that is only borrowed.
    ///
    /// - Parameters:
    ///   - argument: Handed on to `body`.
    ///   - body: Must not use the box again.
    /// - Returns: What `body` returns.
    @inlinable
    public func withValue<Argument, Result>(
        _ argument: borrowing Argument,
        _ body: (inout Value, borrowing Argument) -> Result
    ) -> Result {
        unsafe precondition(!isBusy.pointee, "a confined value was used while it was being worked on")
        unsafe isBusy.pointee = true
        defer { unsafe isBusy.pointee = false }
        return unsafe body(&value.pointee, argument)
    }
}
