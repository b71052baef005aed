public import CWeir

/// A bounded queue from one producer to one consumer, on two threads or on one.
///
/// A ring has two ends that cannot be copied: the ``RingProducer`` writes, the ``RingConsumer`` reads, and the compiler
/// rules out a second writer or reader. Neither ever waits for the other:
/// writing to a full ring and reading from an empty one fail, and the caller decides what to do about it.
///
///     let ends = try Ring<Int>.makeEnds(capacity: 1024)
///     var producer = ends.producer
///     var consumer = ends.consumer
///     producer.push(7)    // true
///     consumer.pop()      // 7
///     consumer.pop()      // nil
///
/// Slots hold the elements themselves, whatever their type; nothing is boxed, and nothing is allocated after
/// ``makeEnds(capacity:)``. Elements that are in the ring when both ends are gone are deinitialised.
public enum Ring<Element: Sendable> {
    /// The two ends of one ring.
    @frozen
    public struct Ends: ~Copyable, Sendable {
        /// The end that writes.
        public var producer: RingProducer<Element>

        /// The end that reads.
        public var consumer: RingConsumer<Element>

        @usableFromInline
        init(_ storage: RingStorage<Element>) {
            producer = RingProducer(storage)
            consumer = RingConsumer(storage)
        }
    }

    /// Makes a ring and returns its ends.
    ///
    /// - Parameter capacity: How many elements the ring can hold: a power of two between 1 and 2³⁰.
    /// - Returns: The two ends of an empty ring.
    /// - Throws: ``RingError/invalidCapacity(_:)`` or ``RingError/outOfMemory``.
    /// - Complexity: O(1), three allocations.
    @inlinable
    public static func makeEnds(capacity: Int) throws(RingError) -> Ends {
        Ends(try RingStorage(capacity: capacity))
    }
}

extension cweir_run_t {
    /// The first slot; rings set it in empty runs, too.
    @unsafe
    @inlinable
    func start<Element>(as type: Element.Type) -> UnsafeMutablePointer<Element> {
        unsafe slots.unsafelyUnwrapped.assumingMemoryBound(to: type)
    }
}

/// Owns the slots of a ring until both ends are gone.
@safe
@usableFromInline
final class RingStorage<Element: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the pointer never changes. Of what it points to, each end uses its own side, and
    // `deinit` runs after both ends are gone.

    @usableFromInline
    let ring: UnsafeMutablePointer<cweir_ring_t>

    @usableFromInline
    init(capacity: Int) throws(RingError) {
        try RingError.check(capacity)
        guard let ring = unsafe cweir_ring_create(capacity, MemoryLayout<Element>.stride) else {
            throw .outOfMemory
        }
        unsafe self.ring = ring
    }

    deinit {
        while true {
            let run = unsafe cweir_ring_peek(ring, .max)
            guard unsafe run.count > 0 else { break }
            unsafe run.start(as: Element.self).deinitialize(count: run.count)
            unsafe cweir_ring_release(ring, run.count)
        }
        unsafe cweir_ring_destroy(ring)
    }
}

/// The end of a ring that writes.
///
/// There is one per ring, and it cannot be copied.
///
/// Thread safety: one thread at a time holds it; it may be sent to another.
@safe
@frozen
public struct RingProducer<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the end cannot be copied and its methods are mutating, so one thread at a time
    // uses the producer's side of the ring, which is all that the C functions ask for. Passing it on synchronises.

    @usableFromInline
    let ring: UnsafeMutablePointer<cweir_ring_t>

    @usableFromInline
    let storage: RingStorage<Element>

    @usableFromInline
    init(_ storage: RingStorage<Element>) {
        unsafe self.ring = storage.ring
        self.storage = storage
    }

    /// How many elements are in the ring: a snapshot, while the consumer reads.
    ///
    /// - Complexity: O(1), wait-free.
    @inlinable
    public var count: Int {
        unsafe cweir_ring_count(ring)
    }

    /// Writes one element, unless the ring is full.
    ///
    /// - Parameter element: The element to write.
    /// - Returns: `false` when the ring is full; the element is then dropped.
    /// - Complexity: O(1), wait-free, no allocation.
    @inlinable
    @discardableResult
    public mutating func push(_ element: consuming Element) -> Bool {
        let run = unsafe cweir_ring_claim(ring, 1)
        guard unsafe run.count > 0 else { return false }
        unsafe run.start(as: Element.self).initialize(to: element)
        unsafe cweir_ring_publish(ring, 1)
        return true
    }

    /// Writes as many elements as fit, first to last.
    ///
    ///     var rest = elements.span
    ///     while !rest.isEmpty {
    ///         rest = rest.extracting(droppingFirst: producer.push(contentsOf: rest))
    ///     }
    ///
    /// - Parameter elements: The elements to copy into the ring.
    /// - Returns: How many were written; the rest found the ring full.
    /// - Complexity: O(*n*) for *n* elements written, wait-free, no allocation.
    @inlinable
    public mutating func push(contentsOf elements: Span<Element>) -> Int {
        var written = 0
        // At most three rounds: up to the end of the slots, from their start, and once to find that it is full.
        while written < elements.count {
            let run = unsafe cweir_ring_claim(ring, elements.count - written)
            guard unsafe run.count > 0 else { break }
            unsafe elements.withUnsafeBufferPointer { source in
                guard let first = source.baseAddress else { return }
                unsafe run.start(as: Element.self)
                    .initialize(from: first + written, count: run.count)
            }
            unsafe cweir_ring_publish(ring, run.count)
            unsafe written += run.count
        }
        return written
    }

    /// Lets `body` write elements where they will be in the ring.
    ///
    /// A batch ends where the slots wrap, so it may be shorter than what is free; call again to fill the ring.
    ///
    ///     producer.produce(upTo: 64) { batch in
    ///         while !batch.isFull { batch.append(next()) }
    ///     }
    ///
    /// - Parameters:
    ///   - limit: How many elements to write at most; not negative.
    ///   - body: Gets the free places and appends to them; called once, or not at all when the ring is full. The
    ///     consumer gets what was appended when it returns.
    /// - Returns: How many elements were written; 0 when the ring is full or `body` appended nothing.
    /// - Complexity: O(*n*) for *n* elements written, wait-free, no allocation.
    @inlinable
    public mutating func produce(upTo limit: Int, _ body: (inout OutputSpan<Element>) -> Void) -> Int {
        precondition(limit >= 0, "a batch cannot have less than no elements")
        let run = unsafe cweir_ring_claim(ring, limit)
        guard unsafe run.count > 0 else { return 0 }
        let places = unsafe UnsafeMutableBufferPointer(start: run.start(as: Element.self), count: run.count)
        var output = unsafe OutputSpan(buffer: places, initializedCount: 0)
        body(&output)
        let written = unsafe output.finalize(for: places)
        unsafe cweir_ring_publish(ring, written)
        return written
    }
}

