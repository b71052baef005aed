/// A value of a field without its Swift type: what constants in an ``ExpressionTree`` and fields of a
/// `DynamicRecord` are.
///
/// Numbers are equal when they are the same number, whether they are written as an integer or not, so that a tree
/// equals its copy that a text format has decoded. NaN equals itself.
@frozen
public enum FieldValue: Sendable {
    /// There is no value.
    case missing
    /// True or false.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case text(String)
}

extension FieldValue {
    /// The value of a constant in a typed expression.
    init(constant: some Sendable) throws(SchemaError) {
        guard let value = constant as? any FieldValueConvertible else {
            throw .unsupportedValue("\(type(of: constant))")
        }
        self = value.fieldValue
    }
}

extension FieldValue: Hashable {
    /// The same number in the one way in which it is compared.
    private var canonical: FieldValue {
        switch self {
        case .unsigned(let number):
            Int64(exactly: number).map(FieldValue.integer) ?? self
        case .real(let number):
            if let integer = Int64(exactly: number) {
                .integer(integer)
            } else if let integer = UInt64(exactly: number) {
                .unsigned(integer)
            } else {
                self
            }
        default: self
        }
    }

    public static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left.canonical, right.canonical) {
        case (.missing, .missing): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.real(let left), .real(let right)): left == right || (left.isNaN && right.isNaN)
        case (.text(let left), .text(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch canonical {
        case .missing: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.isNaN ? .nan : value)
        case .text(let value): hasher.combine(value)
        }
    }
}

extension FieldValue: CustomStringConvertible {
    /// The value as in Swift's source code; whole numbers without a fraction.
    public var description: String {
        switch canonical {
        case .missing: "nil"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value.debugDescription
        }
    }
}

extension FieldValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    public init(nilLiteral: ()) { self = .missing }

    public init(booleanLiteral value: Bool) { self = .bool(value) }

    public init(integerLiteral value: Int64) { self = .integer(value) }

    public init(floatLiteral value: Double) { self = .real(value) }

    public init(stringLiteral value: String) { self = .text(value) }
}

extension FieldValue: Codable {
    private enum Key: String, CodingKey {
        case number
    }

    /// Reads a bare value, or `{"number": "nan"}` and its like, for what text formats have no numbers for.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``SchemaError/invalidDocument(_:)`` where there is something else.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            let name = try? container.decode(String.self, forKey: .number)
            guard let name, let number = Double(name) else {
                throw SchemaError.invalidDocument("a constant is a value or {\"number\": \"nan\"}, \"inf\" or \"-inf\"")
            }
            self = .real(number)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .missing
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            // -0 is not the integer 0.
            let real = value == 0 ? try? container.decode(Double.self) : nil
            self = real.map { $0.sign == .minus } == true ? .real(-0.0) : .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else {
            throw SchemaError.invalidDocument("a constant is a number, a text, true, false or null")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .real(let value) = self, !value.isFinite {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("\(value)", forKey: .number)
            return
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .missing: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }
}
