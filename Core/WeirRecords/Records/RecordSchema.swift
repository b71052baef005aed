/// How an input writes times.
public enum TimeUnit: String, Sendable, CaseIterable {
    /// Seconds since the epoch, or since any other zero.
    case seconds = "s"
    /// Thousandths of a second.
    case milliseconds = "ms"
    /// Millionths of a second.
    case microseconds = "us"
    /// Billionths of a second.
    case nanoseconds = "ns"

    /// How many nanoseconds one of the unit is.
    public var nanoseconds: Int64 {
        switch self {
        case .seconds: 1_000_000_000
        case .milliseconds: 1_000_000
        case .microseconds: 1_000
        case .nanoseconds: 1
        }
    }
}

/// What a consumer wants of each record: which fields, and how the input writes times.
///
/// A decoder resolves the names once, against the header or the first record, and afterwards fills only these fields.
public struct RecordSchema: Sendable, Hashable {
    /// One field that is wanted.
    public struct Field: Sendable, Hashable {
        /// The name in the input.
        public var name: String

        /// Whether an input whose header lacks the field is refused.
        public var isRequired: Bool

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name in the input.
        ///   - isRequired: Whether an input whose header lacks the field is refused.
        public init(_ name: String, isRequired: Bool = true) {
            self.name = name
            self.isRequired = isRequired
        }
    }

    /// The fields that are wanted, in the order of the keys' raw values.
    public var fields: [Field]

    /// What a time that is written as a bare number counts.
    public var timeUnit: TimeUnit

    /// How the input writes its times, where more is known of that than ``timeUnit``.
    public package(set) var times: InputTimes?

    /// The index of the field that is a record's event time; `nil` where the consumer does not say.
    ///
    /// A host needs it to merge several inputs, and to say how far the input is.
    public var timeField: Int?

    /// Whether the consumer refuses each record whose time is before that of any earlier record, whatever it is about,
    /// and even if that was refused for something else.
    ///
    /// A host that spreads records over several consumers has to refuse them itself then: none of those sees all.
    public var isOrdered: Bool

    /// Whether the consumer refuses each record whose time is before that of an earlier record of the same group.
    ///
    /// The times of different groups then have nothing to do with each other, as in recordings one after the other.
    public var isOrderedInGroups = false

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - fields: The fields that are wanted, in the order of the keys' raw values.
    ///   - timeUnit: What a time that is written as a bare number counts.
    ///   - timeField: The index of the field that is a record's event time, where there is one.
    ///   - isOrdered: Whether the consumer refuses each record whose time is before that of any earlier record.
    public init(
        fields: [Field],
        timeUnit: TimeUnit = .milliseconds,
        timeField: Int? = nil,
        isOrdered: Bool = false
    ) {
        precondition(timeField.map(fields.indices.contains) ?? true, "there is no field \(timeField ?? -1)")
        precondition(!isOrdered || timeField != nil, "records without a time have no order")
        self.fields = fields
        self.timeUnit = timeUnit
        self.timeField = timeField
        self.isOrdered = isOrdered
    }

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - fields: The fields that are wanted, in the order of the keys' raw values.
    ///   - times: How the input writes its times.
    ///   - timeField: The index of the field that is a record's event time, where there is one.
    ///   - isOrdered: Whether the consumer refuses each record whose time is before that of any earlier record.
    public init(fields: [Field], times: InputTimes, timeField: Int? = nil, isOrdered: Bool = false) {
        self.init(
            fields: fields,
            timeUnit: times.unit ?? .milliseconds,
            timeField: timeField,
            isOrdered: isOrdered
        )
        self.times = times
    }

    /// Creates the schema of the keys, under their own names.
    ///
    /// - Parameters:
    ///   - keys: The keys; their raw values must count from zero in the order of the cases.
    ///   - timeUnit: What a time that is written as a bare number counts.
    public init<Key: FieldKey>(_ keys: Key.Type, timeUnit: TimeUnit = .milliseconds) {
        self.init(fields: Key.allCases.map { Field($0.fieldName) }, timeUnit: timeUnit)
        for (index, key) in Key.allCases.enumerated() {
            precondition(
                key.rawValue == index,
                "the raw values of \(Key.self) must count from 0; \(key) is \(key.rawValue)"
            )
        }
    }
}
