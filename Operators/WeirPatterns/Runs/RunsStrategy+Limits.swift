internal import WeirCore
internal import WeirExpressions

extension RunsStrategy {
    @inlinable
    func isFull(_ slot: Int) -> Bool {
        store.count >= limits.partialMatches || Int(store.counts[slot]) >= limits.partialMatchesPerGroup
    }

    /// Brings the number of partial matches down to the limits.
    @inlinable
    mutating func enforceLimits(_ slot: Int) {
        guard limits.policy != .refuseNew else { return }
        if store.count > limits.partialMatches || Int(store.counts[slot]) > limits.partialMatchesPerGroup {
            dropExcess(slot)
        }
    }

    @usableFromInline
    mutating func dropExcess(_ slot: Int) {
        if limits.policy == .fail {
            failure =
                failure ?? .limitReached("\(min(limits.partialMatches, limits.partialMatchesPerGroup)) partial matches")
            return
        }
        while store.count > limits.partialMatches, store.oldest >= 0 { drop(store.oldest) }
        var family = store.oldest
        while Int(store.counts[slot]) > limits.partialMatchesPerGroup, family >= 0 {
            let newer = store.families[Int(family)].newer
            if Int(store.families[Int(family)].slot) == slot { drop(family) }
            family = newer
        }
    }

    /// Gives up the partial matches that started with one event.
    @usableFromInline
    mutating func drop(_ family: Int32) {
        let slot = Int(store.families[Int(family)].slot)
        if isOrdered { queues.remove(family, slot, store) }
        var index = store.families[Int(family)].firstRun
        while index >= 0 {
            let run = store.runs[Int(index)]
            if isOrdered { closings[index] = nil } else { unlink(index) }
            paths.release(run.node)
            store.removeRun(index)
            tallies.droppedPartialMatches += 1
            index = run.nextOfFamily
        }
        if store.counts[slot] == 0 { emptied.append(slot) }
    }

    /// Makes room for an event that may have to be kept.
    ///
    /// - Returns: Whether there is room.
    @usableFromInline
    mutating func makeRoomForEvent() -> Bool {
        switch limits.policy {
        case .refuseNew:
            tallies.refusedEvents += 1
            return false
        case .dropOldest:
            while paths.eventCount >= limits.events, store.oldest >= 0 { drop(store.oldest) }
            return true
        case .fail:
            failure = failure ?? .limitReached("\(limits.events) events")
            return false
        }
    }

    /// What is held, and what has been given up.
    public var counts: PatternCounts {
        var counts = tallies
        counts.partialMatches = store.count
        counts.events = paths.eventCount
        return counts
    }

    /// How many bytes the limits allow it to take up, beyond what the events refer to.
    public var memoryBound: Int {
        // An array that grows may be twice as large as what it holds; while an event is handled, each partial match can
        // also have successors that have not been put in their lists.
        let moves = max(1, stateMoves)
        let runs = limits.partialMatches * (MemoryLayout<RunStore.Run>.stride + MemoryLayout<RunStore.Family>.stride)
        let born = limits.partialMatches * moves * MemoryLayout<Born>.stride
        let nodeSize =
            MemoryLayout<PathStore<Element>.Node>.stride
            + conditions.aggregates.count * MemoryLayout<SummaryState>.stride
        let nodes = limits.partialMatches * maximumPathShare * nodeSize
        let events = limits.events * MemoryLayout<PathStore<Element>.Stored>.stride
        let groups = limits.groups * (4 + 8 + 4 * store.stateCount)
        let timers = hasGaps ? (2 * limits.partialMatches + 64) * MemoryLayout<GapTimers.Timer>.stride : 0
        return 2 * (runs + born + nodes + events + groups + timers)
    }

    private var stateMoves: Int { table.automaton.states.map(\.edges.count).max() ?? 1 }

    // A partial match can have no more events than are kept.
    private var maximumPathShare: Int {
        plan.hasLoopWithoutEnd ? limits.events : plan.mostEvents
    }
}
