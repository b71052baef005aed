import Testing
import WeirCore

@testable import WeirRecords

/// Which keys belong together.
@Suite struct KeyPartitionsTests {
    /// The hashes of keys, as a batch gives them.
    private static func hashes(of keys: [String]) -> [UInt64] {
        let bytes = Array(keys.joined(separator: ",").utf8)
        var batch = RecordBatch(schema: RecordSchema(fields: [RecordSchema.Field("key")]), capacity: keys.count)
        var hashes: [UInt64] = []
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            var start = 0
            for key in keys {
                batch.beginRecord(line: 1)
                batch.setField(0, start: start, length: key.utf8.count, encoding: .plain)
                batch.endRecord(start: start, length: key.utf8.count)
                start += key.utf8.count + 1
            }
            hashes = keys.indices.map { batch.stableHash(ofField: 0, inRecordAt: $0) }
        }
        return hashes
    }

    @Test func keysAreSpreadEvenly() {
        let kinds: [String: (Int) -> String] = [
            "numbers": { "\($0)" }, "great numbers": { "\(4_000_000_000 + 16 * $0)" }, "words": { "user\($0)" },
            "addresses": { "10.0.\($0 / 256).\($0 % 256)" }, "decimals": { "\($0 / 10).\($0 % 10)" },
        ]
        for (kind, key) in kinds {
            var counts = Array(repeating: 0, count: KeyPartitions.count)
            for hash in Self.hashes(of: (0..<25_600).map(key)) { counts[KeyPartitions.partition(of: hash)] += 1 }
            // 100 on average; five standard deviations to each side.
            #expect(counts.allSatisfy { (50...150).contains($0) }, "\(kind): \(counts.sorted())")
        }
    }

    @Test func partitionsStayTogether() {
        for workerCount in 1...300 {
            let workers = (0..<KeyPartitions.count).map { KeyPartitions.worker(of: $0, among: workerCount) }
            let counts = Dictionary(grouping: workers) { $0 }.mapValues(\.count)
            #expect(workers.allSatisfy { (0..<workerCount).contains($0) })
            #expect(counts.count == min(workerCount, KeyPartitions.count))
            #expect((counts.values.max() ?? 0) - (counts.values.min() ?? 0) <= 1)
        }
    }

    /// What other programs, and later versions, must find too.
    @Test func partitionsAreTheSameEverywhere() {
        let partitions = Self.hashes(of: ["1", "1.0", "user7", "north", ""]).map { KeyPartitions.partition(of: $0) }
        #expect(partitions[0] == partitions[1])
        #expect(partitions == [138, 138, 206, 117, 193])
    }
}
