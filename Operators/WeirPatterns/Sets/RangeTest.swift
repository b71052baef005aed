internal import WeirExpressions

/// An expression that compares a field with constants by their order.
protocol RangeTest<Root>: Sendable {
    associatedtype Root

    /// The field, and where its value must lie.
    var range: any FieldRange<Root> { get }
}

/// A ``RangeTest`` with the constant on the left.
protocol MirroredRangeTest<Root>: Sendable {
    associatedtype Root

    /// The field, and where its value must lie.
    var range: any FieldRange<Root> { get }
}

/// An operation that compares by order.
protocol OrderOperation: BinaryOperation where Operand: Comparable {
    /// Where the left side must lie.
    static var side: Bound<Operand>.Side { get }

    /// Where the right side must lie.
    static var mirroredSide: Bound<Operand>.Side { get }
}

extension BinaryOperations.Less: OrderOperation {
    static var side: Bound<Operand>.Side { .below }
    static var mirroredSide: Bound<Operand>.Side { .above }
}

extension BinaryOperations.AtMost: OrderOperation {
    static var side: Bound<Operand>.Side { .atMost }
    static var mirroredSide: Bound<Operand>.Side { .atLeast }
}

extension BinaryOperations.Greater: OrderOperation {
    static var side: Bound<Operand>.Side { .above }
    static var mirroredSide: Bound<Operand>.Side { .below }
}

extension BinaryOperations.AtLeast: OrderOperation {
    static var side: Bound<Operand>.Side { .atLeast }
    static var mirroredSide: Bound<Operand>.Side { .atMost }
}

extension Binary: RangeTest where Operation: OrderOperation, Left: FieldExpression, Right: LiteralExpression {
    var range: any FieldRange<Left.Root> {
        ComparedField(left.field, [Bound(Operation.side, right.constant)])
    }
}

extension Binary: MirroredRangeTest
where Operation: OrderOperation, Left: LiteralExpression, Right: FieldExpression {
    var range: any FieldRange<Left.Root> {
        ComparedField(right.field, [Bound(Operation.mirroredSide, left.constant)])
    }
}

/// A criterion that compares by order.
protocol OrderCriterion: Criterion where Operand: Comparable & Sendable {
    var bounds: [Bound<Operand>] { get }
}

extension Criteria.Between: OrderCriterion {
    var bounds: [WeirPatterns.Bound<Bound>] {
        [WeirPatterns.Bound(.atLeast, range.lowerBound), WeirPatterns.Bound(.atMost, range.upperBound)]
    }
}

extension Check: RangeTest where Condition: OrderCriterion, Operand: FieldExpression {
    var range: any FieldRange<Operand.Root> { ComparedField(operand.field, criterion.bounds) }
}
