public import CWeir

/// A bounded queue from any number of producers to any number of consumers, who share the work.
///
/// Elements of one producer come out in the order in which it pushed them. Nobody ever waits: pushing to a full ring
/// and popping from an empty one fail, and the caller decides what to do about it. To keep the newest, pop one and push
/// again:
///
///     let ring = try SharedRing<Int>(capacity: 1024)
///     if !ring.push(7) {
///         if ring.pop() != nil { dropped += 1 }
///         ring.push(7)    // still false when others were faster
///     }
///
/// Slots hold the elements themselves, whatever their type; nothing is boxed, and nothing is allocated after
/// `init(capacity:)`. Elements that are in the ring when its last reference goes are deinitialised.
///
/// A thread that is interrupted in the middle of a push holds up those who pop behind it, but no other push until the
/// ring is full.
///
/// Thread safety: all methods may be called from any thread at any time, but for ``drain(upTo:_:)``.
@safe
public final class SharedRing<Element: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the pointer never changes, the C functions may be called from any thread, and
    // `drain`, which may not, is unsafe to call.

    @usableFromInline
    let ring: UnsafeMutablePointer<cweir_shared_ring_t>

    /// Makes an empty ring.
    ///
    /// - Parameter capacity: How many elements the ring can hold: a power of two between 1 and 2³⁰.
    /// - Throws: ``RingError/invalidCapacity(_:)`` or ``RingError/outOfMemory``.
    /// - Complexity: O(`capacity`), four allocations.
    @inlinable
    public init(capacity: Int) throws(RingError) {
        unsafe ring = try Self.makeRing(capacity: capacity)
    }

    deinit {
        while unsafe drain(upTo: .max, { _ in }) > 0 {}
        unsafe cweir_shared_ring_destroy(ring)
    }

    /// How many elements are in the ring: a snapshot, while others push and pop.
    ///
    /// - Complexity: O(1), wait-free.
    @inlinable
    public var count: Int {
        unsafe cweir_shared_ring_count(ring)
    }

    /// Writes one element, unless the ring is full.
    ///
    /// - Parameter element: The element to write.
    /// - Returns: `false` when the ring is full; the element is then dropped.
    /// - Complexity: O(1), lock-free, no allocation.
    @inlinable
    @discardableResult
    public func push(_ element: consuming Element) -> Bool {
        let run = unsafe cweir_shared_ring_claim(ring, 1)
        guard unsafe run.count > 0 else { return false }
        unsafe run.slots.assumingMemoryBound(to: Element.self).initialize(to: element)
        unsafe cweir_shared_ring_publish(ring, run.position, 1)
        return true
    }

    /// Writes as many elements as fit, first to last.
    ///
    /// Elements of other producers may come in between.
    ///
    /// - Parameter elements: The elements to copy into the ring.
    /// - Returns: How many were written; the rest found the ring full.
    /// - Complexity: O(*n*) for *n* elements written, lock-free, no allocation.
    @inlinable
    public func push(contentsOf elements: Span<Element>) -> Int {
        var written = 0
        while written < elements.count {
            let run = unsafe cweir_shared_ring_claim(ring, elements.count - written)
            guard unsafe run.count > 0 else { break }
            unsafe elements.withUnsafeBufferPointer { source in
                guard let first = source.baseAddress else { return }
                unsafe run.slots.assumingMemoryBound(to: Element.self)
                    .initialize(from: first + written, count: run.count)
            }
            unsafe cweir_shared_ring_publish(ring, run.position, run.count)
            unsafe written += run.count
        }
        return written
    }

    /// Takes the oldest element out of the ring.
    ///
    /// - Returns: The element, or `nil` when the ring is empty or its oldest element is still being written.
    /// - Complexity: O(1), lock-free, no allocation.
    @inlinable
    public func pop() -> Element? {
        let run = unsafe cweir_shared_ring_take(ring, 1)
        guard unsafe run.count > 0 else { return nil }
        let element = unsafe run.slots.assumingMemoryBound(to: Element.self).move()
        unsafe cweir_shared_ring_give_back(ring, run.position, 1)
        return element
    }

    /// Takes the oldest elements for the caller alone, passes them to `body`, and removes them.
    ///
    /// A batch ends where the slots wrap, so it may be shorter than what is in the ring.
    ///
    /// - Parameters:
    ///   - limit: How many elements to take at most; not negative.
    ///   - body: Gets the elements, oldest first, where they are in the ring; called once, or not at all when there are
    ///     none. Producers get the slots back when it returns. It may push and pop.
    /// - Returns: How many elements were consumed; 0 when the ring is empty or its oldest element is still being
    ///   written.
    /// - Complexity: O(*n*) for *n* elements consumed, lock-free, no allocation.
    @inlinable
    public func consume(upTo limit: Int, _ body: (Span<Element>) -> Void) -> Int {
        precondition(limit >= 0, "a batch cannot have less than no elements")
        let run = unsafe cweir_shared_ring_take(ring, limit)
        guard unsafe run.count > 0 else { return 0 }
        let batch = unsafe UnsafeMutableBufferPointer(
            start: run.slots.assumingMemoryBound(to: Element.self),
            count: run.count
        )
        body(unsafe batch.span)
        unsafe batch.deinitialize()
        unsafe cweir_shared_ring_give_back(ring, run.position, batch.count)
        return batch.count
    }

    /// Passes the oldest elements to `body` and removes them, as the only consumer of the ring.
    ///
    /// Does what ``consume(upTo:_:)`` does without an atomic exchange.
    ///
    /// - Warning: While this runs no other thread may call it, ``pop()`` or ``consume(upTo:_:)``, nor may `body`;
    ///   pushing is allowed. A ring whose producers pop to make room has no only consumer.
    /// - Parameters:
    ///   - limit: How many elements to take at most; not negative.
    ///   - body: Gets the elements, oldest first, where they are in the ring; called once, or not at all when there are
    ///     none. Producers get the slots back when it returns.
    /// - Returns: How many elements were consumed; 0 when the ring is empty or its oldest element is still being
    ///   written.
    /// - Complexity: O(*n*) for *n* elements consumed, wait-free, no allocation.
    @unsafe
    @inlinable
    public func drain(upTo limit: Int, _ body: (Span<Element>) -> Void) -> Int {
        precondition(limit >= 0, "a batch cannot have less than no elements")
        let run = unsafe cweir_shared_ring_peek(ring, limit)
        guard unsafe run.count > 0 else { return 0 }
        let batch = unsafe UnsafeMutableBufferPointer(
            start: run.slots.assumingMemoryBound(to: Element.self),
            count: run.count
        )
        body(unsafe batch.span)
        unsafe batch.deinitialize()
        unsafe cweir_shared_ring_release(ring, batch.count)
        return batch.count
    }

    @usableFromInline
    static func makeRing(capacity: Int) throws(RingError) -> UnsafeMutablePointer<cweir_shared_ring_t> {
        try RingError.check(capacity)
        guard let ring = unsafe cweir_shared_ring_create(capacity, MemoryLayout<Element>.stride) else {
            throw .outOfMemory
        }
        return unsafe ring
    }
}
