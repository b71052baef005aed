/// The type of a field, as far as expressions that are built at run time distinguish types.
@frozen
public enum FieldType: String, Sendable, Hashable, Codable, CaseIterable {
    /// True or false.
    case bool
    /// Integers that fit 64 bits with a sign: all of Swift's but the next.
    case integer
    /// `UInt` and `UInt64`.
    case unsigned
    /// `Double`.
    case real
    /// `Float`, which rounds differently.
    case single
    /// A text.
    case text
}

extension FieldType: CustomStringConvertible {
    /// The type's name.
    public var description: String { rawValue }

    /// Whether it can be calculated with.
    var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .real, .single: true
        case .bool, .text: false
        }
    }
}
