public import WeirCore

// The partial matches in checkpoints: the nodes keep their positions, so that what leads to them stays as it is.
extension CompactStrategy {
    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // The numbers of states, captures and conditions have no meaning for another pattern.
        let plan = engine.programs.plan
        state.require(describing: "compact \(plan.automaton.states) \(plan.waiting) \(counts)")
        try state.exchange(&budget.left)
        try engine.exchangeState(&state)
        if counts { try counter.exchangeState(&state, &engine.programs) }
    }
}

extension CompactEngine {
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&time)
        try state.exchange(&refusedEvents)
        try state.exchange(&droppedStarts)
        try state.exchange(&hasFailed)
        try state.exchange(&slotCount)
        try state.exchange(&cells, 0, slotCount &* cellsPerSlot, filler: .empty)
        try graph.exchangeState(&state)
        // There is never room again.
        if state.isRestoring, hasFailed { graph.endOfRoom = 0 }
        try starts.exchangeState(&state)
    }
}

extension CompactGraph {
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&firstNode)
        try state.exchange(&endOfNodes)
        try state.exchange(&firstEvent)
        try state.exchange(&endOfEvents)
        try state.exchange(&floor)
        try state.exchange(&keptByCollection)
        try state.exchange(&patience)
        try state.exchange(&nodes, firstNode, endOfNodes, filler: .none)
        // What is noted of a span in which there is no node yet is not looked at.
        let (first, end) = (firstNode >> Self.spanBits, (endOfNodes + (1 << Self.spanBits) - 1) >> Self.spanBits)
        try state.exchange(&spanTimes, first, end, filler: .min)
        try state.exchange(&spanEvents, first, end, filler: 0)
        try state.exchange(&events, firstEvent, endOfEvents, filler: CompactEvent(nil, .min))
        guard state.isRestoring else { return }
        updateRoom()
        endOfEventRoom = firstEvent &+ UInt32(events.capacity)
    }
}

extension CompactStarts {
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(describing: "starts \(isNeeded) \(isExact) \(isGrouped)")
        try state.exchange(&first)
        try state.exchange(&end)
        try state.exchange(&nextClosing)
        try state.exchange(&starts, first, end, filler: Start(0, 0))
        var slots = UInt32(flags.capacity)
        try state.exchange(&slots)
        try state.exchange(&flags, 0, slots, filler: Flags())
        slots = UInt32(lastTimes.capacity)
        try state.exchange(&slots)
        try state.exchange(&lastTimes, 0, slots, filler: .min)
    }
}

extension CompactCounter {
    mutating func exchangeState(
        _ state: inout StateExchange,
        _ programs: inout CompactPrograms
    ) throws(StateError) {
        try state.exchange(&numbers, 0, stateCount, filler: 0)
        try state.exchange(&begun, 0, stateCount, filler: 0)
        try state.exchange(&map, 0, stateCount &* stateCount, filler: 0)
        try state.exchange(&firstBegun)
        try state.exchange(&frontCount)
        try state.exchange(&frontTimes, 0, frontCount, filler: 0)
        try state.exchange(&frontSums, 0, frontCount &* stateCount, filler: 0)
        try exchangeEntries(&state, &programs)
    }

    /// Exchanges the events since the last turn: by their truth values, as programs are numbered as they are met.
    private mutating func exchangeEntries(
        _ state: inout StateExchange,
        _ programs: inout CompactPrograms
    ) throws(StateError) {
        var truths: [UInt32] = []
        if state.isSaving {
            // Of the programs that do something, no two begin at the same place.
            var known: [UInt32: UInt32] = [:]
            for place in 0..<UInt32(programs.places.capacity) {
                let program = programs.places[place]
                if program.isKnown, !program.isIdle { known[program.first] = place }
            }
            truths = (0..<entryCount).map { known[entries[$0].program.first] ?? 0 }
        }
        var times = (0..<entryCount).map { entries[$0].time }
        try state.exchange(&truths)
        try state.exchange(&times)
        guard state.isRestoring else { return }
        entryCount = 0
        for (truths, time) in zip(truths, times) {
            if Int(entryCount) == entries.capacity { growEntries() }
            entries[entryCount] = Entry(programs.program(for: UInt64(truths)), time)
            entryCount &+= 1
        }
    }
}
