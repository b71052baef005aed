public import WeirCore

extension RunsStrategy {
    @inlinable
    @discardableResult
    mutating func advance<Output: MatchReceiver>(to time: Timestamp, into output: inout Output) -> Bool
    where Output.Element == Element {
        guard time > now || (time == now && hasWaitingMatches) else { return false }
        now = time
        if hasWaitingMatches { releaseWaiting(&output) }
        if nextDeadline <= time.nanosecondsSinceEpoch { expire(time, &output) }
        return !emptied.isEmpty || !losses.isEmpty
    }

    /// Emits matches of a negation at the end that waited for a partial match which the last event ended.
    @inlinable
    mutating func releaseWaiting<Output: MatchReceiver>(_ output: inout Output) where Output.Element == Element {
        isOverdue = false
        let slots = waitingSlots
        waitingSlots.removeAll(keepingCapacity: waitingSlots.capacity <= 4096)
        for slot in slots where slot < queues.complete.count && !queues.complete[slot].isEmpty {
            releaseMatches(slot, at: now)
            if losses.failure == nil { emitMoments(into: &output) }
            tidy(slot)
            if !isOccupied(slot) { emptied.append(slot) }
        }
    }

    /// When the next run may expire, in nanoseconds since the epoch.
    @inlinable
    var nextDeadline: Int64 {
        var deadline = Int64.max
        if within > 0, store.oldest >= 0 {
            deadline = Nanoseconds.sum(store.families[Int(store.oldest)].start.nanosecondsSinceEpoch, within)
        }
        if hasGaps, let timer = gapTimers.timers.first { deadline = min(deadline, timer.deadline) }
        if let quiet { deadline = min(deadline, quiet.nextDeadline) }
        return deadline
    }

    @inlinable
    mutating func expire<Output: MatchReceiver>(_ time: Timestamp, _ output: inout Output)
    where Output.Element == Element {
        var emitted = Int64.min
        while losses.failure == nil {
            let deadline = nextDeadline
            guard deadline <= time.nanosecondsSinceEpoch, deadline < .max else { break }
            // What one moment completes is looked at together, so that the pattern can select among it.
            if deadline > emitted { emitMoments(into: &output) }
            emitted = deadline
            if let slot = quiet?.end(at: deadline) {
                if slot >= 0, !isOccupied(slot) { emptied.append(slot) }
                continue
            }
            if hasGaps, let timer = gapTimers.timers.first, timer.deadline == deadline {
                _ = gapTimers.pop()
                guard GapTimers.isLive(timer, store) else { continue }
                let family = store.runs[Int(timer.run)].family
                if isOrdered {
                    expireGroup(Int(store.families[Int(family)].slot), time, &output)
                } else {
                    expireRun(timer.run, time, &output)
                }
            } else if isOrdered {
                expireGroup(Int(store.families[Int(store.oldest)].slot), time, &output)
            } else {
                expireFamily(store.oldest, time, &output)
            }
        }
        if losses.failure == nil { emitMoments(into: &output) }
        if hasGaps { gapTimers.purge(store) }
    }

    @inlinable
    mutating func expireFamily<Output: MatchReceiver>(_ family: Int32, _ time: Timestamp, _ output: inout Output)
    where Output.Element == Element {
        var index = store.families[Int(family)].firstRun
        while index >= 0 {
            let next = store.runs[Int(index)].nextOfFamily
            expireRun(index, time, &output)
            index = next
        }
    }

    @inlinable
    mutating func expireRun<Output: MatchReceiver>(_ index: Int32, _ time: Timestamp, _ output: inout Output)
    where Output.Element == Element {
        let run = store.runs[Int(index)]
        let slot = Int(store.families[Int(run.family)].slot)
        let bound = bound(of: index, time)
        let isComplete = isComplete(index, at: bound)
        if trace != nil { recordEnd(index, isComplete ? .matched : .timedOut) }
        if isComplete {
            paths.retain(run.node)
            complete.append(Complete(run.node, bound, slot: Int32(slot)))
        } else {
            timeOut(run.node, bound, &output)
        }
        unlink(index)
        paths.release(run.node)
        store.removeRun(index)
        if !isOccupied(slot) { emptied.append(slot) }
    }

