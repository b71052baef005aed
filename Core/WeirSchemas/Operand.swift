internal import WeirExpressions

/// An operand of an expression that is being built: how to get its value.
enum Operand<Value: Sendable>: Sendable {
    case constant(Value)
    case stored(offset: Int)
    case code(@Sendable (EvaluationFrame) -> Value)

    /// A function that gets the value.
    var code: @Sendable (EvaluationFrame) -> Value {
        switch self {
        case .constant(let value): { _ in value }
        case .stored(let offset): { frame in frame.load(offset, as: Value.self) }
        case .code(let code): code
        }
    }

    /// The operand of the element before.
    var ofPrevious: Operand {
        switch self {
        case .constant: return self
        case .stored, .code:
            let code = code
            return .code { frame in code(frame.ofPrevious) }
        }
    }

    /// Applies a function to the value.
    func map<Result: Sendable>(_ function: @escaping @Sendable (Value) -> Result) -> Operand<Result> {
        switch self {
        case .constant(let value): .constant(function(value))
        case .stored(let offset): .code { frame in function(frame.load(offset, as: Value.self)) }
        case .code(let code): .code { frame in function(code(frame)) }
        }
    }
}

/// Applies a function to the values of two operands.
///
/// The function is inlined into one closure for each combination of operands that is common, so that an element
/// compared with a constant takes one call.
@inline(__always)
func combine<Value: Sendable, Result: Sendable>(
    _ left: Operand<Value>,
    _ right: Operand<Value>,
    _ function: @escaping @Sendable (EvaluationFrame, Value, Value) -> Result
) -> Operand<Result> {
    switch (left, right) {
    case (.stored(let offset), .constant(let value)):
        return .code { frame in function(frame, frame.load(offset, as: Value.self), value) }
    case (.stored(let left), .stored(let right)):
        return .code { frame in
            function(frame, frame.load(left, as: Value.self), frame.load(right, as: Value.self))
        }
    case (.code(let code), .constant(let value)):
        return .code { frame in function(frame, code(frame), value) }
    case (.code(let code), .stored(let offset)):
        return .code { frame in function(frame, code(frame), frame.load(offset, as: Value.self)) }
    case (.stored(let offset), .code(let code)):
        return .code { frame in function(frame, frame.load(offset, as: Value.self), code(frame)) }
    default:
        let (left, right) = (left.code, right.code)
        return .code { frame in function(frame, left(frame), right(frame)) }
    }
}

/// An operand of any type.
enum TypedOperand: Sendable {
    case bool(Operand<Bool>)
    case integer(Operand<Int64>)
    case unsigned(Operand<UInt64>)
    case real(Operand<Double>)
    case single(Operand<Float>)
    case text(Operand<String>)

    var type: FieldType {
        switch self {
        case .bool: .bool
        case .integer: .integer
        case .unsigned: .unsigned
        case .real: .real
        case .single: .single
        case .text: .text
        }
    }

    var ofPrevious: TypedOperand {
        switch self {
        case .bool(let operand): .bool(operand.ofPrevious)
        case .integer(let operand): .integer(operand.ofPrevious)
        case .unsigned(let operand): .unsigned(operand.ofPrevious)
        case .real(let operand): .real(operand.ofPrevious)
        case .single(let operand): .single(operand.ofPrevious)
        case .text(let operand): .text(operand.ofPrevious)
        }
    }

    /// The value without its type.
    var fieldValue: @Sendable (EvaluationFrame) -> FieldValue {
        switch self {
        case .bool(let operand): operand.map(\.fieldValue).code
        case .integer(let operand): operand.map(\.fieldValue).code
        case .unsigned(let operand): operand.map(\.fieldValue).code
        case .real(let operand): operand.map(\.fieldValue).code
        case .single(let operand): operand.map(\.fieldValue).code
        case .text(let operand): operand.map(\.fieldValue).code
        }
    }

    /// A constant of a type; `nil` where it is not one.
    init?(_ value: FieldValue, as type: FieldType) {
        switch type {
        case .bool:
            guard let constant = Bool(value) else { return nil }
            self = .bool(.constant(constant))
        case .integer:
            guard let constant = Int64(value) else { return nil }
            self = .integer(.constant(constant))
        case .unsigned:
            guard let constant = UInt64(value) else { return nil }
            self = .unsigned(.constant(constant))
        case .real:
            guard let constant = Double(value) else { return nil }
            self = .real(.constant(constant))
        case .single:
            guard let constant = Float(value) else { return nil }
            self = .single(.constant(constant))
        case .text:
            guard let constant = String(value) else { return nil }
            self = .text(.constant(constant))
        }
    }

    /// A captured value of a type.
    init(captured index: Int, as type: FieldType) {
        switch type {
        case .bool: self = .bool(.code { Bool($0.captured(index)) ?? .placeholder })
        case .integer: self = .integer(.code { Int64($0.captured(index)) ?? .placeholder })
        case .unsigned: self = .unsigned(.code { UInt64($0.captured(index)) ?? .placeholder })
        case .real: self = .real(.code { Double($0.captured(index)) ?? .placeholder })
        case .single: self = .single(.code { Float($0.captured(index)) ?? .placeholder })
        case .text: self = .text(.code { String($0.captured(index)) ?? .placeholder })
        }
    }
}

/// An operand that may have no value.
struct OptionalOperand: Sendable {
    var value: TypedOperand
    // `nil` for an operand that always has a value; a missing value is not read.
    var presence: Operand<Bool>?
}
