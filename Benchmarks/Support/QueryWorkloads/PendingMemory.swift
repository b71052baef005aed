internal import CAllocations
internal import Comparing
internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// The memory of pending matches.
enum PendingMemory {
    /// How much memory a sequence takes for a key with one event that waits, beside the text of the event.
    ///
    /// - Parameter keyCount: How many keys there are.
    /// - Returns: Bytes; not a number where the C library does not tell what is allocated.
    /// - Throws: `WrongResult` where not all of them wait.
    static func bytesPerKey(keyCount: Int) throws -> Double {
        let query = "sequence by key with maxspan=1h [A where true] [B where true] [C where true]"
        var lines: [UInt8] = []
        var eventBytes = 0
        for key in 0..<keyCount {
            let line = "{\"time\":\(key),\"key\":\(key),\"type\":\"A\"}"
            lines += line.utf8
            lines.append(UInt8(ascii: "\n"))
            // Its text alone: what it takes to keep that counts.
            eventBytes += line.utf8.count
        }
        let output = MatchOutput()
        let consumer = try QueryMatching.start([query], output)
        var reader = RecordReader(ByteSource(lines), format: JSONLinesFormat(), schema: consumer.schema)
        let before = callocations_bytes()
        guard before >= 0 else { return .nan }
        while try reader.next({ batch in consumer.receive(&batch) }) {}
        let after = callocations_bytes()
        guard output.partialMatches == keyCount else {
            throw WrongResult(output.partialMatches ?? 0, insteadOf: keyCount)
        }
        consumer.finish(.finished)
        return Double(Int(after - before) - eventBytes) / Double(keyCount)
    }
}
