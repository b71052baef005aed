public import CWeir

/// A power-of-two number of places, addressed by positions that only ever grow.
///
/// Position *p* lies in place *p* mod capacity, so a window of positions that moves on, such as the events of the last ten
/// seconds, reuses its places without moving anything. All places hold a value from the start, which makes every
/// position valid: there is no bounds check and nothing to get wrong, a position that is not in the window any more just
/// reads what has taken its place.
///
/// For engines that must neither allocate nor count references for each event: a ring has one owner, so that nothing has
/// to be checked before a write.
///
///     var ring = PositionRing(capacity: 1024, filler: 0.0)
///     var position: UInt32 = 0
///     ring[position] = 20.5
///     position &+= 1
@frozen
@safe
public struct PositionRing<Value>: ~Copyable {
    // Safety: `places` points to `mask + 1` initialised values from `init` to `deinit`. Every access is masked, so it is
    // inside; places are assigned and never left uninitialised. The ring can not be copied, so that a write has exclusive
    // access by the rules of the language.
    @usableFromInline let places: UnsafeMutablePointer<Value>
    @usableFromInline let mask: UInt32

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - capacity: How many places there are at least, up to 2³¹; rounded up to a power of two.
    ///   - filler: The value of every place until it is assigned.
    @inlinable
    public init(capacity: Int, filler: Value) {
        precondition(capacity > 0 && capacity <= 1 << 31, "a ring of \(capacity) places can not be made")
        var count = 1
        while count < capacity { count *= 2 }
        unsafe places = TableMemory.allocate(count)
        unsafe places.initialize(repeating: filler, count: count)
        mask = UInt32(truncatingIfNeeded: count - 1)
    }

    @inlinable
    deinit {
        unsafe places.deinitialize(count: capacity)
        unsafe TableMemory.free(places)
    }

    /// How many places there are.
    @inlinable
    public var capacity: Int { Int(mask) + 1 }

    /// The value at a position; positions that differ by a multiple of the capacity share a place.
    ///
    /// - Parameter position: Any position.
    @inlinable
    public subscript(position: UInt32) -> Value {
        get { unsafe places[Int(position & mask)] }
        set { unsafe places[Int(position & mask)] = newValue }
    }

    /// Prefetches the value at a position.
    ///
    /// - Parameter position: Any position.
    @inlinable
    public func prefetch(_ position: UInt32) {
        unsafe cweir_prefetch(places + Int(position & mask))
    }

    /// Moves the values of some positions to a ring of another capacity.
    ///
    /// - Parameters:
    ///   - capacity: How many places there shall be; at least as many as there are positions.
    ///   - first: The first position to keep.
    ///   - end: The position after the last one to keep.
    ///   - filler: The value of all other places.
    /// - Complexity: O(*capacity*).
    @inlinable
    public mutating func resize(to capacity: Int, keeping first: UInt32, to end: UInt32, filler: Value) {
        var resized = PositionRing(capacity: capacity, filler: filler)
        precondition(Int(end &- first) <= resized.capacity, "\(end &- first) values do not fit into \(capacity) places")
        var position = first
        while position != end {
            resized[position] = self[position]
            position &+= 1
        }
        self = resized
    }

    /// The values at some positions, for where there is no specialised code.
    ///
    /// - Parameters:
    ///   - first: The first position.
    ///   - count: How many there are; at most ``capacity``.
    /// - Returns: The values, in order.
    /// - Complexity: O(*count*).
    package func values(from first: UInt32, count: Int) -> [Value] {
        precondition(count <= capacity, "\(count) values are more than there are places")
        // The initializer writes a count also into the empty array that all threads share.
        guard count > 0 else { return [] }
        let start = Int(first & mask)
        let head = min(count, capacity - start)
        return unsafe Array(unsafeUninitializedCapacity: count) { values, initializedCount in
            if let end = values.baseAddress {
                unsafe end.initialize(from: places + start, count: head)
                unsafe (end + head).initialize(from: places, count: count - head)
            }
            initializedCount = count
        }
    }

    /// Replaces the values at some positions, for where there is no specialised code.
    ///
    /// - Parameters:
    ///   - first: The first position.
    ///   - values: What to put there; at most ``capacity`` values.
    /// - Complexity: O(*count*).
    package mutating func replace(from first: UInt32, with values: [Value]) {
        precondition(values.count <= capacity, "\(values.count) values are more than there are places")
        let start = Int(first & mask)
        let head = min(values.count, capacity - start)
        unsafe values.withUnsafeBufferPointer { values in
            guard let first = values.baseAddress else { return }
            unsafe (places + start).update(from: first, count: head)
            unsafe places.update(from: first + head, count: values.count - head)
        }
    }
}

// Safety of `@unchecked Sendable`: it is the only owner of its values, like an array that can not be copied.
extension PositionRing: @unchecked Sendable where Value: Sendable {}
