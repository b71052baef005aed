public import WeirExpressions

/// A type of fields of an ``EventSchema``: the standard library's numbers, `Bool`, `String`, and your own.
///
/// Types with a raw value need to do no more than conform:
///
///     enum Kind: String, SchemaValue { case trade, quote }
public protocol SchemaValue: FieldValueConvertible {
    /// The type in which it is calculated with.
    associatedtype Scalar: SchemaScalar

    /// Whether a value lies in memory as its scalar does.
    static var isScalar: Bool { get }

    /// The value to calculate with.
    var scalar: Scalar { get }

    /// The value of a result; `nil` where it is out of range.
    init?(scalar: Scalar)
}

extension SchemaValue {
    public static var isScalar: Bool { false }

    public var fieldValue: FieldValue { scalar.fieldValue }
}

extension SchemaValue where Self: RawRepresentable, RawValue: SchemaValue, Scalar == RawValue.Scalar {
    @inlinable
    public var scalar: RawValue.Scalar { rawValue.scalar }

    @inlinable
    public init?(scalar: RawValue.Scalar) {
        guard let rawValue = RawValue(scalar: scalar) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension SchemaValue where Self: FixedWidthInteger, Scalar == Int64 {
    @inlinable
    public var scalar: Int64 { Int64(self) }

    @inlinable
    public init?(scalar: Int64) { self.init(exactly: scalar) }
}

extension SchemaValue where Self: SchemaScalar, Scalar == Self {
    @inlinable
    public static var isScalar: Bool { true }

    @inlinable
    public var scalar: Self { self }

    @inlinable
    public init?(scalar: Self) { self = scalar }
}

extension Bool: SchemaValue { public typealias Scalar = Bool }
extension Double: SchemaValue { public typealias Scalar = Double }
extension Float: SchemaValue { public typealias Scalar = Float }
extension String: SchemaValue { public typealias Scalar = String }
extension UInt64: SchemaValue { public typealias Scalar = UInt64 }
extension Int8: SchemaValue { public typealias Scalar = Int64 }
extension Int16: SchemaValue { public typealias Scalar = Int64 }
extension Int32: SchemaValue { public typealias Scalar = Int64 }
extension UInt8: SchemaValue { public typealias Scalar = Int64 }
extension UInt16: SchemaValue { public typealias Scalar = Int64 }
extension UInt32: SchemaValue { public typealias Scalar = Int64 }

extension Int64: SchemaValue {
    public typealias Scalar = Int64

    @inlinable
    public static var isScalar: Bool { true }

    @inlinable
    public var scalar: Int64 { self }

    @inlinable
    public init?(scalar: Int64) { self = scalar }
}

extension Int: SchemaValue {
    public typealias Scalar = Int64

    @inlinable
    public static var isScalar: Bool { MemoryLayout<Int>.size == MemoryLayout<Int64>.size }
}

extension UInt: SchemaValue {
    public typealias Scalar = UInt64

    @inlinable
    public static var isScalar: Bool { MemoryLayout<UInt>.size == MemoryLayout<UInt64>.size }

    @inlinable
    public var scalar: UInt64 { UInt64(self) }

    @inlinable
    public init?(scalar: UInt64) { self.init(exactly: scalar) }
}
