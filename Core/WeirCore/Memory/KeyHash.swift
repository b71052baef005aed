/// Computes the home bucket of a key in a hash table.
///
/// Integers are mixed with a seed that differs from hash to hash, so that an attacker cannot choose keys that collide;
/// other keys are hashed by Swift's seeded hash, and mixed too.
@frozen
public struct KeyHash<Key: Hashable & Sendable>: Sendable {
    @usableFromInline let seed: UInt64

    /// Creates a hash with a seed of its own.
    @inlinable
    public init() {
        seed = UInt64.random(in: .min ... .max)
    }

    /// The hash of a key, of which any bits can be used.
    ///
    /// - Parameter key: The key.
    /// - Returns: The same for equal keys, as long as the hash lives.
    /// - Complexity: O(1) for integers, else that of the key's own hash.
    @inlinable
    public func callAsFunction(_ key: Key) -> UInt64 {
        // The casts are decided when the type is known, at compile time.
        let bits: UInt64 =
            switch key {
            case let key as Int: UInt64(truncatingIfNeeded: key)
            case let key as UInt32: UInt64(key)
            case let key as Int32: UInt64(truncatingIfNeeded: key)
            case let key as UInt64: key
            case let key as Int64: UInt64(truncatingIfNeeded: key)
            default: UInt64(truncatingIfNeeded: key.hashValue)
            }
        // One multiplication alone would leave patterns of keys whose products have the same low bits.
        let (high, low) = (bits ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        let folded = (high ^ low ^ seed).multipliedFullWidth(by: 0xBF58_476D_1CE4_E5B9)
        return folded.high ^ folded.low
    }
}
