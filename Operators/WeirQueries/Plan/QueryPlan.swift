public import WeirRecords

/// The type of a field of a query.
public typealias QueryType = QuerySchema.FieldType

/// What to look for in records: what a query language compiles a text to.
///
/// Thread safety: a value.
public struct QueryPlan: Sendable, Hashable {
    /// A field that is read.
    public struct Field: Sendable, Hashable {
        /// The name in the records, with dots for objects in objects.
        public var name: String

        /// The type as which it is read; `nil` where it is what each record shows.
        public var type: QueryType?

        /// Whether the query says that records may lack it.
        public var isOptional: Bool

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name in the records, with dots for objects in objects.
        ///   - type: The type as which it is read; `nil` where it is what each record shows.
        ///   - isOptional: Whether the query says that records may lack it.
        public init(_ name: String, type: QueryType? = nil, isOptional: Bool = false) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
        }
    }

    /// A condition on one event.
    public struct Step: Sendable, Hashable {
        /// The category that the event must have; `nil` for any.
        public var category: String?

        /// The condition; `nil` where the category is enough.
        public var condition: QueryTerm?

        /// What must be the same in all steps: a key for each, in the same order in all steps.
        public var keys: [Key]

        /// How often in a row of the sequence it has to occur; at least 1.
        public var runs: Int

        /// Whether it must not occur.
        public var isMissing: Bool

        /// Creates a step.
        ///
        /// - Parameters:
        ///   - category: The category that the event must have; `nil` for any.
        ///   - condition: The condition; `nil` where the category is enough.
        ///   - keys: What must be the same in all steps.
        ///   - runs: How often it has to occur; at least 1.
        ///   - isMissing: Whether it must not occur.
        public init(
            category: String? = nil,
            condition: QueryTerm? = nil,
            keys: [Key] = [],
            runs: Int = 1,
            isMissing: Bool = false
        ) {
            precondition(runs >= 1, "a step occurs at least once, not \(runs) times")
            self.category = category
            self.condition = condition
            self.keys = keys
            self.runs = runs
            self.isMissing = isMissing
        }
    }

    /// A value that events of a sequence or sample share.
    public struct Key: Sendable, Hashable {
        /// The index of the field in ``QueryPlan/fields``.
        public var field: Int

        /// Whether events without it belong together; otherwise they are left out.
        public var acceptsMissing: Bool

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - field: The index of the field in ``QueryPlan/fields``.
        ///   - acceptsMissing: Whether events without it belong together.
        public init(field: Int, acceptsMissing: Bool = false) {
            self.field = field
            self.acceptsMissing = acceptsMissing
        }
    }

    /// Events one after the other.
    public struct Sequence: Sendable, Hashable {
        /// The steps; at least one is not missing.
        public var steps: [Step]

        /// What ends the pending matches of its keys; its `runs` is 1.
        public var until: Step?

        /// The longest time from the first event to the last, in nanoseconds, itself included; `nil` for no bound.
        public var maxSpan: Int64?

        /// Creates a sequence.
        ///
        /// - Parameters:
        ///   - steps: The steps; at least one is not missing.
        ///   - until: What ends the pending matches of its keys.
        ///   - maxSpan: The longest time from the first event to the last, in nanoseconds, itself included.
        public init(_ steps: [Step], until: Step? = nil, maxSpan: Int64? = nil) {
            self.steps = steps
            self.until = until
            self.maxSpan = maxSpan
        }
    }

    /// What is looked for.
    public enum Situation: Sendable, Hashable {
        /// One event.
        case event(Step)
        /// Events one after the other.
        case sequence(Sequence)
        /// Different events with the same keys, in any order.
        case sample([Step])
    }

    /// What is done with the matches.
    public enum Pipe: Sendable, Hashable {
        /// Keeps the first matches.
        case head(Int)
        /// Keeps the last matches; they leave at the end of the input.
        case tail(Int)
        /// Counts the matches, by terms over their first event, or all of them; the counts leave at the end of the input.
        case count([QueryTerm])
        /// Keeps the first match of each value of terms over its first event.
        case unique([QueryTerm])
        /// Sorts the matches by terms over their first event; they leave at the end of the input.
        case sort([QueryTerm])
    }

    /// The fields that are read.
    public var fields: [Field]

    /// What is looked for.
    public var situation: Situation

    /// What is done with the matches, in this order.
    public var pipes: [Pipe]

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - fields: The fields that are read.
    ///   - situation: What is looked for.
    ///   - pipes: What is done with the matches, in this order.
    public init(fields: [Field], situation: Situation, pipes: [Pipe] = []) {
        self.fields = fields
        self.situation = situation
        self.pipes = pipes
    }
}
