public import WeirCore

// The partial matches of a set in checkpoints: rule by rule, so that rules may come and go.
extension RuleEngines {
    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // What was changed before belongs to the state, although no signal has come since.
        if set.hasChanged(since: version) { update() }
        try state.begin("rules")
        try set.sides.exchangeState(&state)
        try state.exchange(&time)
        try state.exchange(&isFinished)
        // The numbers of the rules depend on those that have gone.
        let place = min(nextToAdvance, engines.count)
        let next = (engines[place...] + engines[..<place]).lazy.compactMap(\.self).first
        var nextName = next?.rule.name ?? ""
        try state.exchange(&nextName)
        if state.isRestoring {
            nextToAdvance = engines.firstIndex { $0?.rule.name == nextName } ?? 0
            if isFinished { forgetRules() }
        }
        for number in inOrder(Array(engines.indices)) {
            guard let engine = engines[number] else { continue }
            var hasPartialMatches = false
            try state.scoped("rule \(engine.rule.name)") { state throws(StateError) in
                hasPartialMatches = try engine.exchange(&state)
            }
            guard state.isRestoring else { continue }
            concerned.marks[UInt32(number)].isAlert = hasPartialMatches || engine.effects.alwaysBegins
        }
    }
}
