import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirRecords

@testable import weir

/// Pieces of an input, where the threads that decode them stand still.
@Suite struct SplitReadingTests {
    /// Where the threads that decode wait until the one that asks has decoded two pieces.
    private final class Gate: Sendable {
        private let condition = NSCondition()
        private let state = Locked((hasEnded: false, decodedByAsker: 0))

        var decodedByAsker: Int { state.withLock { $0.decodedByAsker } }

        func noteEnd() { note { $0.hasEnded = true } }

        func noteDecoding() { note { $0.decodedByAsker += 1 } }

        func waitForEnd() { wait { $0.hasEnded } }

        func waitForDecoding() { wait { $0.decodedByAsker >= 2 } }

        private func note(_ change: (inout (hasEnded: Bool, decodedByAsker: Int)) -> Void) {
            condition.withLock {
                state.withLock { change(&$0) }
                condition.broadcast()
            }
        }

        /// Waits; after ten seconds the test fails rather than hangs.
        private func wait(for isReached: ((hasEnded: Bool, decodedByAsker: Int)) -> Bool) {
            let deadline = Date(timeIntervalSinceNow: 10)
            condition.withLock {
                while !state.withLock({ isReached($0) }) {
                    guard condition.wait(until: deadline) else {
                        Issue.record("nothing came for ten seconds")
                        return
                    }
                }
            }
        }
    }

    /// Says when its end was reached.
    private final class Source: TransportSource {
        private var rest: ArraySlice<UInt8>
        private let gate: Gate

        init(_ text: String, _ gate: Gate) {
            rest = Array(text.utf8)[...]
            self.gate = gate
        }

        var expectedByteCount: Int64? { nil }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            if rest.isEmpty { gate.noteEnd() }
            let part = rest.prefix(buffer.count)
            unsafe buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
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
                if ObjectIdentifier(Thread.current) == asker {
                    gate.noteDecoding()
                } else if unsafe !bytes.starts(with: "0,".utf8) {
                    gate.waitForDecoding()
                }
            }
            return unsafe try base.decode(bytes, isFinal: isFinal, into: &batch)
        }
    }

    /// Six pieces for two threads, of which each has begun one: those behind are decoded by the thread that asks, which keeps
    /// their order and loses none.
    @Test func theThreadThatAsksDecodesWhatNoneHasBegun() throws {
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
            HeadKeepingSource(Source(text, gate), keepsHead: false),
            HeldDecoder(base: decoder, gate: gate, asker: ObjectIdentifier(Thread.current)),
            schema: schema,
            limits: FormatLimits(),
            batchCapacity: 1024,
            threadCount: 2
        )
        var (lines, batches): ([UInt64], Int) = ([], 0)
        while try reading.next({ batch in
            batches += 1
            for index in 0..<batch.count { lines.append(batch.line(ofRecordAt: index)) }
            // From here on pieces wait: all were read, and each thread has begun at most one.
            if batches == 1 { gate.waitForEnd() }
        }) {}
        reading.close()
        #expect(lines.count == count)
        #expect(lines == (0..<lines.count).map { UInt64($0) + 2 })
        #expect(gate.decodedByAsker >= 2)
    }
}
