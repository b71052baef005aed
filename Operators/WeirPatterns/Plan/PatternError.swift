internal import WeirCore
public import WeirExpressions

/// Why a pattern cannot be built.
public enum PatternError: Error, Sendable, Hashable {
    /// There is no stage.
    case empty
    /// Two stages have the same name.
    case duplicateName(String)
    /// The first stage of a pattern or of a group joins something before it, or forbids something.
    case wrongBeginning(stage: String)
    /// A stage that is not the first does not say how it joins what is before it.
    case beginsAgain(stage: String)
    /// A stage that can be left out stands directly before a negation.
    case optionalBeforeNegation(stage: String)
    /// A negation has a quantifier or a condition that ends a loop, or is a group.
    case quantifiedNegation(stage: String)
    /// A negation at the end has no bound in time.
    case unboundedNegation(stage: String)
    /// A number of times is not positive, or the least is greater than the greatest.
    case invalidCount(stage: String, least: Int, most: Int?)
    /// A stage that is not a loop is greedy, or says how the events of its loop follow each other.
    case notALoop(stage: String)
    /// A group, or a loop of combinations, is greedy.
    case cannotBeGreedy(stage: String)
    /// A stage that can be left out stands directly behind a greedy one.
    case optionalAfterGreedy(stage: String)
    /// A condition ends a loop that has an end already.
    case untilWithoutLoop(stage: String)
    /// A duration is not positive.
    case invalidDuration(stage: String)
    /// Neighbours may be further apart than the first event and the last.
    case gapLongerThanWindow(stage: String)
    /// Behind a negation in the middle that has a duration there is no stage with `followedBy` or `followedByAny` that must
    /// match.
    case durationWithoutStage(stage: String)
    /// What must not have come before the first event cannot be looked for.
    case invalidQuiet(reason: String)
    /// There is no stage of that name, or no stage before that captures anything.
    case unknownStage(String)
    /// A group, or an alternative, has no stage.
    case emptyGroup(stage: String)
    /// Something stands in `allOf` that cannot: anything but a single event that is to come, with nothing else said of it,
    /// or more than 8 of those.
    case notAnAlternative(stage: String)
    /// A stage of a definition is said to be more than one of an event with a condition, a group, `either` and `allOf`.
    case severalContents(stage: String)
    /// A condition on captures is asked of a group.
    case conditionOfGroup(stage: String)
    /// A group that is repeated can match without an event.
    case endlessLoop(stage: String)
    /// With its counted loops written out the pattern has too many events.
    case tooLarge(limit: Int)
    /// The automaton of the pattern has too many states and edges, as many stages can be left out behind a negation.
    case tooManyStates(limit: Int)
    /// There are more than 64 different conditions.
    case tooManyConditions(Int)
    /// A condition does not fit the schema.
    case invalidCondition(stage: String, SchemaError)
    /// The pattern needs the runs strategy, and the compact one was asked for.
    case notCompact(reason: String)
    /// A ``PatternSet`` has a rule of that name already.
    case duplicateRule(String)
    /// A ``PatternSet`` has no rule of that name to replace.
    case unknownRule(String)
}

extension PatternError: CustomStringConvertible {
    /// What is wrong, and where, in one line.
    public var description: String { Excerpt.line(words) }

    private var words: String {
        switch self {
        case .empty: "a pattern needs a stage"
        case .duplicateName(let name): "two stages are called '\(name)'; rename one"
        case .wrongBeginning(let stage): "the stage '\(stage)' is the first one, and can only begin the pattern"
        case .beginsAgain(let stage): "the stage '\(stage)' is not the first one; say how it joins what is before it"
        case .optionalBeforeNegation(let stage):
            "the stage '\(stage)' can be left out, and so cannot stand before a negation; write two patterns"
        case .quantifiedNegation(let stage): "the negation '\(stage)' can have no quantifier and no group"
        case .unboundedNegation(let stage): "the negation '\(stage)' at the end needs 'within' to come true"
        case .invalidCount(let stage, let least, let most):
            least == most
                ? "the stage '\(stage)' cannot match \(least) times"
                : "the stage '\(stage)' cannot match \(least) to \(most.map(String.init) ?? "any number of") times"
        case .notALoop(let stage): "the stage '\(stage)' matches once; only a loop can be greedy or consecutive"
        case .cannotBeGreedy(let stage): "the stage '\(stage)' is a group or has combinations, and so cannot be greedy"
        case .optionalAfterGreedy(let stage):
            "the stage '\(stage)' can be left out, and so cannot stand behind a greedy one"
        case .untilWithoutLoop(let stage): "the stage '\(stage)' has an end, and so needs no 'until'"
        case .invalidDuration(let stage): "the time for '\(stage)' is not positive"
        case .gapLongerThanWindow(let stage): "the time before '\(stage)' is longer than that for the whole match"
        case .durationWithoutStage(let stage):
            "behind '\(stage)', which has a duration, a stage with followedBy must follow that cannot be left out"
        case .invalidQuiet(let reason): "'notPreceded' \(reason)"
        case .unknownStage(let name): "there is no stage '\(name)' here that captures events"
        case .emptyGroup(let stage): "the group '\(stage)' has no stage"
        case .notAnAlternative(let stage):
            "the stage '\(stage)' cannot stand in 'allOf', which takes up to 8 single events"
        case .severalContents(let stage):
            "the stage '\(stage)' can have one of 'where', 'group', 'either' and 'allOf'; leave out the others"
        case .endlessLoop(let stage): "the group '\(stage)' is repeated, and can match without an event"
        case .conditionOfGroup(let stage):
            "the group '\(stage)' has no condition of its own; ask it of a stage of the group"
        case .tooLarge(let limit):
            "a pattern can ask for \(limit) events, its counted loops written out, and no more; ask for fewer repetitions"
        case .tooManyStates(let limit):
            "the pattern needs more than \(limit) states and edges; let fewer stages be left out behind a negation"
        case .tooManyConditions(let count): "a pattern can have 64 different conditions, not \(count)"
        case .invalidCondition(let stage, let error): "the condition of '\(stage)' is wrong: \(error)"
        case .notCompact(let reason): "the compact strategy cannot evaluate this pattern: \(reason)"
        case .duplicateRule(let name): "the set has a rule '\(name)'; replace it, or choose another name"
        case .unknownRule(let name): "the set has no rule '\(name)' to replace; add it"
        }
    }
}
