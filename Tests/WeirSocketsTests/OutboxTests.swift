import Testing
import WeirRecords

@testable import WeirSockets

@Suite struct OutboxTests {
    private static func batch(_ messages: [String]) -> OutgoingBatch {
        var batch = OutgoingBatch()
        for message in messages { unsafe Array(message.utf8).withUnsafeBytes { unsafe batch.append(message: $0) } }
        return batch
    }

    /// What was sent leaves nothing behind in the memory that the next batch takes.
    @Test func theMemoryOfABatchThatWasSentIsUsedAgain() throws {
        let outbox = try Outbox(OutboxSettings(), canSpill: false, meter: TransportMeter(), address: "test")
        for length in [10_000, 1, 2, 3] {
            for messages in [["a", "bc"], [String(repeating: "x", count: length)]] {
                let isTaken = if case .taken = outbox.offer(Self.batch(messages)) { true } else { false }
                #expect(isTaken)
            }
            var batch = try #require(outbox.next())
            #expect(batch.bytes == Array("abc\(String(repeating: "x", count: length))".utf8))
            #expect(batch.ends == [1, 3, 3 + length] && batch.messages == 3)
            #expect(batch.offset == 0 && batch.sentMessages == 0 && outbox.isEmpty)
            // That of the first one; its place says nothing, for what was freed is often given out again.
            #expect(batch.bytes.capacity >= 10_000)
            batch.advance(messages: 3)
            outbox.recycle(&batch)
        }
    }

    @Test func aBatchThatWasLongKeepsNoMemory() {
        var batch = Self.batch([String(repeating: "x", count: 3 << 20)])
        batch.removeAll()
        #expect(batch.bytes.isEmpty && batch.bytes.capacity == 0 && batch.ends.isEmpty && batch.messages == 0)
    }
}
