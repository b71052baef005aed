public import WeirCore

/// Gives keys small numbers, as places in arrays, for as long as something is remembered of them.
///
/// A key without entries keeps its number for a while, because it is likely to return; when half of the keys are
/// without entries, their numbers are reused.
@frozen
@usableFromInline
struct KeyNumbers<Key: Hashable & Sendable>: Sendable {
    @usableFromInline var table = KeyTable<Key>()
    // By number; nil where it is free.
    @usableFromInline var keys: ContiguousArray<Key?> = []
    @usableFromInline var useCounts: ContiguousArray<Int> = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var unusedCount = 0

    @inlinable
    init() {}

    /// The number of a key, which it gets if it has none.
    @inlinable
    mutating func number(of key: Key) -> Int { table.place(of: key) ?? add(key) }

    @inlinable
    @inline(never)
    mutating func add(_ key: Key) -> Int {
        if unusedCount > 16, unusedCount * 2 > table.count { takeBack() }
        let number = free.popLast() ?? keys.count
        if number == keys.count {
            keys.append(key)
            useCounts.append(0)
        } else {
            keys[number] = key
        }
        // One that equals nothing, like NaN, would not be found again, nor forgotten.
        if key == key { table.insert(key, at: number) }
        unusedCount += 1
        return number
    }

    /// Counts an entry of a key.
    @inlinable
    mutating func use(_ number: Int) {
        if useCounts[number] == 0 { unusedCount -= 1 }
        useCounts[number] += 1
    }

    /// Removes an entry of a key from its count.
    @inlinable
    mutating func disuse(_ number: Int) {
        useCounts[number] -= 1
        if useCounts[number] == 0 { unusedCount += 1 }
    }

    @inlinable
    mutating func takeBack() {
        for number in keys.indices where useCounts[number] == 0 {
            guard let key = keys[number] else { continue }
            table.remove(key)
            keys[number] = nil
            free.append(number)
        }
        unusedCount = 0
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&keys)
        try state.exchange(&useCounts)
        try state.exchange(&free)
        try state.exchange(&unusedCount)
        guard state.isRestoring else { return }
        table = KeyTable()
        for (number, key) in keys.enumerated() {
            if let key, key == key { table.insert(key, at: number) }
        }
    }
}
