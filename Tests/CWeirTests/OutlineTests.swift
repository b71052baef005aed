import CWeir
import Testing

/// The parts of bytes, and their fingerprints.
@Suite struct OutlineTests {
    private static func parts(_ bytes: [UInt8], key: [UInt64]) -> [cweir_part_t] {
        let none = cweir_part_t(fingerprint: (0, 0), length: 0)
        var parts = [cweir_part_t](repeating: none, count: bytes.count / Int(CWEIR_PART_LEAST) + 1)
        let count = unsafe cweir_outline(bytes, bytes.count, key, &parts, parts.count)
        return Array(parts[..<count])
    }

    /// The first of the vectors of the paper's authors, for the key 00 01 … 0f and the bytes 00, 00 01 and so on.
    @Test func fingerprintsAreThoseOfSipHash() {
        let key: [UInt64] = [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]
        let one = Self.parts([0], key: key)
        #expect(one.count == 1 && one[0].length == 1)
        #expect(one[0].fingerprint.0 == 0x44af_996b_d8c1_87da as UInt64)
        #expect(one[0].fingerprint.1 == 0x45fc_229b_1159_7634 as UInt64)
    }

    @Test func partsAreAllOfTheBytes() {
        for count in [1, 255, 256, 257, 8192, 8193, 300_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
            let parts = Self.parts(bytes, key: [1, 2])
            #expect(parts.reduce(0) { $0 + $1.length } == count)
            #expect(parts.dropLast().allSatisfy { (256...8192).contains($0.length) })
            #expect(count < 300_000 || (200...800).contains(parts.count))
        }
    }
}
