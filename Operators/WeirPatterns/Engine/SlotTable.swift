public import WeirCore

/// Gives the groups that have partial matches small numbers, which are used again when the groups have gone.
///
/// A hash table with open addressing and linear probing; a place is four bytes, the key lies with its slot.
///
/// - Complexity: O(1) on average, without allocation except for growth.
@frozen
@usableFromInline
struct SlotTable<Key: Hashable & Sendable>: ~Copyable, Sendable {
    // The slot, plus 1; 0 for a free place.
    @usableFromInline var places: PositionRing<UInt32>
    // Made for the first key; the key of a free slot is one that was here.
    @usableFromInline var keys: PositionRing<Key?>
    @usableFromInline var freeSlots = PositionRing<UInt32>(capacity: 16, filler: 0)
    @usableFromInline var freeCount: UInt32 = 0
    /// One more than the greatest slot in use since the table was last empty.
    @usableFromInline var endOfSlots: UInt32 = 0
    @usableFromInline var count = 0
    @usableFromInline let hash = KeyHash<Key>()

    @usableFromInline static var leastCapacity: Int { 16 }

    @inlinable
    init() {
        places = PositionRing(capacity: Self.leastCapacity, filler: 0)
        keys = PositionRing(capacity: Self.leastCapacity, filler: nil)
    }

    @usableFromInline var bytes: Int {
        (places.capacity + freeSlots.capacity) * 4 + keys.capacity * MemoryLayout<Key?>.stride
    }

    /// Where the search for a key begins.
    @inlinable
    func home(of key: Key) -> UInt32 { UInt32(truncatingIfNeeded: hash(key)) }

    /// Where the slot of a key stands, or would be put if it has none.
    @inlinable
    func place(for key: Key) -> UInt32 {
        var place = home(of: key)
        while true {
            let slot = places[place]
            if slot == 0 || keys[slot &- 1] == key { return place }
            place &+= 1
        }
    }

    /// The slot at a place; `nil` if the key has none.
    @inlinable
    func slot(at place: UInt32) -> UInt32? {
        let slot = places[place]
        return slot == 0 ? nil : slot &- 1
    }

    /// Whether the table, and what belongs to its slots, is likely too large for the cache next to the processor.
    @inlinable
    var isLarge: Bool { places.capacity > 1 << 14 }

    /// Prefetches the place where the search for a key begins.
    @inlinable
    func prefetchPlace(of key: Key) { places.prefetch(home(of: key)) }

    /// Prefetches the key that the search for a key compares first.
    ///
    /// - Parameter key: The key that is to be looked up.
    /// - Returns: The slot where that lies; `nil` if there is none.
    @inlinable
    func prefetchSlot(of key: Key) -> UInt32? {
        let slot = places[home(of: key)]
        guard slot != 0 else { return nil }
        keys.prefetch(slot &- 1)
        return slot &- 1
    }

    /// Gives the next slot to a key that has none.
    @inlinable
    mutating func insert(_ key: Key, _ place: UInt32) {
        let slot: UInt32
        if freeCount != 0 {
            freeCount &-= 1
            slot = freeSlots[freeCount]
        } else {
            slot = endOfSlots
            if Int(slot) == keys.capacity { growKeys() }
            endOfSlots &+= 1
        }
        keys[slot] = key
        // One that does not equal itself, such as a NaN, is found by no event.
        if key == key { places[place] = slot &+ 1 }
        count &+= 1
        // Half of the places stay free: a search looks at the key of each place that it passes, which is another miss.
        if count * 2 > places.capacity { resizePlaces(to: places.capacity * 2) }
    }

    @inlinable
    @inline(never)
    mutating func growKeys() {
        keys.resize(to: keys.capacity * 2, keeping: 0, to: endOfSlots, filler: nil)
    }

    @inlinable
    @inline(never)
    mutating func resizePlaces(to capacity: Int) {
        places = PositionRing(capacity: capacity, filler: 0)
        for slot in 0..<endOfSlots {
            guard let key = keys[slot], key == key else { continue }
            var place = home(of: key)
            while places[place] != 0 { place &+= 1 }
            places[place] = slot &+ 1
        }
    }

    /// The slot that the next new key gets.
    @inlinable
    var nextSlot: UInt32 { freeCount != 0 ? freeSlots[freeCount &- 1] : endOfSlots }

    /// Forgets a slot, if it is in use.
    @inlinable
    mutating func remove(slot: UInt32) {
        guard slot < endOfSlots, let key = keys[slot] else { return }
        if key == key { removePlace(of: key, slot) }
        keys[slot] = nil
        count &-= 1
        if count == 0 {
            (freeCount, endOfSlots) = (0, 0)
        } else {
            if Int(freeCount) == freeSlots.capacity { growFreeSlots() }
            freeSlots[freeCount] = slot
            freeCount &+= 1
        }
    }

    @inlinable
    mutating func removePlace(of key: Key, _ slot: UInt32) {
        var hole = home(of: key)
        while places[hole] != slot &+ 1 { hole &+= 1 }
        // Those behind that are not at home come forward, so that no chain breaks.
        let mask = UInt32(truncatingIfNeeded: places.capacity &- 1)
        var next = hole &+ 1
        while true {
            let other = places[next]
            guard other != 0, let otherKey = keys[other &- 1] else { break }
            let home = self.home(of: otherKey)
            if (next &- home) & mask >= (next &- hole) & mask {
                places[hole] = other
                hole = next
            }
            next &+= 1
        }
        places[hole] = 0
    }

    @inlinable
    @inline(never)
    mutating func growFreeSlots() {
        freeSlots.resize(to: freeSlots.capacity * 2, keeping: 0, to: freeCount, filler: 0)
    }

    /// Gives back what is not needed, as far as the slots in use allow it.
    @inlinable
    mutating func shrink() {
        if places.capacity > Self.leastCapacity, count * 8 < places.capacity {
            resizePlaces(to: max(Self.leastCapacity, count * 4))
        }
        if count == 0 {
            if keys.capacity > Self.leastCapacity { keys = PositionRing(capacity: Self.leastCapacity, filler: nil) }
            if freeSlots.capacity > 16 { freeSlots = PositionRing(capacity: 16, filler: 0) }
        }
    }

    /// Saves the keys of the slots, or gives them back; the places are found again, by the hash of this process.
    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var known = keys.values(from: 0, count: Int(endOfSlots))
        var free = freeSlots.values(from: 0, count: Int(freeCount))
        try state.exchange(&known)
        try state.exchange(&free)
        try state.exchange(&count)
        guard state.isRestoring else { return }
        (endOfSlots, freeCount) = (UInt32(known.count), UInt32(free.count))
        keys = PositionRing(capacity: max(Self.leastCapacity, known.count), filler: nil)
        keys.replace(from: 0, with: known)
        freeSlots = PositionRing(capacity: max(16, free.count), filler: 0)
        freeSlots.replace(from: 0, with: free)
        var capacity = Self.leastCapacity
        while count * 2 > capacity { capacity *= 2 }
        resizePlaces(to: capacity)
    }
}
