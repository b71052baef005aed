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

    /// For each stage the place of its event in a match.
    let placesOfStages: [Int]

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
        placesOfStages = stages.indices.map { stage in places.firstIndex(of: stage) ?? 0 }
        until = sequence.until.map { step(sequence.steps.count, $0) }
        maxSpan = sequence.maxSpan
        isPlain =
            sequence.until == nil && stages.count <= 64 && sequence.steps.allSatisfy { !$0.isMissing && $0.runs == 1 }
    }

    /// Whether there is nothing but up to 64 steps, each of which is a stage.
    let isPlain: Bool

    /// Whether something must not occur between two events.
    let hasInner: Bool

    /// Whether something must not occur before the first event.
    let hasLeading: Bool

    /// Whether something must not occur behind the last event.
    let hasTrailing: Bool

    /// The time between two times, or the longest there is.
    static func distance(from first: Int64, to last: Int64) -> Int64 {
        let (span, overflow) = last.subtractingReportingOverflow(first)
        return overflow ? (last > first ? .max : .min) : span
    }
}
