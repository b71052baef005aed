public import WeirCore

// The partial matches in checkpoints.
extension RunsStrategy {
    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // The numbers of states, captures and conditions have no meaning for another pattern.
        let automaton = table.automaton
        state.require(describing: "\(automaton.states) \(isOrdered) \(hasIndex) \(plan.captures)")
        if !automaton.schedules.isEmpty {
            state.require(describing: "\(automaton.schedules.sorted { $0.key < $1.key })")
        }
        if quiet != nil {
            state.require(describing: "\(plan.quiet as Any)")
            try quiet?.exchangeState(&state)
        }
        try state.exchange(&budget.left)
        try state.exchange(&sequence)
        try state.exchange(&now)
        try state.exchange(&paths.events)
        try state.exchange(&paths.nodes)
        try state.exchange(&paths.accumulated)
        try state.exchange(&paths.freeEvent)
        try state.exchange(&paths.freeNode)
        try state.exchange(&paths.eventCount)
        try state.exchange(&paths.nodeCount)
        try exchangeRuns(&state)
        try state.exchange(&queues.partial)
        try state.exchange(&queues.complete)
        try state.exchange(&gapTimers.timers)
        try state.exchange(&held)
        try state.exchange(&closings)
        try state.exchange(&waitingSlots)
        try state.exchange(&isOverdue)
        try state.exchange(&emptied)
        try state.exchange(&groupNames)
        try exchangeEqualities(&state)
    }

    private mutating func exchangeRuns(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&store.runs)
        try state.exchange(&store.families)
        try state.exchange(&store.heads)
        try state.exchange(&store.counts)
        try state.exchange(&store.occupied)
        try state.exchange(&store.freeRun)
        try state.exchange(&store.freeFamily)
        try state.exchange(&store.oldest)
        try state.exchange(&store.newest)
        try state.exchange(&store.count)
        try state.exchange(&store.generation)
    }

    /// Exchanges the order of the runs with equal values; the values are hashed again, with the seed of this process.
    private mutating func exchangeEqualities(_ state: inout StateExchange) throws(StateError) {
        var isLinked = equalities.links.map { $0.key != nil }
        var next = equalities.links.map(\.next)
        var previous = equalities.links.map(\.previous)
        try state.exchange(&isLinked)
        try state.exchange(&next)
        try state.exchange(&previous)
        guard state.isRestoring else { return }
        equalities = EqualityIndex()
        for run in isLinked.indices {
            let key = isLinked[run] ? equalityKey(of: Int32(run)) : nil
            equalities.links.append(EqualityIndex.Links(key, next[run], previous[run]))
            if let key, previous[run] < 0 { equalities.heads[key] = Int32(run) }
        }
    }
}
