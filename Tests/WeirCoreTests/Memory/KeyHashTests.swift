import Testing
import WeirCore

@Suite struct KeyHashTests {
    /// How many places a table at a load of one half looks at for each key, on average.
    private static func probes(_ keys: [UInt64], _ hash: KeyHash<UInt64>) -> Double {
        var taken = Array(repeating: false, count: keys.count * 2)
        var total = 0
        for key in keys {
            var place = Int(hash(key) % UInt64(taken.count))
            total += 1
            while taken[place] {
                place = (place + 1) % taken.count
                total += 1
            }
            taken[place] = true
        }
        return Double(total) / Double(keys.count)
    }

    @Test func patternsOfKeysAreSpreadAsIfByChance() {
        let factors: [UInt64] = [1, 0x9E37_79B9_7F4A_7C15, 0xF1DE_83E1_9937_733D, 0xBF58_476D_1CE4_E5B9]
        for factor in factors {
            for shift in 0..<52 {
                let keys = (0..<4096).map { ($0 << shift) &* factor }
                // By chance it is 1.5.
                #expect(Self.probes(keys, KeyHash()) < 2, "\(factor), \(shift)")
            }
        }
    }

    @Test func equalKeysHaveOneHashAndEachHashItsOwnSeed() {
        let (first, second) = (KeyHash<Int32>(), KeyHash<Int32>())
        #expect((0..<1000).allSatisfy { first($0) == first($0) })
        #expect((0..<1000).contains { first($0) != second($0) })
        let words = KeyHash<String>()
        #expect(words("caf\u{E9}") == words("cafe\u{301}"), "they are equal")
    }
}
