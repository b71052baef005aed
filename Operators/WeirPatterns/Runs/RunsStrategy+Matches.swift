internal import WeirCore

/// How complete matches are selected and emitted.
extension RunsStrategy {
    /// Emits the matches that an event has completed, as many as the budget allows.
    @inlinable
    mutating func emitWithinBudget<Output: MatchReceiver>(into output: inout Output) where Output.Element == Element {
        guard !complete.isEmpty else { return }
        if plan.selection != .all { keepSelected() }
        let allowance = budget.allowance
        if complete.count > allowance, output.demand == .all { cutShort() }
        budget.spend(complete.count)
        emit(into: &output, atMost: allowance)
    }

    /// Emits the matches that are complete.
    @inlinable
    mutating func emit<Output: MatchReceiver>(into output: inout Output, atMost most: Int = .max)
    where Output.Element == Element {
        guard !complete.isEmpty else { return }
        if plan.selection != .all { keepSelected() }
        var wanted = min(complete.count, most)
        switch output.demand {
        case .all: break
        case .first(let count): wanted = min(wanted, count)
        case .count:
            wanted = 0
            output.receive(count: complete.count, at: complete[0].time)
        }
        var isWanted = true
        for position in 0..<wanted where isWanted {
            paths.read(complete[position].node, into: &scratch)
            isWanted = output.receive(scratch, at: complete[position].time)
        }
        for match in complete { paths.release(match.node) }
        complete.removeAll(keepingCapacity: true)
        // Not to keep the last match's events alive.
        scratch.entries.removeAll(keepingCapacity: true)
    }

    /// Emits the matches that windows complete which have closed: those of each moment and of each group apart, so that
    /// what is selected depends neither on other groups nor on how far time went on at once.
    @inlinable
    mutating func emitMoments<Output: MatchReceiver>(into output: inout Output) where Output.Element == Element {
        if complete.count > 1, isOrdered || plan.selection != .all || output.demand != .all {
            let all = complete.enumerated().sorted {
                ($0.element.time, $0.element.slot, $0.offset) < ($1.element.time, $1.element.slot, $1.offset)
            }
            complete.removeAll(keepingCapacity: true)
            for (_, match) in all {
                if let last = complete.last, last.time != match.time || last.slot != match.slot { emit(into: &output) }
                complete.append(match)
            }
        }
        emit(into: &output)
    }

    /// Leaves only the match that the pattern selects.
    @usableFromInline
    mutating func keepSelected() {
        var best = 0
        var events = sequences(complete[0].node)
        for position in complete.indices.dropFirst() {
            let others = sequences(complete[position].node)
            let isBetter =
                switch plan.selection {
                case .all: false
                case .first: others.lexicographicallyPrecedes(events)
                case .last: events.lexicographicallyPrecedes(others)
                case .longest:
                    others.count == events.count
                        ? others.lexicographicallyPrecedes(events) : others.count > events.count
                }
            if isBetter { (best, events) = (position, others) }
        }
        for position in complete.indices where position != best { paths.release(complete[position].node) }
        complete = [complete[best]]
    }

    private func sequences(_ node: Int32) -> [UInt64] {
        var found: [UInt64] = []
        var index = node
        while index >= 0 {
            found.append(paths.events[Int(paths.nodes[Int(index)].event)].sequence)
            index = paths.nodes[Int(index)].parent
        }
        return found.reversed()
    }
}
