internal import WeirCore

extension SignalCycle {
    /// Computes a node, and then, as long as nothing else is queued, the only node that depends on it, and so on: most
    /// signals have one reader, and need no queue.
    func computeLine(from first: SignalNode) {
        var line: Unretained<SignalNode>? = Unretained(first)
        while let next = line {
            line = next.with { node in
                state.value.currentLevel = node.state.value.level
                begin(node)
                let hasChanged = node.recompute()
                end(node)
                guard hasChanged else { return nil }
                guard state.value.queuedCount == 0, node.state.value.dependents.count == 1 else {
                    spread(from: node)
                    return nil
                }
                if node.state.value.audience != nil { addPendingObserver(node) }
                return node.state.value.dependents[0].node
            }
        }
    }

    func compute(_ node: SignalNode) {
        begin(node)
        let hasChanged = node.recompute()
        end(node)
        if hasChanged { spread(from: node) }
    }

    func beginFirstRun(of node: SignalNode) {
        if state.value.phase == .idle, isStale, state.value.computing == nil { beginDemand() }
        begin(node)
    }

    func endFirstRun(of node: SignalNode) {
        end(node)
        if state.value.phase == .demanding, state.value.computing == nil { endSettling() }
    }

    func begin(_ node: SignalNode) {
        precondition(
            state.value.nesting < Self.nestingLimit,
            """
            \(state.value.nesting) signals, last \(node.label), are made or newly read inside each other's expressions; make or read \
            them one after the other
            """
        )
        state.value.nesting += 1
        state.value.runCount += 1
        node.state.value.run = state.value.runCount
        node.state.value.isDirty = false
        node.isBroken = false
        node.state.value.isComputing = true
        node.state.value.confirmed = 0
        node.state.value.levelSoFar = 0
        node.state.value.outer = state.value.computing
        state.value.computing = Unretained(node)
    }

    func end(_ node: SignalNode) {
        state.value.nesting -= 1
        state.value.computing = node.state.value.outer
        node.state.value.outer = nil
        node.state.value.isComputing = false
        // What it read the last time may have been computed meanwhile; what it has read now was up to date.
        node.state.value.isDirty = false
        node.state.value.settledIn = state.value.cycleCount
        if node.state.value.dependencies.count > node.state.value.confirmed { node.dropLeftOverDependencies() }
        let hasRisen = node.state.value.levelSoFar > node.state.value.level
        node.state.value.level = node.state.value.levelSoFar
        if hasRisen, !node.state.value.dependents.isEmpty { raiseDependents(of: node) }
    }

    func raiseDependents(of node: SignalNode) {
        var raised: ContiguousArray = [Unretained(node)]
        while let next = raised.popLast() {
            next.with { node in
                for dependent in node.state.value.dependents {
                    dependent.node.with { above in
                        guard above.state.value.level <= node.state.value.level else { return }
                        above.state.value.level = node.state.value.level + 1
                        raised.append(dependent.node)
                    }
                }
            }
        }
    }

    /// Records that the running computation, if any, reads a node; updates the node first.
    @inline(__always)
    func noteRead(of node: SignalNode) {
        guard let computing = state.value.computing else {
            if state.value.transactionDepth > 0, isStale { demand(node) }
            return
        }
        computing.with { reader in
            let run = reader.state.value.run
            guard node.state.value.readIn != run else { return }
            if node.state.value.isComputing {
                breakCycle(at: node)
                return
            }
            let level = node.state.value.level
            if level >= state.value.currentLevel, node.state.value.settledIn != state.value.cycleCount {
                guard bringUpToDate(node) else { return }
            }
            if reader.state.value.isUntracked { return }
            node.state.value.readIn = run
            reader.confirmDependency(on: node)
            let above = node.state.value.level + 1
            if above > reader.state.value.levelSoFar { reader.state.value.levelSoFar = above }
        }
    }

    /// Has what the running computation reads not become dependencies.
    ///
    /// - Returns: The node for which that is to end; `nil` where nothing is computed, or it is so already.
    func beginUntracked() -> Unretained<SignalNode>? {
        guard let computing = state.value.computing, !computing.with({ $0.state.value.isUntracked }) else { return nil }
        computing.with { $0.state.value.isUntracked = true }
        return computing
    }

    /// Updates a node that is read between the writes of a transaction.
    func demand(_ node: SignalNode) {
        guard state.value.phase == .idle, node.isComputed else { return }
        beginDemand()
        if node.state.value.level >= state.value.currentLevel, node.state.value.settledIn != state.value.cycleCount {
            _ = bringUpToDate(node)
        }
        endSettling()
    }

    /// Computes a node, and before that what it depends on, where they are out of date; false where that leads back to
    /// what is being computed.
    func bringUpToDate(_ node: SignalNode) -> Bool {
        let start = state.value.path.count
        state.value.path.append(Step(node: node))
        while state.value.path.count > start {
            let top = state.value.path.count - 1
            let node = state.value.path[top].node
            let place = state.value.path[top].nextDependency
            // A dirty node may no longer read its former dependencies; that shows when it is computed.
            let isKnown = !node.state.value.isDirty || state.value.nesting >= Self.demandLimit
            if isKnown, place < node.state.value.dependencies.count {
                state.value.path[top].nextDependency += 1
                let dependency = node.state.value.dependencies[place].node
                if dependency.state.value.isComputing {
                    // A dirty node will be computed anyway, and may no longer read this one; a clean one would.
                    guard let reader = state.value.path[start...].lastIndex(where: { $0.node.state.value.isDirty })
                    else {
                        breakCycle(at: dependency)
                        state.value.path.removeLast(state.value.path.count - start)
                        return false
                    }
                    state.value.path.removeLast(state.value.path.count - 1 - reader)
                } else if dependency.state.value.level >= state.value.currentLevel,
                    dependency.state.value.settledIn != state.value.cycleCount
                {
                    state.value.path.append(Step(node: dependency))
                }
            } else {
                if node.state.value.isDirty { compute(node) }
                node.state.value.settledIn = state.value.cycleCount
                state.value.path.removeLast()
            }
        }
        return true
    }

    /// Reports a cycle through a node that is being computed; the nodes on the cycle keep their values.
    func breakCycle(at node: SignalNode) {
        let start = state.value.path.lastIndex { $0.node === node }.map { $0 + 1 } ?? state.value.path.startIndex
        let labels = [node.label] + state.value.path[start...].map(\.node.label) + [node.label]
        let error = SignalError.cycle(path: labels.map(\.description))
        precondition(state.value.checkDepth > 0, "\(error)")
        state.value.error = state.value.error ?? error
        var broken = state.value.computing
        while let current = broken {
            broken = current.with { current in
                current.isBroken = true
                state.value.broken.append(current)
                return current === node ? nil : current.state.value.outer
            }
        }
    }
}
