/// The slots of the groups that have partial matches.
@frozen
@usableFromInline
struct GroupTable<Key: Hashable & Sendable>: Sendable {
    @usableFromInline var slots: [Key: Int32] = [:]
    @usableFromInline var keys: [Key?] = []
    @usableFromInline var free: [Int32] = []

    @inlinable
    init() {}

    @inlinable
    var count: Int { keys.count - free.count }

    /// The slot of a group; `nil` if it has none.
    @inlinable
    func slot(of key: Key) -> Int? {
        slots[key].map(Int.init)
    }

    /// A slot that no group has; it stays free until ``take(_:for:)``.
    @inlinable
    var nextFree: Int { free.last.map(Int.init) ?? keys.count }

    /// Gives the next free slot to a group.
    @inlinable
    mutating func take(_ slot: Int, for key: Key) {
        // One that does not equal itself, such as a NaN, could not be taken out again, and no event finds it.
        if key == key { slots[key] = Int32(slot) }
        if free.popLast() != nil {
            keys[slot] = key
        } else {
            keys.append(key)
        }
    }

    /// Takes a slot back.
    @inlinable
    mutating func release(_ slot: Int) {
        guard slot < keys.count, let key = keys[slot] else { return }
        slots[key] = nil
        keys[slot] = nil
        free.append(Int32(slot))
        if count == 0, keys.count > 4096 { self = GroupTable() }
    }
}
