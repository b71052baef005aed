internal import WeirExpressions

/// Builds what runs out of a tree over a schema.
struct TreeCompiler<Root> {
    /// The inputs that an expression may have besides the element.
    enum Context {
        case none
        case previous
        case captured
    }

    let schema: EventSchema<Root>
    let context: Context
    /// The captures, without repetitions, in the order of the frame's values.
    private(set) var captured: [CapturedOperand<Root>] = []

    init(_ schema: EventSchema<Root>, _ context: Context) {
        self.schema = schema
        self.context = context
    }

    /// Builds a condition.
    mutating func condition(_ tree: ExpressionTree) throws(SchemaError) -> Operand<Bool> {
        let operand = try build(tree, as: .bool)
        guard case .bool(let value) = operand.value else { throw mismatch(tree, "a condition", operand.value.type) }
        return Self.and(operand.presence, value)
    }

    /// Builds an expression of a type, which constants take on.
    mutating func build(_ tree: ExpressionTree, as expected: FieldType) throws(SchemaError) -> OptionalOperand {
        switch tree {
        case .literal(let value):
            if case .missing = value {
                guard let placeholder = TypedOperand(Self.placeholder(expected), as: expected) else { break }
                return OptionalOperand(value: placeholder, presence: .constant(false))
            }
            guard let constant = TypedOperand(value, as: expected) else { break }
            return OptionalOperand(value: constant)
        case .field(let name):
            let field = try schema.field(name)
            return OptionalOperand(value: field.storage.operand, presence: field.presence?.operand)
        case .previous(let operand):
            guard context == .previous else {
                throw .unavailable("\(tree)", reason: "there is one element, without the one before")
            }
            let operand = try build(operand, as: expected)
            return OptionalOperand(value: operand.value.ofPrevious, presence: operand.presence?.ofPrevious)
        case .captured, .summary:
            return try capture(tree, expected)
        case .operation(let symbol, let operands):
            try symbol.check(count: operands.count)
            return try build(symbol, operands, tree, as: expected)
        }
        throw .typeMismatch("\(tree)", expected: "a value of type \(expected)", found: "not one")
    }

    private mutating func build(
        _ symbol: ExpressionOperator,
        _ operands: [ExpressionTree],
        _ tree: ExpressionTree,
        as expected: FieldType
    ) throws(SchemaError) -> OptionalOperand {
        switch symbol {
        case .and, .or:
            var result = try condition(operands[0])
            for operand in operands.dropFirst() {
                let next = try condition(operand)
                result = symbol == .and ? Self.and(result, next) : Self.or(result, next)
            }
            return OptionalOperand(value: .bool(result))
        case .not:
            return OptionalOperand(value: .bool(try condition(operands[0]).map { !$0 }))
        case .isPresent:
            let operand = try build(operands[0], as: try type(of: operands))
            return OptionalOperand(value: .bool(operand.presence ?? .constant(true)))
        case .equal, .unequal, .less, .atMost, .greater, .atLeast:
            return try compare(symbol, operands, tree)
        case .between:
            let type = try type(of: operands)
            let built = try operands.map { operand throws(SchemaError) in try sameType(operand, type) }
            guard let result = Comparing.between(built[0].value, built[1].value, built[2].value) else {
                throw mismatch(operands[0], "a number or a text", type)
            }
            return OptionalOperand(value: .bool(Self.and(Self.presence(built), result)))
        case .isIn: return try membership(operands)
        case .hasPrefix, .contains: return try search(symbol, operands)
        case .real:
            let operand = try build(operands[0], as: try type(of: operands))
            guard let result = Calculating.real(operand.value) else {
                throw mismatch(operands[0], "a number", operand.value.type)
            }
            return OptionalOperand(value: .real(result), presence: operand.presence)
        case .negation, .absoluteValue:
            let operand = try build(operands[0], as: try type(of: operands, otherwise: expected))
            guard let result = Calculating.changeSign(symbol, operand.value) else {
                throw mismatch(operands[0], "a number with a sign", operand.value.type)
            }
            return OptionalOperand(value: result, presence: operand.presence)
        case .sum, .difference, .product, .quotient, .remainder, .minimum, .maximum:
            let type = try type(of: operands, otherwise: expected)
            let (left, right) = (try sameType(operands[0], type), try sameType(operands[1], type))
            guard let result = Calculating.calculate(symbol, left.value, right.value) else {
                throw mismatch(operands[0], "something that '\(symbol.rawValue)' takes", type)
            }
            return OptionalOperand(value: result, presence: Self.presence([left, right]))
        }
    }

