public import WeirExpressions

/// The types in which expressions that are built at run time calculate, one for each ``FieldType``.
///
/// Conform your own types to ``SchemaValue``, not to this.
public protocol SchemaScalar: Sendable, Hashable {
    /// The access to a field of this type.
    static func storage(_ access: FieldAccess<Self>) -> FieldStorage

    /// The placeholder of a missing value; it is never read.
    static var placeholder: Self { get }

    /// The value without its type.
    var fieldValue: FieldValue { get }

    /// The value of a constant, if it is one of this type.
    init?(_ value: FieldValue)
}

extension Bool: SchemaScalar {
    public static func storage(_ access: FieldAccess<Bool>) -> FieldStorage { .bool(access) }

    public static var placeholder: Bool { false }

    public var fieldValue: FieldValue { .bool(self) }

    public init?(_ value: FieldValue) {
        guard case .bool(let bool) = value else { return nil }
        self = bool
    }
}

extension Int64: SchemaScalar {
    public static func storage(_ access: FieldAccess<Int64>) -> FieldStorage { .integer(access) }

    public static var placeholder: Int64 { 0 }

    public var fieldValue: FieldValue { .integer(self) }

    public init?(_ value: FieldValue) {
        switch value {
        case .integer(let number): self = number
        case .unsigned(let number): self.init(exactly: number)
        case .real(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension UInt64: SchemaScalar {
    public static func storage(_ access: FieldAccess<UInt64>) -> FieldStorage { .unsigned(access) }

    public static var placeholder: UInt64 { 0 }

    public var fieldValue: FieldValue { .unsigned(self) }

    public init?(_ value: FieldValue) {
        switch value {
        case .integer(let number): self.init(exactly: number)
        case .unsigned(let number): self = number
        case .real(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension Double: SchemaScalar {
    public static func storage(_ access: FieldAccess<Double>) -> FieldStorage { .real(access) }

    public static var placeholder: Double { 0 }

    public var fieldValue: FieldValue { .real(self) }
}

extension Float: SchemaScalar {
    public static func storage(_ access: FieldAccess<Float>) -> FieldStorage { .single(access) }

    public static var placeholder: Float { 0 }

    public var fieldValue: FieldValue { .real(Double(self)) }

    /// The nearest value, as that of a literal is.
    public init?(_ value: FieldValue) {
        switch value {
        case .integer(let number): self.init(number)
        case .unsigned(let number): self.init(number)
        case .real(let number): self.init(number)
        default: return nil
        }
    }
}

extension String: SchemaScalar {
    public static func storage(_ access: FieldAccess<String>) -> FieldStorage { .text(access) }

    public static var placeholder: String { "" }

    public var fieldValue: FieldValue { .text(self) }

    public init?(_ value: FieldValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}
