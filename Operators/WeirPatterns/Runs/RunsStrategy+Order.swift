public import WeirCore

extension RunsStrategy {
    /// Visits the runs of a group in the order of their queue.
    @inlinable
    mutating func receiveInOrder<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ truth: UInt64,
        _ slot: Int,
        _ output: inout Output
    ) where Output.Element == Element {
        queues.reach(slot)
        var old: [Int32] = []
        swap(&old, &queues.partial[slot])
        if old.isEmpty { old.append(RunQueues.beginning) }
        let allowance = budget.allowance
        if old.count > allowance &+ 1 { giveUpFirst(of: &old, allowance &+ 1) }
        budget.spend(old.count)
        var kept = queues.spare
        queues.spare = []
        for index in old {
            if index == RunQueues.beginning {
                begin(element, truth, slot)
                settleInOrder(&kept)
                RunQueues.push(index, &kept, store)
            } else {
                visitInOrder(element, truth, index, &kept)
            }
        }
        queues.partial[slot] = kept
        old.removeAll(keepingCapacity: true)
        queues.spare = old
        if plan.afterMatch == .noSkip {
            if !queues.complete[slot].isEmpty { waitingSlots.append(slot) }
            emitWithinBudget(into: &output)
        } else {
            releaseMatches(slot, at: now)
            if losses.failure == nil { emitWithinBudget(into: &output) }
        }
        enforceLimits(slot)
        tidy(slot)
    }

    @inlinable
    mutating func visitInOrder(_ element: borrowing Element, _ truth: UInt64, _ index: Int32, _ kept: inout [Int32]) {
        let run = store.runs[Int(index)]
        let state = Int(run.state)
        var all = truth
        var step = table.step(state, unary: truth)
        let needed = table.steps[step].needed
        if needed != 0 {
            all |= contextual(element, needed, Captures(paths, run.node, at: now))
            step = table.step(state, all: all)
        }
        if trace != nil { record(step, all, index) }
        let stay = table.steps[step].stay
        let count = table.steps[step].moves.count
        for position in 0..<count {
            if position == stay { RunQueues.push(index, &kept, store) }
            let move = table.steps[step].moves[position]
            make(element, move, node: run.node, family: run.family)
            if plan.afterMatch != .noSkip { holdMatches(run.family) }
            settleInOrder(&kept)
        }
        if stay >= 0 {
            if stay == count { RunQueues.push(index, &kept, store) }
        } else {
            paths.release(run.node)
            store.removeRun(index)
        }
    }

    /// Puts the runs that were just born into the queue.
    @inlinable
    mutating func settleInOrder(_ kept: inout [Int32]) {
        for run in born {
            let count = store.count
            settle(run)
            guard store.count > count else { continue }
            // The place that was taken last is the head of its family.
            RunQueues.push(store.families[Int(run.family)].firstRun, &kept, store)
        }
        born.removeAll(keepingCapacity: true)
    }

    /// Keeps the matches that were just completed until no earlier partial match is left.
    @inlinable
    mutating func holdMatches(_ family: Int32) {
        for match in complete {
            store.join(family)
            held.append(store.makeRun(match.node, family, -1))
        }
        complete.removeAll(keepingCapacity: true)
    }

    /// Finds the complete matches that no earlier partial match can overtake, and lets them skip what the policy says.
    @inlinable
    mutating func releaseMatches(_ slot: Int, at time: Timestamp) {
        var partial: [Int32] = []
        var waiting: [Int32] = []
        swap(&partial, &queues.partial[slot])
        swap(&waiting, &queues.complete[slot])
        if !held.isEmpty {
            var arrived: [Int32] = []
            for run in held { RunQueues.push(run, &arrived, store) }
            for run in arrived { RunQueues.push(run, &waiting, store) }
            held.removeAll(keepingCapacity: true)
        }
        while let first = waiting.first {
            if plan.afterMatch != .noSkip, let earliest = partial.first,
                RunQueues.order(first, store) > RunQueues.order(earliest, store)
            {
                break
            }
            let run = RunQueues.pop(&waiting, store)
            let node = store.runs[Int(run)].node
            if let bound = skipBound(node) {
                prune(&partial, bound)
                prune(&waiting, bound)
            }
            // The match outlives its run.
            complete.append(Complete(node, closings.removeValue(forKey: run) ?? time))
            store.removeRun(run)
            if losses.failure != nil { break }
        }
        swap(&partial, &queues.partial[slot])
        swap(&waiting, &queues.complete[slot])
    }

    // An earlier partial match could skip them.
    @usableFromInline
    var heldMatches: Int { queues.complete.reduce(0) { $0 + $1.count } }

    /// The order of the first event that partial matches may have started with; `nil` if all may go on.
    @usableFromInline
    mutating func skipBound(_ node: Int32) -> UInt64? {
        var earliest = UInt64.max
        var latest: UInt64 = 0
        var firstOfStage: UInt64?
        var lastOfStage: UInt64?
        let stage: Int
        switch plan.afterMatch {
        case .skipToFirst(let capture, _), .skipToLast(let capture, _): stage = capture
        default: stage = -1
        }
        var index = node
        while index >= 0 {
            let current = paths.nodes[Int(index)]
            let sequence = paths.events[Int(current.event)].sequence
            earliest = min(earliest, sequence)
            latest = max(latest, sequence)
            if Int(current.capture) == stage {
                firstOfStage = sequence
                lastOfStage = lastOfStage ?? sequence
            }
            index = current.parent
        }
        switch plan.afterMatch {
        case .noSkip: return nil
        case .skipToNext: return earliest + 1
        case .skipPastLast: return latest + 1
        case .skipToFirst(_, let failsOnMiss): return skip(to: firstOfStage, earliest, stage, failsOnMiss)
        case .skipToLast(_, let failsOnMiss): return skip(to: lastOfStage, earliest, stage, failsOnMiss)
        }
    }

    private mutating func skip(to event: UInt64?, _ earliest: UInt64, _ stage: Int, _ failsOnMiss: Bool) -> UInt64? {
        if failsOnMiss, event == nil { losses.fail(.nothingToSkipTo(stage: plan.captures[stage])) }
        if failsOnMiss, event == earliest { losses.fail(.skipsNowhere(stage: plan.captures[stage])) }
        return event
    }

    /// Gives up the runs that started before a bound.
    @usableFromInline
    mutating func prune(_ heap: inout [Int32], _ bound: UInt64) {
        var hasGone = false
        for run in heap where RunQueues.order(run, store) < bound {
            hasGone = true
            break
        }
        guard hasGone else { return }
        var rest: [Int32] = []
        rest.reserveCapacity(heap.count)
        var gone: [Int32] = []
        for run in heap {
            if RunQueues.order(run, store) < bound { gone.append(run) } else { rest.append(run) }
        }
        for run in gone {
            if trace != nil, store.runs[Int(run)].state >= 0 { recordEnd(run, .skipped) }
            closings[run] = nil
            paths.release(store.runs[Int(run)].node)
            store.removeRun(run)
        }
        heap = rest
        RunQueues.heapify(&heap, store)
    }

    /// Forgets the queues of a group that has nothing but its beginning.
    @inlinable
    mutating func tidy(_ slot: Int) {
        guard store.counts[slot] == 0 else { return }
        queues.partial[slot].removeAll(keepingCapacity: false)
        queues.complete[slot].removeAll(keepingCapacity: false)
    }
}
