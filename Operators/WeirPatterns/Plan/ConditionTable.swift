public import WeirCore

/// The conditions of a plan for one type of events.
///
/// The position of a condition is its ``ConditionID``. A strategy that only looks at unary conditions uses
/// ``unary``, and need not know captures at all.
public struct ConditionTable<Element: Sendable>: Sendable {
    /// A condition on the current event.
    public typealias Unary = @Sendable (borrowing Element) -> Bool

    /// A condition on the current event and on what a partial match has captured so far.
    public typealias Contextual = @Sendable (borrowing Element, borrowing Captures<Element>) -> Bool

    /// The conditions that are unary; one that always holds stands in for the others.
    public var unary: [Unary] { unaryConditions.map(\.holds) }

    @usableFromInline var unaryConditions: [UnaryCondition<Element>]

    /// What is known of conditions that are expressions on the event.
    @usableFromInline var hints: [ConditionID: ConditionHint<Element>] = [:]

    /// The conditions that are not unary; `nil` for the others.
    public var contextual: [Contextual?]

    /// The hashed value of the current event that an equality compares; `nil` without ``PlanCondition/equality``.
    public var keyOfEvent: [(@Sendable (borrowing Element) -> UInt64)?]

    /// The hashed value of a captured event that an equality compares; `nil` without ``PlanCondition/equality``.
    public var keyOfCapture: [(@Sendable (borrowing Element) -> UInt64)?]

    /// What conditions look at that is accumulated along partial matches.
    public var aggregates: [PlanAggregate<Element>]

    /// When stages that wait for a schedule are over: the time that follows another one, `nil` for never.
    public var schedules: [@Sendable (Timestamp) -> Timestamp?]

    /// Creates an empty table.
    public init() {
        schedules = []
        aggregates = []
        unaryConditions = []
        contextual = []
        keyOfEvent = []
        keyOfCapture = []
    }

    /// Appends a condition on the event alone.
    @inlinable
    public mutating func append(_ condition: @escaping Unary) {
        unaryConditions.append(UnaryCondition(condition))
        contextual.append(nil)
        keyOfEvent.append(nil)
        keyOfCapture.append(nil)
    }

    /// Appends a condition on the event and the captures.
    public mutating func append(
        contextual condition: @escaping Contextual,
        keyOfEvent: (@Sendable (borrowing Element) -> UInt64)? = nil,
        keyOfCapture: (@Sendable (borrowing Element) -> UInt64)? = nil
    ) {
        unaryConditions.append(UnaryCondition { _ in true })
        contextual.append(condition)
        self.keyOfEvent.append(keyOfEvent)
        self.keyOfCapture.append(keyOfCapture)
    }
}

/// A condition on an event, in a form that an array does not wrap in further closures.
@frozen
@usableFromInline
struct UnaryCondition<Element: Sendable>: Sendable {
    @usableFromInline let holds: ConditionTable<Element>.Unary

    @inlinable
    init(_ holds: @escaping ConditionTable<Element>.Unary) {
        self.holds = holds
    }
}
