public import WeirCore

/// The cells of the groups.
extension CompactEngine {
    /// Whether a group has a partial match.
    @inlinable
    func hasPartialMatch(slot: UInt32) -> Bool {
        let base = slot &* cellsPerSlot
        var cell = base
        while cell != base &+ cellsPerSlot {
            let content = cells[cell]
            if content.root != 0, content.newest >= graph.floor { return true }
            cell &+= 1
        }
        return false
    }

    /// The latest start of a partial match of a group; `nil` if there is none.
    @inlinable
    func newestStart(slot: UInt32) -> Int64? {
        guard slot < slotCount else { return nil }
        var newest: Int64?
        for cell in (slot * cellsPerSlot)..<((slot + 1) * cellsPerSlot) where cells[cell].root != 0 {
            if cells[cell].newest >= graph.floor { newest = max(newest ?? .min, cells[cell].newest) }
        }
        return newest
    }

    /// Forgets the partial matches of a group.
    @inlinable
    mutating func clear(slot: UInt32) {
        for cell in (slot * cellsPerSlot)..<((slot + 1) * cellsPerSlot) { cells[cell] = .empty }
    }

    @inlinable
    @inline(never)
    mutating func addSlots(through slot: UInt32) {
        let needed = Int(slot + 1) * Int(cellsPerSlot)
        precondition(needed <= 1 << 31, "\(slot) groups of \(cellsPerSlot) states are more than can be numbered")
        if needed > cells.capacity {
            cells.resize(to: needed, keeping: 0, to: slotCount * cellsPerSlot, filler: .empty)
        }
        slotCount = slot + 1
    }

    /// Gives back the cells of slots that are not used any more.
    ///
    /// - Parameter slot: The first slot of those; no later one is in use.
    @inlinable
    mutating func removeSlots(from slot: UInt32) {
        guard slot < slotCount else { return }
        let needed = max(1, Int(slot)) * Int(cellsPerSlot)
        for cell in UInt32(needed)..<(slotCount * cellsPerSlot) { cells[cell] = .empty }
        if needed * 4 <= cells.capacity {
            cells.resize(to: needed, keeping: 0, to: UInt32(needed), filler: .empty)
        }
        slotCount = UInt32(max(1, Int(slot)))
    }
}
