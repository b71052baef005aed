import Testing
import WeirCore
import WeirRecords

/// Comparisons of whole columns, beside those of single numbers.
struct ColumnComparisonTests {
    private static let comparisons: [(ColumnComparison, @Sendable (Double, Double) -> Bool)] = [
        (.equal, { $0 == $1 }), (.notEqual, { $0 != $1 }), (.less, { $0 < $1 }), (.lessOrEqual, { $0 <= $1 }),
        (.greater, { $0 > $1 }), (.greaterOrEqual, { $0 >= $1 }),
    ]

    @Test
    func areThoseOfEachNumber() {
        for seed in 0..<UInt64(300) {
            var random = SeededGenerator(seed: seed)
            let special = [0.0, -0.0, 1, -1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude]
            let numbers = (0..<Int.random(in: 0...600, using: &random)).map { _ in
                special[Int.random(in: 0..<special.count, using: &random)]
            }
            let start = Int.random(in: 0...numbers.count, using: &random)
            let rows = start..<min(numbers.count, start + Int.random(in: 0...512, using: &random))
            let constant = special[Int.random(in: 0..<special.count, using: &random)]
            for (comparison, holds) in Self.comparisons {
                let bits = comparison.bits(of: numbers, rows, with: constant)
                var expected = SIMD8<UInt64>.zero
                for (place, row) in rows.enumerated() where holds(numbers[row], constant) {
                    expected[place >> 6] |= 1 << UInt64(place & 63)
                }
                #expect(bits == expected, "seed \(seed), \(comparison) \(constant)")
            }
        }
    }
}