    /// Two values are equal when both are missing, or neither is and they are equal; nothing else holds of a missing one.
    private mutating func compare(
        _ symbol: ExpressionOperator,
        _ operands: [ExpressionTree],
        _ tree: ExpressionTree
    ) throws(SchemaError) -> OptionalOperand {
        let type = try type(of: operands)
        let (left, right) = (try sameType(operands[0], type), try sameType(operands[1], type))
        guard let result = Comparing.compare(symbol, left.value, right.value) else {
            throw mismatch(operands[0], "something that '\(symbol.rawValue)' compares", type)
        }
        guard left.presence != nil || right.presence != nil else { return OptionalOperand(value: .bool(result)) }
        guard symbol == .equal || symbol == .unequal else {
            return OptionalOperand(value: .bool(Self.and(Self.presence([left, right]), result)))
        }
        let isPresent = (left.presence ?? .constant(true)).code
        let isOtherPresent = (right.presence ?? .constant(true)).code
        let (areEqual, negates) = (result.code, symbol == .unequal)
        return OptionalOperand(
            value: .bool(
                .code { frame in
                    let (isPresent, isOtherPresent) = (isPresent(frame), isOtherPresent(frame))
                    if isPresent, isOtherPresent { return areEqual(frame) }
                    return (isPresent == isOtherPresent) != negates
                }
            )
        )
    }

    private mutating func membership(_ operands: [ExpressionTree]) throws(SchemaError) -> OptionalOperand {
        let type = try type(of: operands)
        let operand = try sameType(operands[0], type)
        var members: [TypedOperand] = []
        var takesMissing = false
        for member in operands.dropFirst() {
            guard case .literal(let value) = member else {
                throw .typeMismatch("\(member)", expected: "a constant", found: "an expression")
            }
            if case .missing = value { takesMissing = true } else { members.append(try sameType(member, type).value) }
        }
        let result = Comparing.membership(operand.value, members)
        guard let presence = operand.presence else { return OptionalOperand(value: .bool(result)) }
        guard takesMissing else { return OptionalOperand(value: .bool(Self.and(presence, result))) }
        return OptionalOperand(value: .bool(Self.or(presence.map { !$0 }, result)))
    }

    private mutating func search(
        _ symbol: ExpressionOperator,
        _ operands: [ExpressionTree]
    ) throws(SchemaError) -> OptionalOperand {
        let (text, part) = (try build(operands[0], as: .text), try build(operands[1], as: .text))
        guard case .text(let value) = text.value else { throw mismatch(operands[0], "a text", text.value.type) }
        guard case .text(let other) = part.value else { throw mismatch(operands[1], "a text", part.value.type) }
        let result: Operand<Bool> =
            symbol == .hasPrefix
            ? combine(value, other) { _, text, part in text.hasPrefix(part) }
            : combine(value, other) { _, text, part in part.isEmpty || text.contains(part) }
        return OptionalOperand(value: .bool(Self.and(Self.presence([text, part]), result)))
    }

    private mutating func capture(
        _ tree: ExpressionTree,
        _ expected: FieldType
    ) throws(SchemaError) -> OptionalOperand {
        guard context == .captured else {
            throw .unavailable("\(tree)", reason: "nothing is captured outside of a pattern")
        }
        let operand = try CapturedOperand(tree, schema, expected)
        let index = captured.firstIndex { $0.tree == tree && $0.type == operand.type } ?? captured.count
        if index == captured.count { captured.append(operand) }
        let presence = Operand<Bool>.code { frame in
            if case .missing = frame.captured(index) { false } else { true }
        }
        return OptionalOperand(value: TypedOperand(captured: index, as: operand.type), presence: presence)
    }

    private mutating func sameType(_ tree: ExpressionTree, _ type: FieldType) throws(SchemaError) -> OptionalOperand {
        let operand = try build(tree, as: type)
        guard operand.value.type == type else { throw mismatch(tree, "a value of type \(type)", operand.value.type) }
        return operand
    }

    /// The type that operands have in common: that of the first which is not a constant.
    private func type(
        of operands: [ExpressionTree],
        otherwise fallback: FieldType? = nil
    ) throws(SchemaError) -> FieldType {
        for operand in operands {
            if let type = try schema.type(of: operand) { return type }
        }
        if let fallback { return fallback }
        let types = operands.map { operand in
            guard case .literal(let value) = operand else { return FieldType.real }
            return Self.type(of: value)
        }
        return types.contains(.real) ? .real : types.first ?? .real
    }

    static func type(of value: FieldValue) -> FieldType {
        switch value {
        case .missing, .real: .real
        case .bool: .bool
        case .integer: .integer
        case .unsigned: .unsigned
        case .text: .text
        }
    }

    private static func placeholder(_ type: FieldType) -> FieldValue {
        switch type {
        case .bool: false
        case .text: ""
        case .integer, .unsigned, .real, .single: 0
        }
    }

    private static func presence(_ operands: [OptionalOperand]) -> Operand<Bool>? {
        operands.compactMap(\.presence).reduce(nil) { and($0, $1) }
    }

    private static func and(_ left: Operand<Bool>?, _ right: Operand<Bool>) -> Operand<Bool> {
        switch (left, right) {
        case (nil, _), (.constant(true)?, _): return right
        case (.constant(false)?, _): return .constant(false)
        case (let left?, _):
            let (left, right) = (left.code, right.code)
            return .code { frame in left(frame) && right(frame) }
        }
    }

    private static func or(_ left: Operand<Bool>, _ right: Operand<Bool>) -> Operand<Bool> {
        let (left, right) = (left.code, right.code)
        return .code { frame in left(frame) || right(frame) }
    }

    private func mismatch(_ tree: ExpressionTree, _ expected: String, _ type: FieldType) -> SchemaError {
        .typeMismatch("\(tree)", expected: expected, found: "of type \(type)")
    }
}
