public import WeirCore

/// Finds the place of a key: a hash table with linear probing, which needs one look at memory for most keys.
///
/// Allocates only when it grows, by doubling at a load of one half. Key and place lie together, so a lookup takes one
/// cache miss, where the `SlotTable` of patterns takes two: that one keeps four bytes for each free place instead, because
/// its keys come and go by the million. One table for both would give up one of the two.
@frozen
@usableFromInline
struct KeyTable<Key: Hashable & Sendable>: Sendable {
    @frozen
    @usableFromInline
    struct Entry: Sendable {
        // Nil where the entry is free.
        @usableFromInline var key: Key?
        @usableFromInline var place: Int

        @inlinable
        init(_ key: Key?, _ place: Int) {
            self.key = key
            self.place = place
        }
    }

    @usableFromInline var entries: ContiguousArray<Entry>
    @usableFromInline var count = 0
    @usableFromInline let hash = KeyHash<Key>()

    @inlinable
    init() {
        entries = ContiguousArray(repeating: Entry(nil, 0), count: 16)
    }

    /// The place of a key; `nil` where there is none.
    @inlinable
    func place(of key: Key) -> Int? {
        let mask = entries.count - 1
        var index = home(of: key, mask)
        while let other = entries[index].key {
            if other == key { return entries[index].place }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Whether the table and the values at its places are likely larger than the level-two cache.
    @inlinable
    var isLarge: Bool { entries.count > 1 << 14 }

    /// Prefetches the entry of a key.
    @inlinable
    func prefetch(_ key: Key) { entries.prefetch(home(of: key, entries.count - 1)) }

    /// Adds a key that is not there.
    @inlinable
    mutating func insert(_ key: Key, at place: Int) {
        if count * 2 >= entries.count { grow() }
        put(Entry(key, place))
        count += 1
    }

    /// Changes the place of a key that is there.
    @inlinable
    mutating func move(_ key: Key, to place: Int) {
        if let index = index(of: key) { entries[index].place = place }
    }

    /// Forgets a key.
    @inlinable
    mutating func remove(_ key: Key) {
        guard var hole = index(of: key) else { return }
        let mask = entries.count - 1
        var index = hole
        // The entries behind move up, but none before its home bucket.
        while true {
            index = (index + 1) & mask
            guard let other = entries[index].key else { break }
            if (index - home(of: other, mask)) & mask >= (index - hole) & mask {
                entries[hole] = entries[index]
                hole = index
            }
        }
        entries[hole] = Entry(nil, 0)
        count -= 1
    }

    @inlinable
    func index(of key: Key) -> Int? {
        let mask = entries.count - 1
        var index = home(of: key, mask)
        while let other = entries[index].key {
            if other == key { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    @inlinable
    mutating func put(_ entry: Entry) {
        guard let key = entry.key else { return }
        let mask = entries.count - 1
        var index = home(of: key, mask)
        while entries[index].key != nil { index = (index + 1) & mask }
        entries[index] = entry
    }

    @inlinable
    @inline(never)
    mutating func grow() {
        let old = entries
        entries = ContiguousArray(tableOf: Entry(nil, 0), count: old.count * 2)
        for entry in old { put(entry) }
    }

    /// Where the search for a key starts.
    @inlinable
    func home(of key: Key, _ mask: Int) -> Int { Int(truncatingIfNeeded: hash(key)) & mask }
}
