import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

@Suite struct FramingTests {
    private static let fields = ["a", "b"].map { RecordSchema.Field($0, isRequired: false) }

    private static func frame(_ bytes: [UInt8]) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
    }

    private static func frame(_ text: String) -> [UInt8] { frame(Array(text.utf8)) }

    private static func read(_ bytes: [UInt8], _ format: any Format, limit: Int = 1 << 20) -> Transcript {
        Transcript(bytes, AnyFormat(format), fields: fields, limit: limit)
    }

    /// So that a transcript can be made of any format.
    private struct AnyFormat: Format {
        let base: any Format

        init(_ base: any Format) { self.base = base }

        var name: String { base.name }
        var summary: String { base.summary }

        func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
            base.makeDecoder(for: schema, limits: limits)
        }
    }

    @Test func aFrameHoldsOneRecordOrMany() {
        let bytes = Self.frame(#"{"a":1}"#) + Self.frame("") + Self.frame("{\"a\":2}\n{\"a\":3}\n")
        let transcript = Self.read(bytes, JSONLinesFormat().framed(by: .length))
        #expect(transcript.records.map(\.fields) == [["1", nil], ["2", nil], ["3", nil]])
        #expect(transcript.rejections.isEmpty && transcript.violations.isEmpty)
    }

    /// Keeps what is written.
    private final class Memory: TransportSink {
        private(set) var bytes: [UInt8] = []
        private(set) var isFinished = false

        func write(_ bytes: Span<UInt8>) { for index in bytes.indices { self.bytes.append(bytes[index]) } }
        func finish() { isFinished = true }
    }

    @Test func aSinkMakesAFrameOfEachLineWhateverPiecesItComesIn() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let lines =
                (0..<20).map { "\($0)" + String(repeating: "x", count: .random(in: 0...40, using: &random)) } + [""]
            let isWhole = Bool.random(using: &random)
            var rest = Array((lines.joined(separator: "\n") + (isWhole ? "\nend\n" : "\nend")).utf8)[...]
            let memory = Memory()
            let sink = LengthFramedSink(memory)
            while !rest.isEmpty {
                let piece = rest.prefix(.random(in: 1...60, using: &random))
                try sink.write(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            try sink.finish()
            #expect(memory.bytes == (lines + ["end"]).flatMap { Self.frame($0) } && memory.isFinished, "seed \(seed)")
        }
    }

    @Test func theHeaderOfCSVComesOnce() {
        for bytes in [
            Self.frame("a,b") + Self.frame("1,2") + Self.frame("3,4\n5,6"),
            Self.frame("a,b\n1,2\n3,4\n") + Self.frame("5,6"),
        ] {
            let transcript = Self.read(bytes, CSVFormat().framed(by: .length))
            #expect(transcript.records.map(\.fields) == [["1", "2"], ["3", "4"], ["5", "6"]])
            #expect(transcript.rejections.isEmpty && transcript.violations.isEmpty)
        }
    }

    @Test func noRecordGoesOnInTheNextFrame() {
        let bytes = Self.frame(#"{"a":"#) + Self.frame("1}") + Self.frame(#"{"a":2}"#)
        let transcript = Self.read(bytes, JSONLinesFormat().framed(by: .length))
        #expect(transcript.records.map(\.fields) == [["2", nil]])
        #expect(transcript.rejections.count == 2)
    }

    @Test func aLongFrameCostsOnlyItself() {
        let long = String(repeating: "x", count: 5_000)
        let bytes = Self.frame(#"{"a":1}"#) + Self.frame(long) + Self.frame(#"{"a":2}"#)
        let transcript = Self.read(bytes, JSONLinesFormat().framed(by: .length), limit: 100)
        #expect(transcript.records.map(\.fields) == [["1", nil], ["2", nil]])
        #expect(
            transcript.rejections.map(\.reason) == ["the frame is longer than 100 bytes; --max-line raises the limit"]
        )
        #expect(transcript.rejections.map(\.raw.count) == [5_000])
    }

    @Test func aTornTailIsRejected() {
        let bytes = Self.frame(#"{"a":1}"#) + Self.frame(#"{"a":2}"#)
        for length in 12..<bytes.count {
            let transcript = Self.read(Array(bytes.prefix(length)), JSONLinesFormat().framed(by: .length))
            #expect(transcript.records.count == 1)
            let reason = length < 15 ? "the input ends inside the length of a frame" : "the input ends inside a frame"
            #expect(transcript.rejections.map(\.reason) == [reason], "\(length)")
        }
    }

    @Test func theResultDoesNotDependOnTheCuts() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            #"{"a":1}"#, #"{"a":"x","b":[1]}"#, "\n", "{", "x", "", "a,b", "\"", "1,2", "1,\"2\n3\"\r\n", "\u{FEFF}",
        ]
        for round in 0..<3_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<8, using: &generator) {
                let text = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                    pieces.randomElement(using: &generator) ?? ""
                }
                bytes += Self.frame(text.joined())
            }
            if Int.random(in: 0..<4, using: &generator) == 0 { bytes.removeLast(min(bytes.count, 3)) }
            let format = (Bool.random(using: &generator) ? CSVFormat() as any Format : JSONLinesFormat()).framed(
                by: .length
            )
            let limit = Bool.random(using: &generator) ? 1_000 : 20
            let whole = Self.read(bytes, format, limit: limit)
            let longest = Int.random(in: 1..<40, using: &generator)
            let cut = Transcript(
                bytes,
                AnyFormat(format),
                fields: Self.fields,
                limit: limit,
                capacity: Int.random(in: 1..<4, using: &generator)
            ) { Int.random(in: 1...longest, using: &generator) }
            guard whole == cut, whole.violations.isEmpty else {
                Issue.record("seed \(seed), round \(round), limit \(limit): \(bytes)\n\(whole)\n\(cut)")
                return
            }
        }
    }

    @Test func aFullBatchAtTheEndOfAFrameHidesNothing() throws {
        // The end mark is missing in the last frame: that is said after its records.
        let whole = try Conversion(Array("a,b\n1,x\n2,y\n".utf8), from: CSVFormat(), to: BinaryFormat()).output
        let section = Array(whole.dropLast(16))  // the end mark
        let bytes = Self.frame(whole) + Self.frame("") + Self.frame(section)
        let format = FramedFormat(BinaryFormat())
        for capacity in 1...4 {
            let transcript = Transcript(bytes, format, fields: Self.fields, capacity: capacity) { 1 }
            #expect(transcript == Transcript(bytes, format, fields: Self.fields))
            #expect(transcript.records.map(\.line) == [1, 2, 3, 4] && transcript.violations.isEmpty)
            #expect(transcript.rejections.count == 1, "the end mark is missing once")
        }
    }

    @Test func encodersFrameEachRecord() throws {
        let text = Array("a,b\n1,x\n2,y\n".utf8)
        let framed = try Conversion(text, from: CSVFormat(), to: JSONLinesFormat().framed(by: .length))
        #expect(framed.output == Self.frame("{\"a\":1,\"b\":\"x\"}\n") + Self.frame("{\"a\":2,\"b\":\"y\"}\n"))
        let back = try Conversion(framed.output, from: JSONLinesFormat().framed(by: .length), to: CSVFormat())
        #expect(back.output == text)
    }

    @Test func lengthsAreBigEndian() {
        var header: [UInt8] = [0, 0, 0, 0]
        unsafe header.withUnsafeMutableBufferPointer { header in
            var span = unsafe header.mutableSpan
            Framing.writeLength(0x0102_0304, to: &span)
        }
        #expect(header == [1, 2, 3, 4])
    }
}
