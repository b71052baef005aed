internal import WeirCore

extension RunsStrategy {
    /// Notes what a step does to a run.
    @usableFromInline
    mutating func record(_ step: Int, _ truth: UInt64, _ index: Int32) {
        let step = table.steps[step]
        let happening: PatternTracer.Happening =
            if step.stoppedBy >= 0 {
                .forbidden(stage: plan.captures[step.stoppedBy])
            } else if step.moves.contains(where: { $0.capture >= 0 }) {
                .captured
            } else if step.stay >= 0 || !step.moves.isEmpty {
                .passedOver
            } else {
                .broken
            }
        note(index, happening, now, truth)
    }

    /// Notes that a run has ended without an event of its own.
    @usableFromInline
    mutating func recordEnd(_ index: Int32, _ happening: PatternTracer.Happening) {
        note(index, happening, now, nil)
    }

    @inlinable
    mutating func nameGroup<Key>(_ slot: UInt32, _ key: Key) {
        if trace != nil { setName("\(key)", of: Int(slot)) }
    }

    @usableFromInline
    mutating func setName(_ name: String, of slot: Int) {
        while groupNames.count <= slot { groupNames.append("") }
        groupNames[slot] = name
    }

    private func note(_ index: Int32, _ happening: PatternTracer.Happening, _ time: Timestamp, _ truth: UInt64?) {
        let run = store.runs[Int(index)]
        let stage = table.automaton.states[Int(run.state)].capture
        let slot = Int(store.families[Int(run.family)].slot)
        let key = slot < groupNames.count ? groupNames[slot] : ""
        trace?.record(of: key) {
            var match = FoundMatch<Element>()
            paths.read(run.node, into: &match)
            let relevant = table.relevant[Int(run.state)]
            let conditions = plan.conditions.indices.filter { truth != nil && relevant & 1 << UInt64($0) != 0 }
            return PatternTracer.Entry(
                key: key,
                start: store.families[Int(run.family)].start,
                time: time,
                happening: happening,
                stage: stage >= 0 ? plan.captures[stage] : "one of several",
                conditions: conditions.map {
                    PatternTracer.Condition(
                        text: plan.conditions[$0].text,
                        held: (truth ?? 0) & 1 << UInt64($0) != 0
                    )
                },
                captured: match.entries.map {
                    PatternTracer.Captured(stage: plan.captures[$0.capture], event: "\($0.element)")
                }
            )
        }
    }
}
