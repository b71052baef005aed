extension PatternPlan {
    /// Checks a plan.
    ///
    /// - Throws: ``PatternError`` for the first rule that it breaks.
    package func check() throws(PatternError) {
        guard !stages.isEmpty else { throw .empty }
        guard conditions.count <= 64 else { throw .tooManyConditions(conditions.count) }
        var names = Set<String>()
        for name in captures where !names.insert(name).inserted { throw .duplicateName(name) }
        try Self.check(stages)
        for bound in [within, neighbours, quiet?.duration] {
            if let bound, bound <= 0 { throw .invalidDuration(stage: stages[0].name) }
        }
        if let within { try Self.checkGaps(stages, within) }
        guard Self.size(of: stages) <= Self.greatestSize else { throw .tooLarge(limit: Self.greatestSize) }
        if let last = stages.last, last.contiguity == .notFollowedBy, within == nil, neighbours == nil,
            !last.hasDuration
        {
            throw .unboundedNegation(stage: last.name)
        }
        let builder = AutomatonBuilder(self)
        guard !builder.isTooLarge else { throw .tooManyStates(limit: AutomatonBuilder.greatestSize) }
        if builder.automaton.hasEndlessProceeding { throw .endlessLoop(stage: stages[0].name) }
    }

    /// How large a pattern may be: a definition that comes from outside must not take all memory.
    static let greatestSize = 1 << 16

    /// How many events stages are about once loops that are counted are written out, as they are in the automaton;
    /// no more than is needed to say that they are too many.
    private static func size(of stages: [PlanStage]) -> Int {
        let most = greatestSize + 1
        var size = 0
        for stage in stages {
            let once =
                switch stage.content {
                case .event: 1
                case .group(let stages): Self.size(of: stages)
                case .either(let alternatives): alternatives.reduce(0) { $0 + Self.size(of: $1) }
                // Each set of events, and each event that may come next.
                case .allOf(let stages): (stages.count + 2) << (stages.count - 1)
                }
            let times = max(stage.quantifier.least, stage.quantifier.most ?? 1)
            size = min(size + min(once, most) * min(times, most), most)
        }
        return size
    }

    private static func check(_ stages: [PlanStage]) throws(PatternError) {
        for (index, stage) in stages.enumerated() {
            let previous = index > 0 ? stages[index - 1] : nil
            if index == 0, stage.isNegation { throw .wrongBeginning(stage: stage.name) }
            if index > 0, stage.contiguity == .first { throw .beginsAgain(stage: stage.name) }
            if let gap = stage.gap, gap <= 0 { throw .invalidDuration(stage: stage.name) }
            if let previous, stage.isNegation, previous.quantifier.isOptional {
                throw .optionalBeforeNegation(stage: previous.name)
            }
            try check(stage)
        }
    }

    private static func check(_ stage: PlanStage) throws(PatternError) {
        let quantifier = stage.quantifier
        var isEvent = false
        if case .event = stage.content { isEvent = true }
        if stage.isNegation {
            guard isEvent, quantifier == PlanQuantifier(), stage.until == nil else {
                throw .quantifiedNegation(stage: stage.name)
            }
        }
        if quantifier.least < 1 || quantifier.most.map({ $0 < quantifier.least }) ?? false {
            throw .invalidCount(stage: stage.name, least: quantifier.least, most: quantifier.most)
        }
        if quantifier.isGreedy, !isEvent || quantifier.inner == .combinations {
            throw .cannotBeGreedy(stage: stage.name)
        }
        if stage.until != nil, quantifier.most != nil { throw .untilWithoutLoop(stage: stage.name) }
        switch stage.content {
        case .event: break
        case .group(let stages):
            guard !stages.isEmpty else { throw .emptyGroup(stage: stage.name) }
            try check(stages)
        case .either(let alternatives):
            guard alternatives.count > 1 else { throw .emptyGroup(stage: stage.name) }
            for stages in alternatives {
                guard !stages.isEmpty else { throw .emptyGroup(stage: stage.name) }
                try check(stages)
            }
        case .allOf(let stages):
            guard stages.count > 1 else { throw .emptyGroup(stage: stage.name) }
            guard stages.count <= 8 else { throw .notAnAlternative(stage: stages[8].name) }
            for stage in stages {
                let isJoined = stage.contiguity == .first || stage.contiguity == .followedBy
                guard case .event = stage.content, stage.quantifier == PlanQuantifier(), isJoined,
                    stage.until == nil, stage.gap == nil
                else {
                    throw .notAnAlternative(stage: stage.name)
                }
            }
        }
    }

    private static func checkGaps(_ stages: [PlanStage], _ within: Int64) throws(PatternError) {
        for stage in stages {
            if let gap = stage.gap, gap > within { throw .gapLongerThanWindow(stage: stage.name) }
            switch stage.content {
            case .event: break
            case .group(let stages), .allOf(let stages): try checkGaps(stages, within)
            case .either(let alternatives):
                for stages in alternatives { try checkGaps(stages, within) }
            }
        }
    }
}
