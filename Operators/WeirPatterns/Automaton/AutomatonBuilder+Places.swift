/// Where a stage stands.
extension AutomatonBuilder {
    /// The group that a sequence of stages belongs to.
    struct Enclosing {
        // How the first stage joins what is before it.
        var contiguity: Contiguity
        // What ends the loop of the group, and the loops that the group is in.
        var until: [ConditionID]
        // How long after the event before it the first event must come, in nanoseconds.
        var gap: Int64?
        // The negations that hold until the first event.
        var negations: [PlanStage]
        // The negation behind a loop that a round of it waits for its first event with.
        var negationBehind: PlanStage?
        // Whether this is the copy of the group that its loop begins with.
        var isFirstRound: Bool
        // Whether an event can go on to what is behind the group instead.
        var isPassedBy: Bool
    }

    /// Stages that follow each other.
    struct Neighbours {
        let stages: [PlanStage]
        /// For each stage the last one before it that cannot be left out, or is a negation; -1 if there is none.
        let landmarks: [Int]

        init(_ stages: [PlanStage]) {
            self.stages = stages
            var last = -1
            landmarks = stages.indices.map { index in
                defer { if !stages[index].canBeLeftOut { last = index } }
                return last
            }
        }
    }

    /// A stage among its neighbours.
    struct Place {
        var neighbours: Neighbours
        var index: Int
        var enclosing: Enclosing?
        // What comes after the last of the stages.
        var after: PlanStage?

        var stages: [PlanStage] { neighbours.stages }
        var stage: PlanStage { stages[index] }
        var following: PlanStage? { index + 1 < stages.count ? stages[index + 1] : after }
        var isHeadOfGroup: Bool { enclosing != nil && index == 0 }

        /// Whether the stage begins the first round of a group that can be passed by.
        var isHeadOfPassedGroup: Bool {
            guard isHeadOfGroup, let enclosing else { return false }
            return enclosing.isFirstRound && enclosing.isPassedBy
        }

        /// How long after the event before it the next one must come, in nanoseconds.
        var gap: Int64? {
            let outer = isHeadOfGroup ? enclosing?.gap : nil
            return [stage.gap, outer].compactMap(\.self).min()
        }
    }
}
