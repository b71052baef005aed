public import WeirExpressions

extension EventSchema {
    /// Describes a typed expression as a value.
    ///
    /// - Parameter expression: Takes a row that stands for the element, and returns the expression; called once.
    /// - Returns: The tree, which ``condition(_:)`` and `projection(_:as:)` turn into an expression again.
    /// - Throws: `SchemaError` where a property is not in the schema, or an operator is one of your own.
    public func tree<Expression: ElementExpression>(
        of expression: (Row<Root>) -> Term<Expression>
    ) throws(SchemaError) -> ExpressionTree where Expression.Root == Root {
        try expression(Row()).expression.tree(in: self)
    }

    /// Builds a condition on one element.
    ///
    /// - Parameter tree: The condition.
    /// - Returns: A condition that the operators take like a typed one.
    /// - Throws: `SchemaError`, with a one-line description of the problem.
    public func condition(_ tree: ExpressionTree) throws(SchemaError) -> RuntimeCondition<Root> {
        var compiler = TreeCompiler(self, .none)
        return RuntimeCondition(tree, name, try compiler.condition(tree).code)
    }

    /// Builds a condition on two neighbours, for `followedBy`.
    ///
    /// - Parameter tree: The condition.
    /// - Returns: A condition that the operators take like a typed one.
    /// - Throws: `SchemaError`, with a one-line description of the problem.
    public func pairCondition(_ tree: ExpressionTree) throws(SchemaError) -> RuntimePairCondition<Root> {
        var compiler = TreeCompiler(self, .previous)
        return RuntimePairCondition(tree, name, try compiler.condition(tree).code)
    }

    /// Builds a condition on an element and on earlier captures of a pattern.
    ///
    /// - Parameter tree: The condition.
    /// - Returns: The condition, which lists the captures that it needs.
    /// - Throws: `SchemaError`, with a one-line description of the problem.
    public func capturingCondition(_ tree: ExpressionTree) throws(SchemaError) -> RuntimeCapturingCondition<Root> {
        var compiler = TreeCompiler(self, .captured)
        let code = try compiler.condition(tree).code
        return RuntimeCapturingCondition(tree, name, code, compiler.captured)
    }

    /// Builds an expression on one element.
    ///
    /// - Parameters:
    ///   - tree: The expression.
    ///   - type: The type of the result: that of the expression over this schema, and not optional.
    /// - Returns: An expression that the operators take like a typed one.
    /// - Throws: `SchemaError`, with a one-line description of the problem.
    @inlinable
    public func projection<Value: SchemaValue>(
        _ tree: ExpressionTree,
        as type: Value.Type = Value.self
    ) throws(SchemaError) -> RuntimeProjection<Root, Value> {
        let (presence, expression) = try typed(tree, Value.Scalar.self)
        guard presence == nil else {
            throw .typeMismatch("\(tree)", expected: "a value of type \(Value.self)", found: "optional")
        }
        // The closure is formed where the type is known, so that converting the result costs nothing.
        return RuntimeProjection(tree, name) { frame in
            guard let value = Value(scalar: expression(frame)) else {
                preconditionFailure("the result of '\(tree)' is not a \(Value.self)")
            }
            return value
        }
    }

    /// Builds an expression on one element that may have no value.
    ///
    /// - Parameters:
    ///   - tree: The expression.
    ///   - type: The type of the result.
    /// - Returns: An expression that the operators take like a typed one; `nil` also where there is no result, such as that
    ///   of a division of an integer by zero.
    /// - Throws: `SchemaError`, with a one-line description of the problem.
    @inlinable
    public func projection<Value: SchemaValue>(
        _ tree: ExpressionTree,
        as type: Value?.Type = Value?.self
    ) throws(SchemaError) -> RuntimeProjection<Root, Value?> {
        let (presence, expression) = try typed(tree, Value.Scalar.self)
        return RuntimeProjection(tree, name) { frame in
            if let presence, !presence(frame) { return nil }
            let value = expression(frame)
            return frame.hasFailed ? nil : Value(scalar: value)
        }
    }

    /// A field as an expression, for fields that have no key path; it combines with the operators of typed expressions.
    ///
    ///     let celsius = try schema.field("celsius", as: Double.self)
    ///     readings.where { celsius($0) > 30 }
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - type: The type of the field.
    /// - Returns: The expression.
    /// - Throws: `SchemaError` where there is no such field, or it holds something else.
    public func field<Value: SchemaValue>(
        _ name: String,
        as type: Value.Type
    ) throws(SchemaError) -> RuntimeProjection<Root, Value> {
        try projection(.field(name), as: type)
    }

    /// The evaluation of an expression of a type, and of whether it has a value, if it may have none.
    @usableFromInline
    func typed<Scalar: SchemaScalar>(
        _ tree: ExpressionTree,
        _ type: Scalar.Type
    ) throws(SchemaError) -> (
        presence: (@Sendable (EvaluationFrame) -> Bool)?, value: @Sendable (EvaluationFrame) -> Scalar
    ) {
        let expected = Scalar.storage(FieldAccess(offset: 0)).type
        var compiler = TreeCompiler(self, .none)
        let operand = try compiler.build(tree, as: expected)
        let value: (any Sendable)? =
            switch operand.value {
            case .bool(let operand): operand as? Operand<Scalar>
            case .integer(let operand): operand as? Operand<Scalar>
            case .unsigned(let operand): operand as? Operand<Scalar>
            case .real(let operand): operand as? Operand<Scalar>
            case .single(let operand): operand as? Operand<Scalar>
            case .text(let operand): operand as? Operand<Scalar>
            }
        guard let value = value as? Operand<Scalar> else {
            throw .typeMismatch("\(tree)", expected: "\(expected)", found: "of type \(operand.value.type)")
        }
        return (operand.presence?.code, value.code)
    }
}