    /// When the time between a run's last event and the next one is over; `nil` if that has no bound.
    @inlinable
    func deadline(of index: Int32) -> Int64? {
        let run = store.runs[Int(index)]
        let (gap, schedule) = (gaps[Int(run.state)], schedules[Int(run.state)])
        guard gap > 0 || schedule >= 0 else { return nil }
        let previous = paths.time(of: run.node)
        var deadline = gap > 0 ? Nanoseconds.sum(previous.nanosecondsSinceEpoch, gap) : .max
        if schedule >= 0, let next = conditions.schedules[schedule](previous), next > previous {
            deadline = min(deadline, next.nanosecondsSinceEpoch)
        }
        // The end of time never comes: completing a stream moves time on to it.
        return deadline < .max ? deadline : nil
    }

    /// When the window of a run that has expired closed, or the time behind its last event, whichever came first.
    @inlinable
    func bound(of index: Int32, _ time: Timestamp) -> Timestamp {
        let start = store.families[Int(store.runs[Int(index)].family)].start.nanosecondsSinceEpoch
        let window = within > 0 ? Nanoseconds.sum(start, within) : .max
        return Timestamp(nanosecondsSinceEpoch: min(deadline(of: index) ?? .max, window))
    }

    /// Whether a run that has expired is a match.
    @inlinable
    func isComplete(_ index: Int32, at bound: Timestamp) -> Bool {
        let state = Int(store.runs[Int(index)].state)
        guard isPending[state] else { return false }
        // The window may close before the time is over.
        return !hasOwnTime[state] || deadline(of: index) == bound.nanosecondsSinceEpoch
    }

    @inlinable
    func hasExpired(_ index: Int32, _ time: Timestamp) -> Bool {
        let now = time.nanosecondsSinceEpoch
        if let deadline = deadline(of: index), deadline <= now { return true }
        let start = store.families[Int(store.runs[Int(index)].family)].start.nanosecondsSinceEpoch
        return within > 0 && Nanoseconds.sum(start, within) <= now
    }

    @inlinable
    mutating func timeOut<Output: MatchReceiver>(_ node: Int32, _ bound: Timestamp, _ output: inout Output)
    where Output.Element == Element {
        paths.read(node, into: &scratch)
        output.receiveTimeout(scratch, at: bound)
        scratch.entries.removeAll(keepingCapacity: true)
    }

    /// Expires the runs that are due, of a group whose runs are in a queue.
    @inlinable
    mutating func expireGroup<Output: MatchReceiver>(_ slot: Int, _ time: Timestamp, _ output: inout Output)
    where Output.Element == Element {
        var old: [Int32] = []
        swap(&old, &queues.partial[slot])
        var kept: [Int32] = []
        var closed = Timestamp.distantPast
        var expired: [(run: Int32, bound: Timestamp)] = []
        for index in old {
            guard index != RunQueues.beginning, hasExpired(index, time) else {
                RunQueues.push(index, &kept, store)
                continue
            }
            let bound = bound(of: index, time)
            closed = max(closed, bound)
            let isComplete = isComplete(index, at: bound)
            if trace != nil { recordEnd(index, isComplete ? .matched : .timedOut) }
            if isComplete {
                closings[index] = bound
                store.runs[Int(index)].state = -1
                held.append(index)
            } else {
                expired.append((index, bound))
            }
        }
        queues.partial[slot] = kept
        releaseMatches(slot, at: closed)
        if losses.failure == nil { emitMoments(into: &output) }
        for (index, bound) in expired {
            let node = store.runs[Int(index)].node
            // A failure of the after-match policy ends the stream before them.
            if losses.failure == nil { timeOut(node, bound, &output) }
            paths.release(node)
            store.removeRun(index)
        }
        tidy(slot)
        if !isOccupied(slot) { emptied.append(slot) }
    }

    @inlinable
    mutating func forgetGroups<Key: Hashable & Sendable>(in groups: inout SlotTable<Key>) {
        for slot in emptied where !isOccupied(slot) {
            groups.remove(slot: UInt32(slot))
        }
        // A list that was long once would stay as long as the engine does.
        emptied.removeAll(keepingCapacity: emptied.capacity <= 4096)
        if store.count == 0 { shrink() }
    }

    @usableFromInline
    mutating func shrink() {
        store.shrink()
        paths.shrink()
        if gapTimers.timers.isEmpty || store.runs.isEmpty { gapTimers = GapTimers() }
        if store.counts.isEmpty { queues = RunQueues() }
        if store.runs.isEmpty, hasIndex { equalities = EqualityIndex() }
    }

    /// Notes when a run must have taken its next event.
    @inlinable
    mutating func watchGap(_ index: Int32) {
        guard let deadline = deadline(of: index) else { return }
        if deadline <= now.nanosecondsSinceEpoch { isOverdue = true }
        gapTimers.push(GapTimers.Timer(deadline, index, store.runs[Int(index)].generation))
        gapTimers.purge(store)
    }
}
