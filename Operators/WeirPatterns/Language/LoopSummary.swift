public import WeirExpressions

/// A summary of a value over the events that a loop has taken so far, without the one that is being looked at.
///
///     Pattern<Purchase>.first(\.amount > 500).followedBy(.oneOrMore, sumSoFar(of: \.amount) < 1000)
///
/// It is kept up to date with each event that is taken: looking at it costs nothing more, however long the loop.
public struct LoopSummary<Root: Sendable>: Sendable {
    private let text: String
    private let value: @Sendable (borrowing Root) -> FieldValue
    // Nil where there is none, such as the mean of nothing.
    private let result: @Sendable (SummaryState) -> Double?

    fileprivate init<Value: ElementExpression>(
        _ function: CapturedSummary.Function,
        _ value: Value
    ) where Value.Root == Root, Value.Value == Double {
        text = "\(function.rawValue)SoFar(\(value))"
        self.value = { element in .real(value.value(of: element)) }
        result = { Double($0.result(function)) }
    }

    fileprivate init() {
        text = "countSoFar()"
        value = { _ in .real(0) }
        result = { Double($0.count) }
    }

    fileprivate func compared(
        _ symbol: String,
        _ bound: Double,
        _ holds: @escaping @Sendable (Double, Double) -> Bool
    ) -> StageCondition<Root> {
        let result = result
        let condition = StageCondition<Root>(
            // The stage looks at itself; its number is put in when it is added to a pattern.
            PlanCondition(captures: [-1], text: "\(text) \(symbol) \(bound)"),
            .summary(capture: -1, value) { _, state in result(state).map { holds($0, bound) } ?? false }
        )
        return condition
    }
}

/// How many events the loop has taken so far.
public func countSoFar<Root: Sendable>() -> LoopSummary<Root> { LoopSummary() }

/// The sum of a property over the events that the loop has taken so far.
///
/// - Parameter keyPath: The property.
/// - Returns: The summary: 0 of none.
public func sumSoFar<Root: Sendable>(of keyPath: SendableKeyPath<Root, Double>) -> LoopSummary<Root> {
    LoopSummary(.sum, Field(keyPath))
}

/// The mean of a property over the events that the loop has taken so far.
///
/// - Parameter keyPath: The property.
/// - Returns: The summary: no comparison with that of none holds.
public func meanSoFar<Root: Sendable>(of keyPath: SendableKeyPath<Root, Double>) -> LoopSummary<Root> {
    LoopSummary(.mean, Field(keyPath))
}

/// The least value of a property of the events that the loop has taken so far.
///
/// - Parameter keyPath: The property.
/// - Returns: The summary: no comparison with that of none holds.
public func minimumSoFar<Root: Sendable>(of keyPath: SendableKeyPath<Root, Double>) -> LoopSummary<Root> {
    LoopSummary(.minimum, Field(keyPath))
}

/// The greatest value of a property of the events that the loop has taken so far.
///
/// - Parameter keyPath: The property.
/// - Returns: The summary: no comparison with that of none holds.
public func maximumSoFar<Root: Sendable>(of keyPath: SendableKeyPath<Root, Double>) -> LoopSummary<Root> {
    LoopSummary(.maximum, Field(keyPath))
}

/// Whether a summary of the loop so far is less than a bound.
public func < <Root>(left: LoopSummary<Root>, right: Double) -> StageCondition<Root> {
    left.compared("<", right) { $0 < $1 }
}

/// Whether a summary of the loop so far is at most a bound.
public func <= <Root>(left: LoopSummary<Root>, right: Double) -> StageCondition<Root> {
    left.compared("<=", right) { $0 <= $1 }
}

/// Whether a summary of the loop so far is greater than a bound.
public func > <Root>(left: LoopSummary<Root>, right: Double) -> StageCondition<Root> {
    left.compared(">", right) { $0 > $1 }
}

/// Whether a summary of the loop so far is at least a bound.
public func >= <Root>(left: LoopSummary<Root>, right: Double) -> StageCondition<Root> {
    left.compared(">=", right) { $0 >= $1 }
}
