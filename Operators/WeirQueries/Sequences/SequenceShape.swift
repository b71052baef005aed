/// A sequence with its runs written out: stages that events pass one after the other, and what must not lie between.
struct SequenceShape: Sendable {
    /// A step of the sequence, or what ends it, and the keys of its events.
    struct Step: Sendable {
        /// The index of its condition among those of the rule.
        let condition: Int
        /// The index of its keys among those of the rule.
        let keys: Int
    }

    /// What an event has to be, stage by stage.
    let stages: [Step]

    /// What must not occur before a stage, for each of them, and behind the last one.
    let missing: [[Step]]

    /// What ends pending matches.
    let until: Step?

    /// The longest time from the first event to the last in nanoseconds.
    let maxSpan: Int64?

    /// For each place of a match the stage whose event stands there; `nil` where something is missing.
    let places: [Int?]

    /// Creates the shape.
    ///
    /// - Parameters:
    ///   - sequence: The sequence; the conditions are numbered in the order of its steps, that of `until` behind them.
    ///   - keySets: The different keys of the rule.
    init(_ sequence: QueryPlan.Sequence, _ keySets: [[QueryPlan.Key]]) {
        var stages: [Step] = []
        var missing: [[Step]] = [[]]
        var places: [Int?] = []
        func step(_ index: Int, _ step: QueryPlan.Step) -> Step {
            Step(condition: index, keys: keySets.firstIndex(of: step.keys) ?? 0)
        }
        for (index, each) in sequence.steps.enumerated() {
            if each.isMissing {
                missing[missing.count - 1].append(step(index, each))
                places += Array(repeating: nil, count: each.runs)
            } else {
                for _ in 0..<each.runs {
                    places.append(stages.count)
                    stages.append(step(index, each))
                    missing.append([])
                }
            }
        }
        precondition(!stages.isEmpty, "a sequence has a step that is not missing")
        self.stages = stages
        self.missing = missing
        hasLeading = !missing[0].isEmpty
        hasTrailing = !missing[stages.count].isEmpty
        hasInner = missing.dropFirst().dropLast().contains { !$0.isEmpty }
        self.places = places
        until = sequence.until.map { step(sequence.steps.count, $0) }
        maxSpan = sequence.maxSpan
    }

    /// Whether something must not occur between two events.
    let hasInner: Bool

    /// Whether something must not occur before the first event.
    let hasLeading: Bool

    /// Whether something must not occur behind the last event.
    let hasTrailing: Bool
}

/// Events that satisfy a query.
struct FoundMatch<Payload: Sendable>: Sendable {
    /// The values that they share, as ``KeyEncoding`` writes them.
    let key: [UInt8]
    /// The events; `nil` where one is missing.
    let events: [Payload?]
    /// When it was certain: the time of the last event, or when nothing more could occur that must not.
    let time: Int64
}
