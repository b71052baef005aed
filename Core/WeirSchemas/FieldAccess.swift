/// How to read a field of an element whose type is not known any more.
@frozen
public struct FieldAccess<Scalar: SchemaScalar>: Sendable {
    @safe
    @usableFromInline
    enum Way: Sendable {
        // Safety: a function is called with the address of an element of the type that the field was made for, which
        // the frame's call borrows.

        case stored(offset: Int)
        case computed(@Sendable (UnsafeRawPointer) -> Scalar)
    }

    @usableFromInline let way: Way

    @usableFromInline
    init(offset: Int) {
        way = .stored(offset: offset)
    }

    @usableFromInline
    init(read: @escaping @Sendable (UnsafeRawPointer) -> Scalar) {
        unsafe way = .computed(read)
    }

    /// The same field of an element that holds the first one at an offset.
    func moved(by distance: Int) -> FieldAccess {
        switch way {
        case .stored(let offset): FieldAccess(offset: offset + distance)
        case .computed(let read): unsafe FieldAccess { unsafe read($0 + distance) }
        }
    }

    var operand: Operand<Scalar> {
        switch way {
        case .stored(let offset): .stored(offset: offset)
        case .computed(let read): .code { frame in unsafe read(frame.current) }
        }
    }
}

/// The access to a field of any type.
@frozen
public enum FieldStorage: Sendable {
    /// True or false.
    case bool(FieldAccess<Bool>)
    /// An integer.
    case integer(FieldAccess<Int64>)
    /// An integer without a sign.
    case unsigned(FieldAccess<UInt64>)
    /// A floating-point number.
    case real(FieldAccess<Double>)
    /// A floating-point number of single precision.
    case single(FieldAccess<Float>)
    /// A text.
    case text(FieldAccess<String>)

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

    func moved(by distance: Int) -> FieldStorage {
        switch self {
        case .bool(let access): .bool(access.moved(by: distance))
        case .integer(let access): .integer(access.moved(by: distance))
        case .unsigned(let access): .unsigned(access.moved(by: distance))
        case .real(let access): .real(access.moved(by: distance))
        case .single(let access): .single(access.moved(by: distance))
        case .text(let access): .text(access.moved(by: distance))
        }
    }

    var operand: TypedOperand {
        switch self {
        case .bool(let access): .bool(access.operand)
        case .integer(let access): .integer(access.operand)
        case .unsigned(let access): .unsigned(access.operand)
        case .real(let access): .real(access.operand)
        case .single(let access): .single(access.operand)
        case .text(let access): .text(access.operand)
        }
    }
}
