import Testing
import WeirCore
import WeirTesting

@testable import WeirFormats

@Suite struct CSVRecordScannerTests {
    /// Counts what the scanner passes when a flaw costs only the first line, over every short text and long random ones.
    @Test func noByteIsScannedMoreThanTwice() {
        let alphabet = Array("\",\nx".utf8)
        for number in 0..<(1 << 16) {
            let text = (0..<8).map { alphabet[number >> (2 * $0) & 3] }
            #expect(scannedCount(text) <= 2 * text.count, "\(String(decoding: text, as: UTF8.self).debugDescription)")
        }
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<200 {
            // Few other characters, so that quotes stay open over many lines.
            let text = (0..<2000).map { _ in
                alphabet[[0, 0, 0, 1, 2, 2, 2, 3][Int.random(in: 0..<8, using: &generator)]]
            }
            #expect(scannedCount(text) <= 2 * text.count, "seed \(seed), round \(round)")
        }
    }

    private func scannedCount(_ text: [UInt8]) -> Int {
        unsafe text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            var start = 0
            var total = 0
            while start < text.count {
                var scanner = CSVRecordScanner()
                let rest = text.count - start
                switch unsafe scanner.scan(base + start, count: rest, isFinal: true) {
                case .record(let end): start += end + 1
                case .flaw(_, let lineEnd): start += lineEnd + 1
                case .incomplete:
                    Issue.record("incomplete at the end")
                    return 0
                }
                total += scanner.offset
            }
            return total
        }
    }
}
