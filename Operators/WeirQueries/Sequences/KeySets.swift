/// The different keys of the steps of a rule.
struct KeySets: Sendable {
    /// The fields of each.
    let sets: [[QueryPlan.Key]]

    /// For each of them the steps that have it.
    private let stepsOfSets: [StepBits]

    init(_ plan: QueryPlan) {
        let steps = plan.situation.steps
        var sets: [[QueryPlan.Key]] = []
        for step in steps where !sets.contains(step.keys) { sets.append(step.keys) }
        self.sets = sets
        stepsOfSets = sets.map { set in
            var bits = StepBits()
            for (index, step) in steps.enumerated() where step.keys == set { bits[index] = true }
            return bits
        }
    }

    /// The steps of a sample, as its engine has them.
    func steps(_ steps: [QueryPlan.Step]) -> [SequenceShape.Step] {
        steps.enumerated().map { index, step in
            SequenceShape.Step(condition: index, keys: sets.firstIndex(of: step.keys) ?? 0)
        }
    }

    /// For each key of an event the steps that have it and are satisfied, in the order of the keys of the last step.
    func steps(of keys: [[EventKey]], _ satisfied: StepBits) -> [(key: EventKey, steps: StepBits)] {
        var all: [(key: EventKey, steps: StepBits)] = []
        var places: [EventKey: Int] = [:]
        for set in keys.indices.reversed() {
            for key in keys[set] {
                let place = keys.count == 1 ? all.count : places[key] ?? all.count
                if place == all.count {
                    all.append((key, StepBits()))
                    if keys.count > 1 { places[key] = place }
                }
                all[place].steps.add(satisfied, in: stepsOfSets[set])
            }
        }
        return all.filter { !$0.steps.isEmpty }
    }
}
