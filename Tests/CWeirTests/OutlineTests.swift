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

    /// Those of the paper's authors, for the key 00 01 … 0f and the bytes 00, 00 01 and so on; the last one is another
    /// implementation's.
    @Test(
        arguments: [
            (1, 0x44af_996b_d8c1_87da, 0x45fc_229b_1159_7634), (8, 0x61f5_5862_baa9_623b, 0xb497_14f3_64e2_830f),
            (15, 0x11a8_b033_99e9_9354, 0xd9c3_cf97_0fec_087e), (63, 0x4a83_502f_77d1_5051, 0x7cbd_3f97_9a06_3e50),
            (256, 0x464c_83d3_0403_a067, 0xcb9a_575f_7bee_ea12),
        ] as [(Int, UInt64, UInt64)]
    )
    func fingerprintsAreThoseOfSipHash(count: Int, low: UInt64, high: UInt64) {
        let key: [UInt64] = [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]
        let parts = Self.parts((0..<count).map { UInt8($0) }, key: key)
        #expect(parts.map(\.length) == [count])
        #expect(parts.map(\.fingerprint.0) == [low] && parts.map(\.fingerprint.1) == [high])
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
