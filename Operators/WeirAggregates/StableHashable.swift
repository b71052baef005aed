/// A value whose hash is the same in every process and on every machine, unlike `Hashable`'s.
///
/// Equal values must have equal hashes.
public protocol StableHashable: Sendable {
    /// The hash: all 64 bits should depend on all of the value. ``mixedBits(_:)`` helps.
    var stableHash: UInt64 { get }
}

/// Mixes the bits of a number, so that each depends on all (the finaliser of splitmix64); different numbers stay
/// different.
@inlinable
public func mixedBits(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
}

extension StableHashable where Self: BinaryInteger {
    @inlinable
    public var stableHash: UInt64 { mixedBits(UInt64(truncatingIfNeeded: self)) }
}

extension Int: StableHashable {}
extension Int8: StableHashable {}
extension Int16: StableHashable {}
extension Int32: StableHashable {}
extension Int64: StableHashable {}
extension UInt: StableHashable {}
extension UInt8: StableHashable {}
extension UInt16: StableHashable {}
extension UInt32: StableHashable {}
extension UInt64: StableHashable {}

extension Double: StableHashable {
    @inlinable
    public var stableHash: UInt64 { mixedBits(self == 0 ? 0 : bitPattern) }
}

extension String: StableHashable {
    /// FNV-1a over the UTF-8, mixed; strings that are only canonically equal count as different.
    @inlinable
    public var stableHash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return mixedBits(hash)
    }
}
