extension PatternPlan {
    /// Creates a plan that emits every match.
    ///
    /// - Parameters:
    ///   - stages: The stages, in the order in which they match.
    ///   - captures: The names of the captures.
    ///   - conditions: What is known about each condition.
    ///   - within: How long a match may last, in nanoseconds; exclusive.
    public init(
        stages: [PlanStage],
        captures: [String],
        conditions: [PlanCondition],
        within: Int64? = nil
    ) {
        self.stages = stages
        self.captures = captures
        self.conditions = conditions
        self.within = within
        afterMatch = .noSkip
        selection = .all
        quiet = nil
    }
}
