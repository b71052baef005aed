public import WeirExpressions

/// Stands for the event of a stage in a condition that looks at captures: its properties are values to compare.
@frozen
@dynamicMemberLookup
public struct StageRow<Root: Sendable>: Sendable {
    @usableFromInline let source: StageSource

    @inlinable
    init(_ source: StageSource) {
        self.source = source
    }

    /// A property of the event.
    ///
    /// - Parameter keyPath: The property.
    @inlinable
    public subscript<Value: Sendable>(dynamicMember keyPath: SendableKeyPath<Root, Value>) -> StageValue<Root, Value> {
        StageValue(source, Field(keyPath))
    }

    /// The value of any expression on the event.
    ///
    ///     begun.followedBy.on { first, second in second { $0.isFaceToFace && $0.amount < 10 } || first.amount > 10 }
    ///
    /// - Parameter expression: Takes a row that stands for the event, and returns the expression; called once.
    /// - Returns: Its value.
    @inlinable
    public func callAsFunction<Expression: ElementExpression>(
        _ expression: (Row<Root>) -> Term<Expression>
    ) -> StageValue<Root, Expression.Value> where Expression.Root == Root, Expression.Value: Sendable {
        StageValue(source, expression(Row()).expression)
    }
}

/// Which event of a stage is looked at.
@frozen
@usableFromInline
enum StageSource: Sendable, Hashable {
    // The event that is being looked at.
    case event
    // The event that a stage captured first, or last, with the stage's name.
    case first(Int, String)
    case last(Int, String)

    @usableFromInline var captures: [Int] {
        switch self {
        case .event: []
        case .first(let capture, _), .last(let capture, _): [capture]
        }
    }

    @usableFromInline
    func text(of value: String, isWhole: Bool) -> String {
        let value = isWhole || self == .event ? value : "(\(value))"
        return switch self {
        case .event: value
        case .first(_, let stage): "first(\(stage)).\(value)"
        case .last(_, let stage): "\(stage).\(value)"
        }
    }
}

/// Stands for the events of a loop in a condition that looks at captures.
///
/// In a condition of the loop itself these are the events so far, with the one that is being looked at as the last.
@dynamicMemberLookup
public struct LoopRow<Root: Sendable> {
    let capture: Int
    let name: String
    let scope: StageScope<Root>
    // Whether the event that is being looked at is one of them.
    let isCurrent: Bool

    init(_ capture: Int, _ name: String, _ scope: StageScope<Root>, isCurrent: Bool) {
        self.capture = capture
        self.name = name
        self.scope = scope
        self.isCurrent = isCurrent
    }

    /// How many events there are.
    public var count: StageValue<Root, Int> {
        summary(AnyIdentity("count"), "count(\(name))", { _ in .real(0) }) { $0.count }
    }

    /// The events before the one that is being looked at.
    ///
    ///     begun
    ///         .followedBy.where { $0.amount > 0 }.times(1...)
    ///         .on { _, loop in loop.amount.last > 2 * loop.before.amount.mean }
    public var before: LoopRow { LoopRow(capture, name, scope, isCurrent: false) }

    /// A property of the events.
    ///
    /// - Parameter keyPath: The property.
    public subscript<Value: Sendable>(dynamicMember keyPath: SendableKeyPath<Root, Value>) -> LoopValue<Root, Value> {
        LoopValue(self, Field(keyPath))
    }

    func summary<Result: Sendable>(
        _ value: AnyIdentity,
        _ text: String,
        _ number: @escaping @Sendable (borrowing Root) -> FieldValue,
        _ result: @escaping @Sendable (SummaryState) -> Result?
    ) -> StageValue<Root, Result> {
        let index = scope.index(of: PlanAggregate(capture: capture, value: number), value)
        let isCurrent = isCurrent
        return StageValue(
            isCurrent ? text : text.replacing("(\(name)", with: "(\(name) before"),
            AnyIdentity([AnyIdentity(text), AnyIdentity(index), AnyIdentity(isCurrent)]),
            [capture]
        ) { element, captures in
            let state = captures.summary(index)
            return result(isCurrent ? state.adding(number(element)) : state)
        }
    }
}

/// Stands for the stages of a group in a condition that looks at captures.
public struct GroupRow<Root: Sendable> {
    private let slots: CaptureSlots
    private let index: Int
    private let scope: StageScope<Root>

    init(_ slots: CaptureSlots, _ index: Int, _ scope: StageScope<Root>) {
        self.slots = slots
        self.index = index
        self.scope = scope
    }

    /// The events of a stage of the group, as those of a loop.
    ///
    /// - Parameter stage: The name of the stage; it traps if the group has none of that name.
    public subscript(stage: String) -> LoopRow<Root> {
        guard let place = slots.names[index].firstIndex(of: stage) else {
            preconditionFailure("the group has no stage '\(stage)'")
        }
        return LoopRow(slots.capture(index) + place, stage, scope, isCurrent: false)
    }
}

/// What conditions of a pattern look at that is kept up to date along partial matches.
public final class StageScope<Root: Sendable> {
    private(set) var aggregates: [PlanAggregate<Root>]
    private(set) var known: [AnyIdentity: Int]

    @usableFromInline
    init(_ draft: PatternDraft<Root>) {
        aggregates = draft.table.aggregates
        known = draft.aggregates
    }

    /// The number of an aggregate.
    func index(of aggregate: PlanAggregate<Root>, _ value: AnyIdentity) -> Int {
        let identity = AnyIdentity([AnyIdentity(aggregate.capture), value])
        if let index = known[identity] { return index }
        aggregates.append(aggregate)
        known[identity] = aggregates.count - 1
        return aggregates.count - 1
    }
}
