public import WeirExpressions

/// A value of an event that a stage has captured, for the conditions of later stages.
///
///     let falling = Pattern<Tick>
///         .first(\.price > 100)
///         .followedBy(\.price > 2 * captured(0, \.price))
///         .followedBy(\.symbol == captured(0, \.symbol) && \.price < captured(1, \.price))
///
/// Unlike a closure, a condition of this kind can be read: it is the same condition wherever it is equal, it is shown with
/// its values, and an equality finds the partial matches that an event can move without trying them all.
public struct CapturedExpression<Root: Sendable, Value: Sendable>: Sendable {
    @usableFromInline let capture: Int
    @usableFromInline let isFirst: Bool
    @usableFromInline let value: @Sendable (borrowing Root) -> Value
    @usableFromInline let identity: AnyIdentity
    @usableFromInline let text: String
    // Whether the text needs parentheses behind an operator.
    @usableFromInline let isSum: Bool

    @usableFromInline
    init(
        _ capture: Int,
        isFirst: Bool,
        _ text: String,
        isSum: Bool = false,
        _ identity: AnyIdentity,
        _ value: @escaping @Sendable (borrowing Root) -> Value
    ) {
        self.capture = capture
        self.isFirst = isFirst
        self.text = text
        self.isSum = isSum
        self.identity = identity
        self.value = value
    }

    @usableFromInline
    func mapped<Other: Hashable & Sendable>(
        _ text: String,
        isSum: Bool = false,
        _ symbol: String,
        _ other: Other,
        _ transform: @escaping @Sendable (Value) -> Value
    ) -> CapturedExpression {
        let value = value
        return CapturedExpression(
            capture,
            isFirst: isFirst,
            text,
            isSum: isSum,
            AnyIdentity([AnyIdentity(symbol), AnyIdentity(other), identity])
        ) { element in transform(value(element)) }
    }

    @usableFromInline
    var factor: String { isSum ? "(\(text))" : text }
}

/// Which of the events of a loop is looked at.
@frozen
public enum CapturePick: Sendable, Hashable {
    /// The one that was captured first.
    case first
    /// The one that was captured last.
    case last
}

/// A value of an event that a stage has captured.
///
/// - Parameters:
///   - capture: The position of the stage among those that capture, and those that forbid; from 0.
///   - keyPath: The property.
///   - pick: Which of a loop's events. Where there is none, no comparison holds.
/// - Returns: The expression.
public func captured<Root: Sendable, Value: Hashable & Sendable>(
    _ capture: Int,
    _ keyPath: SendableKeyPath<Root, Value>,
    _ pick: CapturePick = .last
) -> CapturedExpression<Root, Value> {
    captured(capture, Field(keyPath), pick)
}

/// A value computed from an event that a stage has captured.
///
/// - Parameters:
///   - capture: The position of the stage among those that capture, and those that forbid; from 0.
///   - expression: The expression.
///   - pick: Which of a loop's events. Where there is none, no comparison holds.
/// - Returns: The expression.
public func captured<Expression: ElementExpression>(
    _ capture: Int,
    _ expression: Expression,
    _ pick: CapturePick = .last
) -> CapturedExpression<Expression.Root, Expression.Value>
where Expression.Root: Sendable, Expression.Value: Sendable {
    precondition(capture >= 0, "a capture is counted from 0, so there is none \(capture)")
    let name = pick == .first ? "first(\(capture))" : "captured(\(capture))"
    return CapturedExpression(
        capture,
        isFirst: pick == .first,
        "\(name).\(expression)",
        AnyIdentity([AnyIdentity(capture), AnyIdentity(pick), AnyIdentity(expression)])
    ) { element in expression.value(of: element) }
}

/// The product of a captured value and a constant.
public func * <Root, Value: Numeric & Hashable & Sendable>(
    left: CapturedExpression<Root, Value>,
    right: Value
) -> CapturedExpression<Root, Value> {
    left.mapped("\(left.factor) * \(right)", isSum: false, "*r", right) { $0 * right }
}

/// The product of a constant and a captured value.
public func * <Root, Value: Numeric & Hashable & Sendable>(
    left: Value,
    right: CapturedExpression<Root, Value>
) -> CapturedExpression<Root, Value> {
    right.mapped("\(left) * \(right.factor)", isSum: false, "*l", left) { left * $0 }
}

/// The sum of a captured value and a constant.
public func + <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: CapturedExpression<Root, Value>,
    right: Value
) -> CapturedExpression<Root, Value> {
    left.mapped("\(left.text) + \(right)", isSum: true, "+r", right) { $0 + right }
}

/// The sum of a constant and a captured value.
public func + <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: Value,
    right: CapturedExpression<Root, Value>
) -> CapturedExpression<Root, Value> {
    right.mapped("\(left) + \(right.factor)", isSum: true, "+l", left) { left + $0 }
}

/// The difference of a captured value and a constant.
public func - <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: CapturedExpression<Root, Value>,
    right: Value
) -> CapturedExpression<Root, Value> {
    left.mapped("\(left.text) - \(right)", isSum: true, "-r", right) { $0 - right }
}

/// The difference of a constant and a captured value.
public func - <Root, Value: AdditiveArithmetic & Hashable & Sendable>(
    left: Value,
    right: CapturedExpression<Root, Value>
) -> CapturedExpression<Root, Value> {
    right.mapped("\(left) - \(right.factor)", isSum: true, "-l", left) { left - $0 }
}
