public import WeirCore

/// What is given up at the limit, and given back.
extension CompactEngine {
    @inlinable
    @inline(never)
    mutating func makeRoom(for count: UInt32) -> Bool {
        if hasFailed {
            refuse()
            return false
        }
        while !graph.makeRoom(for: Int(count), cells: &cells, cellCount: slotCount * cellsPerSlot) {
            switch limits.policy {
            case .dropOldest:
                guard graph.nodeCount > 0, let dropped = graph.expireOldest() else {
                    refuse()
                    return false
                }
                noteDropped(dropped)
            case .dropNewest:
                refuse()
                return false
            case .fail:
                refuse()
                fail()
                return false
            }
        }
        return true
    }

    @inlinable
    mutating func noteDropped(_ starts: Int) {
        droppedStarts += UInt64(starts)
        losses.partialMatches += starts
    }

    @inlinable
    mutating func refuse() {
        refusedEvents += 1
        losses.refusedEvents += 1
    }

    @inlinable
    mutating func fail() {
        hasFailed = true
        losses.fail(.limitReached("\(Self.nodeLimit(limits)) nodes of partial matches"))
        for cell in 0..<(slotCount * cellsPerSlot) { cells[cell] = .empty }
        graph = CompactGraph(limit: Self.nodeLimit(limits))
        // There is never room again.
        graph.endOfRoom = 0
    }

    /// Gives back the memory that is not needed any more.
    @inlinable
    mutating func shrink() {
        guard !hasFailed else { return }
        graph.reclaimExpired()
        if graph.nodes.capacity > CompactGraph<Element>.leastCapacity, graph.nodeCount * 8 < graph.nodes.capacity {
            graph.collect(&cells, slotCount * cellsPerSlot, roomFor: 0)
        }
    }
}