/// The end of a ring that reads.
///
/// There is one per ring, and it cannot be copied.
///
/// Thread safety: one thread at a time holds it; it may be sent to another.
@safe
@frozen
public struct RingConsumer<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: as for `RingProducer`, with the consumer's side of the ring.

    @usableFromInline
    let ring: UnsafeMutablePointer<cweir_ring_t>

    @usableFromInline
    let storage: RingStorage<Element>

    @usableFromInline
    init(_ storage: RingStorage<Element>) {
        unsafe self.ring = storage.ring
        self.storage = storage
    }

    /// How many elements are in the ring: a snapshot, while the producer writes.
    ///
    /// - Complexity: O(1), wait-free.
    @inlinable
    public var count: Int {
        unsafe cweir_ring_count(ring)
    }

    /// Takes the oldest element out of the ring.
    ///
    /// - Returns: The element, or `nil` when the ring is empty.
    /// - Complexity: O(1), wait-free, no allocation.
    @inlinable
    public mutating func pop() -> Element? {
        let run = unsafe cweir_ring_peek(ring, 1)
        guard unsafe run.count > 0 else { return nil }
        let element = unsafe run.start(as: Element.self).move()
        unsafe cweir_ring_release(ring, 1)
        return element
    }

    /// Moves elements out of the ring, oldest first, to the free places of `output`.
    ///
    /// The slots are free for the producer as soon as this returns, so prefer it to
    /// ``consume(upTo:_:)`` when working on the elements takes longer than moving them.
    ///
    /// - Parameter output: Where to append the elements; at most as many as it has room for.
    /// - Returns: How many elements were moved; 0 when the ring is empty or `output` is full.
    /// - Complexity: O(*n*) for *n* elements moved, wait-free, no allocation.
    @inlinable
    public mutating func pop(into output: inout OutputSpan<Element>) -> Int {
        let ring = unsafe ring
        return unsafe output.withUnsafeMutableBufferPointer { places, initialized in
            var moved = 0
            while initialized < places.count {
                let run = unsafe cweir_ring_peek(ring, places.count - initialized)
                guard let first = places.baseAddress, unsafe run.count > 0 else { break }
                unsafe (first + initialized)
                    .moveInitialize(from: run.start(as: Element.self), count: run.count)
                unsafe cweir_ring_release(ring, run.count)
                unsafe initialized += run.count
                unsafe moved += run.count
            }
            return moved
        }
    }

    /// Passes the oldest elements to `body`, where they are in the ring, and removes them.
    ///
    /// A batch ends where the slots wrap, so it may be shorter than what is in the ring; call again until 0 is
    /// returned to empty it.
    ///
    ///     while consumer.consume(upTo: 64, { batch in
    ///         for index in batch.indices { sum += batch[index] }
    ///     }) > 0 {}
    ///
    /// - Parameters:
    ///   - limit: How many elements to take at most; not negative.
    ///   - body: Gets the elements, oldest first; called once, or not at all when the ring is empty. The producer gets
    ///     the slots back when it returns.
    /// - Returns: How many elements were consumed; 0 when the ring is empty.
    /// - Complexity: O(*n*) for *n* elements consumed, wait-free, no allocation.
    @inlinable
    public mutating func consume(upTo limit: Int, _ body: (Span<Element>) -> Void) -> Int {
        precondition(limit >= 0, "a batch cannot have less than no elements")
        let run = unsafe cweir_ring_peek(ring, limit)
        guard unsafe run.count > 0 else { return 0 }
        let batch = unsafe UnsafeMutableBufferPointer(
            start: run.start(as: Element.self),
            count: run.count
        )
        body(unsafe batch.span)
        unsafe batch.deinitialize()
        unsafe cweir_ring_release(ring, batch.count)
        return batch.count
    }
}
