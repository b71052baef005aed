import Testing
import WeirTesting

@testable import WeirCore

@Suite struct ChecksumTests {
    @Test func theInstructionAndTheTablesAgree() {
        // The check value of CRC-32C.
        #expect(unsafe Array("123456789".utf8).withUnsafeBytes { unsafe Checksum.of($0) } == 0xE306_9283)
        #expect(unsafe Checksum.of(UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe #expect(Checksum.of(bytes) == Checksum.byTables(bytes), "seed \(seed)")
            }
        }
    }
}
