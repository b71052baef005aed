import WeirQueries

/// A query as it was written.
struct SyntaxTree {
    /// A condition on one event: `category where condition`.
    struct Filter {
        /// The category; `nil` for `any`.
        var category: String?
        /// Where the category is.
        var categoryRange: Range<Int>
        /// What the event must satisfy.
        var condition: Condition
    }

    /// One step of a sequence or sample.
    struct Step {
        var filter: Filter
        /// What is written in the step's `by`.
        var keys: [FieldName] = []
        var runs = 1
        var isMissing = false
        /// Where it is, from the first bracket to the last.
        var range: Range<Int>
    }

    /// What is looked for.
    enum Situation {
        case event(Filter)
        case sequence(keys: [FieldName], maxSpan: Int64?, [Step], until: Step?)
        case sample(keys: [FieldName], [Step])
    }

    /// What is done with the matches.
    enum Pipe {
        case head(Int)
        case tail(Int)
        case count([Condition])
        case unique([Condition])
        case sort([Condition])
    }

    var situation: Situation
    /// Where the situation is written.
    var range: Range<Int>
    var pipes: [Pipe]
}
