internal import WeirCore

extension SignalCycle {
    func carry() {
        guard isStale || !state.value.pendingObservers.isEmpty || !state.value.broken.isEmpty else { return }
        var cycles = 0
        while true {
            settle()
            if !state.value.broken.isEmpty { takeBack() }
            if !state.value.undos.isEmpty { state.value.undos.removeAll() }
            tell()
            guard !state.value.writes.isEmpty else { break }
            cycles += 1
            precondition(
                cycles < Self.cycleLimit,
                """
                observers have set signals, last \(state.value.lateWriter.map { "\($0.label)" } ?? ""), \(cycles) times in a row; \
                an observer that sets what it observes must come to rest
                """
            )
            performWrites()
        }
        state.value.lateWriter = nil
    }

    /// Undoes the writes of a cycle in which a signal would have come to depend on itself.
    func takeBack() {
        let (broken, undos) = (state.value.broken, state.value.undos)
        state.value.broken = []
        for undo in undos.reversed() { undo() }
        settle(with: broken)
        state.value.broken = []
        // Nothing has changed.
        for node in state.value.pendingObservers { node.state.value.isPendingObserver = false }
        state.value.pendingObservers.removeAll(keepingCapacity: true)
    }

    func performWrites() {
        let batch = state.value.writes
        state.value.writes = []
        state.value.transactionDepth += 1
        for perform in batch { perform() }
        state.value.transactionDepth -= 1
    }

    func tell() {
        guard !state.value.pendingObservers.isEmpty else { return }
        state.value.phase = .telling
        var index = 0
        while index < state.value.pendingObservers.count {
            let node = state.value.pendingObservers[index]
            node.state.value.isPendingObserver = false
            node.state.value.audience?.tell()
            index += 1
        }
        state.value.pendingObservers.removeAll(keepingCapacity: true)
        state.value.phase = .idle
    }

    /// Whether there are set or dependent nodes that were not computed yet; only inside of a transaction.
    var isStale: Bool { !state.value.touched.isEmpty || state.value.queuedCount > 0 }

    /// Computes the nodes that depend on set ones, and those that could not be computed before.
    func settle(with others: ContiguousArray<SignalNode> = []) {
        guard isStale || !others.isEmpty else { return }
        state.value.phase = .settling
        state.value.cycleCount += 1
        commit()
        for node in others { enqueue(node) }
        state.value.currentLevel = state.value.lowestQueued
        while state.value.queuedCount > 0 {
            guard let first = firstQueued(of: state.value.currentLevel) else {
                state.value.currentLevel += 1
                continue
            }
            first.with { node in
                unlink(node)
                guard node.state.value.isDirty else { return }
                if node.state.value.level > state.value.currentLevel { enqueue(node) } else { computeLine(from: node) }
            }
        }
        state.value.lowestQueued = .max
        endSettling()
    }

    /// Starts to compute, inside of a transaction, only what is read; the rest stays queued.
    func beginDemand() {
        state.value.phase = .demanding
        // Without a write since the last demand, what that has found up to date still is.
        if !state.value.touched.isEmpty { state.value.cycleCount += 1 }
        commit()
        state.value.currentLevel = state.value.lowestQueued
    }

    func endSettling() {
        state.value.currentLevel = .max
        state.value.phase = .idle
    }

    /// Queues the direct dependents of set nodes.
    func commit() {
        for index in state.value.touched.indices {
            let node = state.value.touched[index]
            node.state.value.isTouched = false
            if node.runCommit() { spread(from: node) }
        }
        // Mostly one; for so few, removing all of them at once costs more.
        while state.value.touched.popLast() != nil {}
    }

    /// Marks the dependents and observers of a node that has changed.
    func spread(from node: SignalNode) {
        for index in node.state.value.dependents.indices {
            node.state.value.dependents[index].node.with { enqueue($0) }
        }
        if node.state.value.audience != nil { addPendingObserver(node) }
    }

    func addPendingObserver(_ node: SignalNode) {
        guard node.hasAudience, !node.state.value.isPendingObserver else { return }
        node.state.value.isPendingObserver = true
        state.value.pendingObservers.append(node)
    }

    func enqueue(_ node: SignalNode) {
        node.state.value.isDirty = true
        let level = node.state.value.level
        if node.state.value.isQueued {
            // Its level may have fallen since; nodes above it must find it computed.
            guard level < node.state.value.queuedLevel else { return }
            unlink(node)
        }
        node.state.value.isQueued = true
        while state.value.levels.count <= level { state.value.levels.append(Level()) }
        let previous = state.value.levels[level].last
        if let previous {
            let isOrdered = previous.with { previous in
                previous.state.value.next = Unretained(node)
                return previous.number < node.number
            }
            if !isOrdered { state.value.levels[level].isOrdered = false }
        } else {
            state.value.levels[level].first = Unretained(node)
        }
        node.state.value.previous = previous
        node.state.value.queuedLevel = level
        state.value.levels[level].last = Unretained(node)
        state.value.lowestQueued = min(state.value.lowestQueued, level)
        state.value.queuedCount += 1
    }

    /// Takes a node out of the list that it is in.
    func unlink(_ node: SignalNode) {
        let (next, previous) = (node.state.value.next, node.state.value.previous)
        let level = node.state.value.queuedLevel
        if let next {
            next.with { $0.state.value.previous = previous }
        } else {
            state.value.levels[level].last = previous
        }
        if let previous {
            previous.with { $0.state.value.next = next }
        } else {
            state.value.levels[level].first = next
            if next == nil { state.value.levels[level].isOrdered = true }
        }
        node.state.value.next = nil
        node.state.value.previous = nil
        node.state.value.isQueued = false
        state.value.queuedCount -= 1
    }

    func firstQueued(of level: Int) -> Unretained<SignalNode>? {
        if !state.value.levels[level].isOrdered { order(level) }
        return state.value.levels[level].first
    }

    /// Links the nodes of a level in the order in which they were made.
    func order(_ level: Int) {
        var nodes: ContiguousArray<Unretained<SignalNode>> = []
        swap(&nodes, &state.value.sorting)
        var next = state.value.levels[level].first
        while let node = next {
            nodes.append(node)
            next = node.with { $0.state.value.next }
        }
        nodes.sort { first, second in first.with { $0.number } < second.with { $0.number } }
        for place in nodes.indices {
            nodes[place].with { node in
                node.state.value.previous = place > 0 ? nodes[place - 1] : nil
                node.state.value.next = place + 1 < nodes.count ? nodes[place + 1] : nil
            }
        }
        state.value.levels[level] = Level(first: nodes.first, last: nodes.last)
        nodes.removeAll(keepingCapacity: true)
        swap(&nodes, &state.value.sorting)
    }
}
