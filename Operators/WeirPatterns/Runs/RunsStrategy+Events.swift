public import WeirCore

/// What an event does to the partial matches of its group.
extension RunsStrategy {
    @inlinable
    mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ truth: UInt64,
        at time: Timestamp,
        slot: UInt32,
        into output: inout Output
    ) -> Bool where Output.Element == Element {
        let slot = Int(slot)
        store.reach(slot)
        sequence &+= 1
        now = time
        budget.beginEvent()
        if paths.eventCount >= limits.events, !makeRoomForEvent() {
            quiet?.note(truth, slot, at: time)
            return isOccupied(slot)
        }
        if isOrdered {
            receiveInOrder(element, truth, slot, &output)
        } else {
            receiveInAnyOrder(element, truth, slot, &output)
        }
        if event >= 0 {
            paths.unpin(event)
            event = -1
        }
        quiet?.note(truth, slot, at: time)
        return isOccupied(slot)
    }

    /// Visits the runs state by state.
    @inlinable
    mutating func receiveInAnyOrder<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ slot: Int,
        _ output: inout Output
    ) where Output.Element == Element {
        var occupied = store.counts[slot] == 0 ? 0 : store.occupied[slot]
        while occupied != 0 {
            var state = occupied.trailingZeroBitCount
            occupied &= occupied &- 1
            while state < store.stateCount {
                let first = store.heads[slot * store.stateCount + state]
                if first >= 0 { visit(element, truth, state, slot, from: first) }
                state += 64
            }
        }
        begin(element, truth, slot)
        // Selecting a match looks at all of them, so the new runs come after.
        emitWithinBudget(into: &output)
        for run in born { settle(run) }
        born.removeAll(keepingCapacity: true)
        enforceLimits(slot)
    }

    /// Moves the runs of a state, as many as the budget allows; those that have waited longest come last.
    @inlinable
    mutating func visit(_ element: borrowing Element, _ truth: UInt64, _ state: Int, _ slot: Int, from first: Int32) {
        let common = table.step(state, unary: truth)
        if trace == nil {
            if table.steps[common].isIdle { return }
            if hasIndex, indexOfState[state] >= 0, table.steps[common].decider == indexOfState[state] {
                let equal = firstEqual(element, state, slot)
                if equal >= 0 { visitRuns(element, truth, state, from: equal, common, areEqual: true) }
                return
            }
        }
        visitRuns(element, truth, state, from: first, common, areEqual: false)
    }

    /// Moves the runs of a list: those of a state, or those of them that want the value of the event.
    @inlinable
    mutating func visitRuns(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ state: Int,
        from first: Int32,
        _ common: Int,
        areEqual: Bool
    ) {
        let needed = table.steps[common].needed
        let allowance = budget.allowance
        var left = allowance
        var index = first
        while index >= 0 {
            if needed != 0, trace == nil {
                index = passOver(element, truth, state, from: index, needed, areEqual: areEqual, &left)
                if index < 0 { break }
            }
            guard left > 0 else {
                giveUp(from: index, areEqual: areEqual)
                break
            }
            left &-= 1
            let next = areEqual ? equalities.links[Int(index)].next : store.runs[Int(index)].next
            visitRun(element, truth, state, index, common, needed)
            index = next
        }
        budget.spend(allowance &- left)
    }

    /// Passes over the runs that an event does nothing to.
    ///
    /// The captures are copied once for all of them, which is most of what looking at a run costs.
    ///
    /// - Returns: The first run that the event moves, or that the budget does not reach; -1 if there is none.
    @inlinable
    mutating func passOver(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ state: Int,
        from first: Int32,
        _ needed: UInt64,
        areEqual: Bool,
        _ left: inout Int
    ) -> Int32 {
        var captures = Captures(paths, -1, at: now)
        let one = needed.trailingZeroBitCount
        let others = needed & (needed &- 1)
        let condition = conditions.contextual[one]
        var index = first
        while index >= 0, left > 0 {
            captures.last = store.runs[Int(index)].node
            var all = truth
            if let condition, condition(element, captures) { all |= 1 << UInt64(one) }
            if others != 0 { all |= contextual(element, others, captures) }
            let step = table.step(state, all: all)
            guard table.steps[step].isIdle else { return index }
            left &-= 1
            index = areEqual ? equalities.links[Int(index)].next : store.runs[Int(index)].next
        }
        return index
    }

    /// Moves a run.
    @inlinable
    mutating func visitRun(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ state: Int,
        _ index: Int32,
        _ common: Int,
        _ needed: UInt64
    ) {
        let run = store.runs[Int(index)]
        var step = common
        var all = truth
        if needed != 0 {
            all |= contextual(element, needed, Captures(paths, run.node, at: now))
            step = table.step(state, all: all)
        }
        if trace != nil { record(step, all, index) }
        guard !table.steps[step].isIdle else { return }
        let stays = table.steps[step].stay >= 0
        move(element, step, node: run.node, family: run.family)
        if !stays {
            unlink(index)
            paths.release(run.node)
            store.removeRun(index)
        }
    }

    /// Takes a run out of the lists by which events find it.
    @inlinable
    mutating func unlink(_ index: Int32) {
        store.unlink(index)
        if hasIndex { equalities.remove(index) }
    }

    /// Looks at conditions that depend on captures.
    @inlinable
    func contextual(_ element: borrowing Element, _ needed: UInt64, _ captures: borrowing Captures<Element>) -> UInt64 {
        var truth: UInt64 = 0
        var rest = needed
        while rest != 0 {
            let id = rest.trailingZeroBitCount
            rest &= rest &- 1
            if let condition = conditions.contextual[id], condition(element, captures) { truth |= 1 << UInt64(id) }
        }
        return truth
    }

    /// Makes the moves of a step, and notes what becomes of the run.
    @inlinable
    mutating func move(_ element: borrowing Element, _ step: Int, node: Int32, family: Int32) {
        let count = table.steps[step].moves.count
        for position in 0..<count {
            let move = table.steps[step].moves[position]
            make(element, move, node: node, family: family)
        }
    }

    @inlinable
    mutating func make(_ element: borrowing Element, _ move: StepTable.Move, node: Int32, family: Int32) {
        var node = node
        if move.capture >= 0 {
            if event < 0 { event = paths.add(element, now, sequence) }
            node = paths.extend(node, move.capture, event)
        } else {
            paths.retain(node)
        }
        if move.target >= 0 {
            store.join(family)
            born.append(Born(move.target, node, family))
            if move.completes { paths.retain(node) }
        }
        if move.completes { complete.append(Complete(node, now)) }
    }

    /// Starts partial matches with the event.
    @inlinable
    mutating func begin(_ element: borrowing Element, _ truth: UInt64, _ slot: Int) {
        if let quiet, quiet.isWaiting(slot) { return }
        var step = table.step(start, unary: truth)
        if table.steps[step].needed != 0 {
            step = table.step(
                start,
                all: truth | contextual(element, table.steps[step].needed, Captures(paths, -1, at: now))
            )
        }
        guard !table.steps[step].moves.isEmpty else { return }
        quiet?.noteBeginning(slot, at: now)
        let family = store.makeFamily(now, sequence, slot)
        store.join(family)
        move(element, step, node: -1, family: family)
        if plan.afterMatch != .noSkip { holdMatches(family) }
        // What has not started anything is forgotten at once.
        store.leave(family)
    }

    /// Puts a run into its lists, if there is room.
    @inlinable
    mutating func settle(_ run: Born) {
        if limits.policy == .dropNewest, isFull(Int(store.families[Int(run.family)].slot)) {
            losses.partialMatches += 1
            paths.release(run.node)
            store.leave(run.family)
            return
        }
        let index = store.makeRun(run.node, run.family, run.state)
        if !isOrdered { store.link(index) }
        if hasIndex { enterIndex(index) }
        if hasGaps { watchGap(index) }
    }
}
