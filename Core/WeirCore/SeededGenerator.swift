/// The generator splitmix64: the same seed gives the same numbers, on every machine and in every version.
///
/// For demos and tests that can be repeated; of no use where numbers must not be guessed.
///
///     var random = SeededGenerator(seed: 42)
///     Int.random(in: 1...6, using: &random)
///
/// - Complexity: O(1) per number, no state but 64 bits.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
@frozen
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: The same seed gives the same numbers.
    @inlinable
    public init(seed: UInt64) {
        state = seed
    }

    @inlinable
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number between 0 and 1, without 1, evenly spread.
    @inlinable
    public mutating func nextUnit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number between -2 and 2, close to normal around 0: four even draws, added up and centred.
    @inlinable
    public mutating func nextNoise() -> Double {
        (0..<4).reduce(-2.0) { sum, _ in sum + nextUnit() }
    }
}
