/// The sinks of a ``SinkBank``, from the start of a cache line on, so that a small one lies on a single line.
@safe
@usableFromInline
final class SinkList<S: Sink> {
    // Safety: the memory is owned alone, its first `count` places are initialised, and every index is checked. Nobody
    // changes the list while a sink of it is at work: see ``SinkBank``.

    @safe
    @frozen
    @usableFromInline
    struct Places {
        @usableFromInline var first: UnsafeMutablePointer<S>
        @usableFromInline var count = 0
        @usableFromInline var capacity = 1

        @inlinable
        init() {
            unsafe first = TableMemory.allocate(capacity)
        }
    }

    // Apart from the object, whose own properties are checked at each access.
    @usableFromInline let places: UnsafeMutablePointer<Places>

    @inlinable
    init() {
        unsafe places = .allocate(capacity: 1)
        unsafe places.initialize(to: Places())
    }

    deinit {
        unsafe places.pointee.first.deinitialize(count: count)
        unsafe TableMemory.free(places.pointee.first)
        unsafe places.deallocate()
    }

    @inlinable
    var count: Int { unsafe places.pointee.count }

    @inlinable
    subscript(index: Int) -> UnsafeMutablePointer<S> {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "there is no sink \(index)")
        return unsafe places.pointee.first + index
    }

    /// Calls `body` with all sinks, in order.
    ///
    /// The bounds are read once, so that nothing is left of calls that do nothing.
    @inlinable
    func forEach(_ body: (_ index: Int, _ sink: inout S) -> Void) {
        let (first, count) = unsafe (places.pointee.first, count)
        for index in 0..<count { unsafe body(index, &(first + index).pointee) }
    }

    @inlinable
    func append(_ sink: S) {
        if unsafe count == places.pointee.capacity { grow() }
        unsafe (places.pointee.first + count).initialize(to: sink)
        unsafe places.pointee.count += 1
    }

    @inlinable
    @inline(never)
    func grow() {
        let (old, capacity) = unsafe (places.pointee.first, 2 * places.pointee.capacity)
        let new: UnsafeMutablePointer<S> = unsafe TableMemory.allocate(capacity)
        unsafe new.moveInitialize(from: old, count: count)
        unsafe TableMemory.free(old)
        unsafe places.pointee.first = new
        unsafe places.pointee.capacity = capacity
    }

    /// Forgets the sinks for which a condition on the index is not `true`; the others close up, in order.
    @inlinable
    func keep(_ isKept: (_ index: Int) -> Bool) {
        let first = unsafe places.pointee.first
        var kept = 0
        for index in 0..<count {
            if !isKept(index) {
                unsafe (first + index).deinitialize(count: 1)
            } else {
                if kept < index { unsafe (first + kept).moveInitialize(from: first + index, count: 1) }
                kept += 1
            }
        }
        unsafe places.pointee.count = kept
    }
}
