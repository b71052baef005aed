import Testing
import WeirCore
import WeirRecords

@Suite struct RecordReaderTests {
    private let schema = RecordSchema(fields: [RecordSchema.Field("text")])

    private enum Key: Int, FieldKey {
        case text
    }

    /// All lines, and the sizes of the batches they came in.
    private func lines(_ reader: inout RecordReader) throws -> (lines: [String], batches: [Int]) {
        var lines: [String] = []
        var batches: [Int] = []
        while try reader.next({ batch in
            batches.append(batch.count)
            for index in 0..<batch.count {
                lines.append(try batch.withRecord(at: index, keyedBy: Key.self) { try $0.string(.text) })
            }
        }) {}
        return (lines, batches)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1 << 18], [1, 2, 5, 512])
    func findsTheSameRecordsWhateverTheChunks(chunkLength: Int, batchCapacity: Int) throws {
        let expected = (0..<200).map { String(repeating: "x", count: $0 % 37) + "\($0)" }
        for end in ["", "\n"] {
            let bytes = Array((expected.joined(separator: "\n") + end).utf8)
            var reader = RecordReader(
                ByteSource(bytes),
                format: LineFormat(),
                schema: schema,
                limits: FormatLimits(lineLength: 64),
                chunkLength: chunkLength,
                batchCapacity: batchCapacity
            )
            let result = try lines(&reader)
            #expect(result.lines == expected)
            #expect(result.batches.allSatisfy { $0 <= batchCapacity })
            #expect(reader.byteCount == Int64(bytes.count))
            #expect(reader.lastLine == 200)
        }
    }

    @Test func handsOutWhatIsCompleteBeforeItReadsOn() throws {
        let source = ScriptedSource(["a\nb", "c\n", "\n", "d"])
        var reader = RecordReader(source, format: LineFormat(), schema: schema)
        var seen: [String] = []
        while try reader.next({ batch in
            seen.append("\(source.readCount):\(batch.count)")
        }) {}
        #expect(seen == ["1:1", "2:1", "3:1", "5:1"])
    }

    @Test func saysNothingOfAnEmptyInput() throws {
        var reader = RecordReader(ByteSource([]), format: FailingFormat(), schema: schema)
        #expect(try reader.next { _ in Issue.record("there is nothing to hand out") } == false)
        #expect(reader.byteCount == 0)
        #expect(reader.lastLine == 0)
    }

    @Test func growsToTheLineLimit() throws {
        let long = String(repeating: "y", count: 100_000)
        var reader = RecordReader(
            ByteSource(Array("\(long)\nz\n".utf8)),
            format: LineFormat(),
            schema: schema,
            limits: FormatLimits(lineLength: 100_000),
            chunkLength: 16
        )
        #expect(try lines(&reader).lines == [long, "z"])
    }

    @Test func endsWhereTheSourceBreaksOff() throws {
        let source = ScriptedSource(["a\nb\n"], failure: .readFailed(address: "there", reason: "gone"))
        var reader = RecordReader(source, format: LineFormat(), schema: schema)
        #expect(try reader.nextIgnored())
        #expect(throws: TransportError.readFailed(address: "there", reason: "gone")) { try reader.nextIgnored() }
        #expect(try reader.nextIgnored() == false)
    }

    @Test func rejectsWhatIsNotWholeWhereTheSourceBreaksOff() throws {
        let source = ScriptedSource(["a\nb\n\n\nc", "d"], failure: .readFailed(address: "there", reason: "gone"))
        var reader = RecordReader(source, format: LineFormat(), schema: schema)
        #expect(try reader.nextIgnored())
        var rejections: [Rejection] = []
        var rest: [UInt8] = []
        let hasMore = try reader.next { batch in
            #expect(batch.count == 0)
            rejections = batch.rejections
            rest = batch.rejections.flatMap { batch.raw($0) }
        }
        #expect(hasMore)
        #expect(rejections.map(\.line) == [5])
        #expect(rejections.map(\.reason) == ["the input broke off before its end"])
        #expect(rest == Array("cd".utf8))
        #expect(reader.lastLine == 5)
        #expect(throws: TransportError.readFailed(address: "there", reason: "gone")) { try reader.nextIgnored() }
        #expect(try reader.nextIgnored() == false)
    }

    @Test func leavesWhatAnInterruptionLeavesInASourceThatDoesNotDrain() throws {
        let source = ScriptedSource(["a\nb"], failure: .interrupted(address: "there"))
        var reader = RecordReader(source, format: LineFormat(), schema: schema)
        #expect(try reader.nextIgnored())
        #expect(throws: TransportError.interrupted(address: "there")) { try reader.nextIgnored() }
        #expect(try reader.nextIgnored() == false)
    }

    @Test func endsWhereTheFormatGivesUp() throws {
        var reader = RecordReader(ByteSource([1]), format: FailingFormat(), schema: schema)
        #expect(throws: FormatError.badHeader("no")) { try reader.nextIgnored() }
        #expect(try reader.nextIgnored() == false)
    }

    @Test func goesOnAfterAnErrorOfTheConsumer() throws {
        struct Refusal: Error {}
        var reader = RecordReader(
            ByteSource(Array("a\nb\n".utf8)),
            format: LineFormat(),
            schema: schema,
            batchCapacity: 1
        )
        #expect(throws: Refusal.self) { try reader.nextThrowing(Refusal()) }
        #expect(try lines(&reader).lines == ["b"])
    }
}

extension RecordReader {
    fileprivate mutating func nextIgnored() throws -> Bool {
        try next { _ in }
    }

    fileprivate mutating func nextThrowing(_ error: some Error) throws {
        _ = try next { _ in throw error }
    }
}

/// A source that hands out given pieces, one per read.
private final class ScriptedSource: TransportSource {
    let expectedByteCount: Int64? = nil
    private(set) var readCount = 0
    private var pieces: ArraySlice<String>
    private let failure: TransportError?

    init(_ pieces: [String], failure: TransportError? = nil) {
        self.pieces = pieces[...]
        self.failure = failure
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        readCount += 1
        guard let piece = pieces.popFirst() else {
            if let failure { throw failure }
            return 0
        }
        unsafe buffer.copyBytes(from: Array(piece.utf8))
        return piece.utf8.count
    }
}

/// Each line is a record of one field.
private struct LineFormat: Format {
    let name = "lines"
    let summary = "Each line is a record."

    func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        Decoder()
    }

    private struct Decoder: RecordDecoder {
        private var line: UInt64 = 0

        mutating func decode(
            _ bytes: UnsafeRawBufferPointer,
            isFinal: Bool,
            into batch: inout RecordBatch
        ) throws(FormatError) -> Int {
            var start = 0
            while !batch.isFull {
                let end = unsafe bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
                guard let end = end ?? (isFinal && start < bytes.count ? bytes.count : nil) else { break }
                line += 1
                batch.beginRecord(line: line)
                batch.setField(0, start: start, length: end - start, encoding: .plain)
                batch.endRecord(start: start, length: end - start)
                start = min(end + 1, bytes.count)
            }
            return start
        }
    }
}

/// Cannot read anything.
private struct FailingFormat: Format {
    let name = "failing"
    let summary = "Fails."

    func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        Decoder()
    }

    private struct Decoder: RecordDecoder {
        mutating func decode(
            _ bytes: UnsafeRawBufferPointer,
            isFinal: Bool,
            into batch: inout RecordBatch
        ) throws(FormatError) -> Int {
            throw .badHeader("no")
        }
    }
}
