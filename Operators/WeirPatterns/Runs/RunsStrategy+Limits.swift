public import WeirCore
internal import WeirExpressions

extension RunsStrategy {
    @inlinable
    func isFull(_ slot: Int) -> Bool {
        store.count >= limits.partialMatches || Int(store.counts[slot]) >= greatestGroup
    }

    /// Reduces the number of partial matches to the limits.
    @inlinable
    mutating func enforceLimits(_ slot: Int) {
        guard limits.policy != .dropNewest else { return }
        if store.count > limits.partialMatches || Int(store.counts[slot]) > greatestGroup {
            dropExcess(slot)
        }
    }

    @usableFromInline
    mutating func dropExcess(_ slot: Int) {
        if limits.policy == .fail {
            losses.fail(.limitReached("\(min(limits.partialMatches, greatestGroup)) partial matches"))
            return
        }
        while store.count > limits.partialMatches, store.oldest >= 0 { drop(store.oldest) }
        if Int(store.counts[slot]) > greatestGroup { dropExcessOfGroup(slot) }
    }

    /// Gives up partial matches of a group, an eighth of those that it may have, so that it costs little for each event.
    private mutating func dropExcessOfGroup(_ slot: Int) {
        var families = Set<Int32>()
        if isOrdered {
            for run in queues.partial[slot] + queues.complete[slot] where run != RunQueues.beginning {
                families.insert(store.runs[Int(run)].family)
            }
        } else {
            for state in 0..<store.stateCount {
                var run = store.heads[slot * store.stateCount + state]
                while run >= 0 {
                    families.insert(store.runs[Int(run)].family)
                    run = store.runs[Int(run)].next
                }
            }
        }
        // One event can begin several: of those the order of the set is none.
        let oldestFirst = families.sorted {
            (store.families[Int($0)].sequence, $0) < (store.families[Int($1)].sequence, $1)
        }
        for family in oldestFirst where Int(store.counts[slot]) > greatestGroup - greatestGroup / 8 { drop(family) }
    }

    // MARK: Work

    /// Gives up the rest of a list, for which an event has no budget.
    @usableFromInline
    mutating func giveUp(from first: Int32, areEqual: Bool) {
        guard limits.policy != .fail else { return failAtWork() }
        var index = first
        while index >= 0 {
            let next = areEqual ? equalities.links[Int(index)].next : store.runs[Int(index)].next
            let node = store.runs[Int(index)].node
            unlink(index)
            paths.release(node)
            store.removeRun(index)
            losses.partialMatches += 1
            index = next
        }
    }

    /// Gives up the runs of a queue that started first, for which an event has no budget.
    @usableFromInline
    mutating func giveUpFirst(of queue: inout [Int32], _ rest: Int) {
        guard limits.policy != .fail else { return failAtWork() }
        while queue.count > rest {
            let run = RunQueues.pop(&queue, store)
            if trace != nil { recordEnd(run, .skipped) }
            paths.release(store.runs[Int(run)].node)
            store.removeRun(run)
            losses.partialMatches += 1
        }
    }

    /// Notes that an event has completed more matches than it may.
    @usableFromInline
    mutating func cutShort() {
        guard limits.policy != .fail else { return failAtWork() }
        losses.eventsCutShort += 1
    }

    private mutating func failAtWork() {
        losses.fail(.limitReached("\(budget.share) comparisons and matches for each event"))
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
            losses.partialMatches += 1
            index = run.nextOfFamily
        }
        if !isOccupied(slot) { emptied.append(slot) }
    }

    /// Makes room for an event that may have to be kept.
    ///
    /// - Returns: Whether there is room.
    @usableFromInline
    mutating func makeRoomForEvent() -> Bool {
        switch limits.policy {
        case .dropNewest:
            losses.refusedEvents += 1
            return false
        case .dropOldest:
            while paths.eventCount >= limits.events, store.oldest >= 0 { drop(store.oldest) }
            return true
        case .fail:
            losses.fail(.limitReached("\(limits.events) events"))
            return false
        }
    }

    /// How many bytes the limits allow it to take up, beyond what the events refer to.
    var memoryBound: Int {
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
        let quietGroup = quiet == nil ? 0 : 8 + MemoryLayout<GapTimers.Timer>.stride
        let groups = limits.groups * (4 + 8 + 4 * store.stateCount + quietGroup)
        let timers = hasGaps ? (2 * limits.partialMatches + 64) * MemoryLayout<GapTimers.Timer>.stride : 0
        return 2 * (runs + born + nodes + events + groups + timers)
    }

    private var stateMoves: Int { table.automaton.states.map(\.edges.count).max() ?? 1 }

    // A partial match can have no more events than are kept.
    private var maximumPathShare: Int {
        plan.hasLoopWithoutEnd ? limits.events : plan.mostEvents
    }
}
