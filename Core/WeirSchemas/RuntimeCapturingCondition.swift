public import WeirExpressions

/// A condition on an element and on earlier captures of a pattern; made by ``EventSchema/capturingCondition(_:)``.
///
/// The caller keeps a value for each of ``captured``: computes it when an element is captured
/// (``CapturedOperand/value(of:)``), or aggregates it (`SummaryState`), and passes `missing` as long as there is
/// none. A missing value equals `nil`; other comparisons with it do not hold, so write `isPresent` where that is not
/// what you mean.
///
///     let condition = try schema.capturingCondition(tree)  // value > last(a).value * 1.1
///     let values = [condition.captured[0].value(of: partialMatch.lastOfA)]
///     condition.holds(for: element, given: values)
@frozen
public struct RuntimeCapturingCondition<Root>: Sendable, Hashable, CustomStringConvertible {
    @usableFromInline let code: @Sendable (EvaluationFrame) -> Bool
    @usableFromInline let source: RuntimeSource

    /// The captures that it needs, without repetitions.
    public let captured: [CapturedOperand<Root>]

    init(
        _ tree: ExpressionTree,
        _ schema: String,
        _ code: @escaping @Sendable (EvaluationFrame) -> Bool,
        _ captured: [CapturedOperand<Root>]
    ) {
        self.code = code
        source = RuntimeSource(tree, schema)
        self.captured = captured
    }

    /// The tree that it was built from.
    public var tree: ExpressionTree { source.tree }

    /// Whether it holds.
    ///
    /// - Parameters:
    ///   - element: The element that is looked at.
    ///   - values: A value for each of ``captured``, in that order; none where fewer are given.
    /// - Returns: Whether it holds.
    /// - Complexity: A call of a closure for each operator, without allocation.
    @inlinable
    public func holds(for element: Root, given values: [FieldValue]) -> Bool {
        // The array is borrowed, and so are its elements, until the closure returns.
        unsafe values.withUnsafeBufferPointer { values in
            unsafe EvaluationFrame.with(element, capturing: values) { frame in code(frame) && !frame.hasFailed }
        }
    }

    /// The condition as in Swift's source code, with the names of the fields.
    public var description: String { "\(source.tree)" }

    public static func == (left: RuntimeCapturingCondition, right: RuntimeCapturingCondition) -> Bool {
        left.source == right.source
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// A value of earlier captures that a ``RuntimeCapturingCondition`` needs.
public struct CapturedOperand<Root>: Sendable {
    /// The kind of the value.
    public enum Kind: Sendable, Hashable {
        /// The value of one element of a stage.
        case value(stage: String, CapturedValue.Pick)
        /// A summary of a stage's elements.
        case summary(CapturedSummary.Function, stage: String, includingCurrent: Bool)
    }

    /// The value, and its stage.
    public let kind: Kind

    let tree: ExpressionTree
    let type: FieldType
    private let presence: (@Sendable (EvaluationFrame) -> Bool)?
    private let code: @Sendable (EvaluationFrame) -> FieldValue

    init(_ tree: ExpressionTree, _ schema: EventSchema<Root>, _ expected: FieldType) throws(SchemaError) {
        var compiler = TreeCompiler(schema, .none)
        let operand: OptionalOperand
        switch tree {
        case .captured(let captured):
            operand = try compiler.build(captured.value, as: expected)
            kind = .value(stage: captured.stage, captured.pick)
            type = operand.value.type
            code = operand.value.fieldValue
        case .summary(let summary):
            operand = try compiler.build(summary.value, as: .real)
            kind = .summary(summary.function, stage: summary.stage, includingCurrent: summary.includesCurrent)
            type = summary.function == .count ? .integer : .real
            guard let number = Calculating.real(operand.value) else {
                throw .typeMismatch(
                    "\(summary.value)",
                    expected: "a number",
                    found: "of type \(operand.value.type)"
                )
            }
            code = TypedOperand.real(number).fieldValue
        default: throw .unavailable("\(tree)", reason: "it is not captured")
        }
        presence = operand.presence?.code
        self.tree = tree
    }

    /// The value of an element that is captured, or that a summary takes in; missing where there is none.
    ///
    /// - Parameter element: The element.
    /// - Returns: The value; of a summary always a `real` one.
    public func value(of element: borrowing Root) -> FieldValue {
        EvaluationFrame.with(element) { frame in
            if let presence, !presence(frame) { return .missing }
            let value = code(frame)
            return frame.hasFailed ? .missing : value
        }
    }
}

extension CapturedOperand: CustomStringConvertible {
    /// The operand as in the condition, such as `last(a).value`.
    public var description: String { "\(tree)" }
}
