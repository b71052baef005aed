import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirRecords

@testable import weir

/// Pieces of an input, where the threads that decode them stand still.
@Suite struct SplitReadingTests {
    /// Where the other threads wait until the one that asks has decoded a piece.
    private final class Gate: Sendable {
        private let condition = NSCondition()
        private let state = Locked((held: 0, decodedByAsker: 0))

        var decodedByAsker: Int { state.withLock { $0.decodedByAsker } }

        func noteDecoding() { note { $0.decodedByAsker += 1 } }

        /// Waits until others are held back, unless the one that asks has decoded a piece already, which lets all go on.
        func waitUntilHeld(_ count: Int) { wait { $0.held >= count || $0.decodedByAsker > 0 } }

        func waitForDecoding() {
            note { $0.held += 1 }
            wait { $0.decodedByAsker > 0 }
        }

        private func note(_ change: (inout (held: Int, decodedByAsker: Int)) -> Void) {
            condition.withLock {
                state.withLock { change(&$0) }
                condition.broadcast()
            }
        }

        /// Waits; after two minutes the test fails rather than hangs.
        private func wait(for isReached: ((held: Int, decodedByAsker: Int)) -> Bool) {
            let deadline = Date(timeIntervalSinceNow: 120)
            condition.withLock {
                while !state.withLock({ isReached($0) }) {
                    guard condition.wait(until: deadline) else {
                        Issue.record("nothing came for two minutes")
                        return
                    }
                }
            }
        }
    }

    /// Holds the threads back that are not the one that asks, but for the first piece.
    private struct HeldDecoder: SplittableDecoder {
        var base: any SplittableDecoder
        let gate: Gate
        let asker: ObjectIdentifier

        var line: UInt64 {
            get { base.line }
            set { base.line = newValue }
        }
        var isBetweenRecords: Bool { base.isBetweenRecords }
        var isBehindPrelude: Bool { base.isBehindPrelude }
        var canGoOn: Bool { base.canGoOn }

        mutating func readPrelude(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
            unsafe try base.readPrelude(bytes, isFinal: isFinal)
        }

        func recordEnd(in bytes: UnsafeRawBufferPointer) -> Int? { unsafe base.recordEnd(in: bytes) }

        mutating func decode(
            _ bytes: UnsafeRawBufferPointer,
            isFinal: Bool,
            into batch: inout RecordBatch
        ) throws(FormatError) -> Int {
            // At the start of a piece: lines are counted from the first record until they are known.
            if unsafe line == 2 && !bytes.isEmpty {
                let isFirst = unsafe bytes.starts(with: "0,".utf8)
                switch (isFirst, ObjectIdentifier(Thread.current) == asker) {
                case (true, _): break
                case (false, true): gate.noteDecoding()
                case (false, false): gate.waitForDecoding()
                }
            }
            return unsafe try base.decode(bytes, isFinal: isFinal, into: &batch)
        }
    }

    /// Six pieces, while each other thread has begun one: the thread that asks decodes one behind those, which comes in its
    /// turn.
    @Test(arguments: [2, 3]) func theThreadThatAsksDecodesWhatNoneHasBegun(threadCount: Int) throws {
        let gate = Gate()
        let padding = String(repeating: "x", count: 100)
        // Four pieces and a part of one; the sixth has the end alone.
        let count = 4 * (256 << 10) / 108 + 1000
        let text = "row,text\n" + (0..<count).map { "\($0),\(padding)\n" }.joined()
        let schema = RecordSchema(fields: [RecordSchema.Field("row")])
        let decoder = try #require(
            CSVFormat().makeDecoder(for: schema, limits: FormatLimits()) as? any SplittableDecoder
        )
        let reading = SplitReading(
            HeadKeepingSource(ByteSource(Array(text.utf8)), keepsHead: false),
            HeldDecoder(base: decoder, gate: gate, asker: ObjectIdentifier(Thread.current)),
            schema: schema,
            limits: FormatLimits(),
            batchCapacity: 1024,
            threadCount: threadCount
        )
        var (lines, batches): ([UInt64], Int) = ([], 0)
        while try reading.next({ batch in
            batches += 1
            for index in 0..<batch.count { lines.append(batch.line(ofRecordAt: index)) }
            if batches == 1 { gate.waitUntilHeld(threadCount - 1) }
        }) {}
        reading.close()
        #expect(lines.count == count)
        #expect(lines == (0..<lines.count).map { UInt64($0) + 2 })
        #expect(gate.decodedByAsker >= 1)
    }
}
