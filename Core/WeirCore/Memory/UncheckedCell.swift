/// Keeps a value in memory of its own, for one owner, without the checks that a stored property of a class costs.
///
/// Every access to a property of a class is checked at run time for overlaps with others, which costs more than the
/// access. Here that is up to the owner: it must not begin to change the value while another access to it goes on, so it
/// calls no foreign code in the middle of one.
///
/// Thread safety: that of the owner.
@safe
@frozen
@usableFromInline
package struct UncheckedCell<Value>: ~Copyable {
    // Safety: the memory is owned alone and lives as long as the cell; overlaps are ruled out by the owners, which touch
    // the value in single loads, stores and calls of the standard library.

    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    /// Creates a cell.
    @inlinable
    package init(_ value: consuming Value) {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    @inlinable
    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }

    /// The value.
    @inlinable
    package var value: Value {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(pointer) }
        @inline(__always)
        nonmutating unsafeMutableAddress { unsafe pointer }
    }
}
