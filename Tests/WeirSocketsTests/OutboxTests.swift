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
        var places: Set<Int> = []
        for round in 1...4 {
            for messages in [["a", "bc"], [String(repeating: "x", count: round)]] {
                let isTaken = if case .taken = outbox.offer(Self.batch(messages)) { true } else { false }
                #expect(isTaken)
            }
            var batch = try #require(outbox.next())
            #expect(batch.bytes == Array("abc\(String(repeating: "x", count: round))".utf8))
            #expect(batch.ends == [1, 3, 3 + round] && batch.messages == 3)
            #expect(batch.offset == 0 && batch.sentMessages == 0 && outbox.isEmpty)
            unsafe batch.bytes.withUnsafeBytes { _ = places.insert(Int(bitPattern: $0.baseAddress)) }
            batch.advance(messages: 3)
            outbox.recycle(&batch)
        }
        #expect(places.count == 1)
    }

    @Test func aBatchThatWasLongKeepsNoMemory() {
        var batch = Self.batch([String(repeating: "x", count: 3 << 20)])
        batch.removeAll()
        #expect(batch.bytes.isEmpty && batch.bytes.capacity == 0 && batch.ends.isEmpty && batch.messages == 0)
    }
}
