import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

@Suite struct CSVPropertyTests {
    private let fields = ["a", "b", "c"].map { RecordSchema.Field($0) }

    /// A document of the characters that matter, more or less valid.
    static func document(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = Bool.random(using: &generator) ? [] : [0xEF, 0xBB, 0xBF]
        let end: [UInt8] = Bool.random(using: &generator) ? [0x0A] : [0x0D, 0x0A]
        for _ in 0..<max(0, Int.random(in: -4..<3, using: &generator)) { bytes += end }
        bytes += Array((Int.random(in: 0..<8, using: &generator) == 0 ? "b,\"c\",a" : "a,b,c").utf8) + end
        let pieces = [
            "1", "-2.5", "word", "\"q\"", "\"d\"\"q\"", "\"\"", "\"x\r\ny\"", "é", "", " 7 ", "\"a,b\"", "\"\n\n\"",
        ]
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let count = Int.random(in: 0..<10, using: &generator) == 0 ? Int.random(in: 0..<6, using: &generator) : 3
            let row = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
            bytes += Array(row.joined(separator: ",").utf8) + end
        }
        if Bool.random(using: &generator), bytes.last == 0x0A { bytes.removeLast() }
        let special: [UInt8] = [0x22, 0x2C, 0x0A, 0x0D, 0x41, 0xFF, 0x00, 0xC3]
        for _ in 0..<(Bool.random(using: &generator) ? 0 : Int.random(in: 0..<6, using: &generator))
        where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = special.randomElement(using: &generator) ?? 0
            case 1: bytes.insert(special.randomElement(using: &generator) ?? 0, at: place)
            default: bytes.remove(at: place)
            }
        }
        return bytes
    }

    @Test func agreesWithTheReferenceHoweverItIsCut() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<10_000 {
            let bytes = Self.document(&generator)
            let limit = Bool.random(using: &generator) ? 1000 : Int.random(in: 16..<40, using: &generator)
            var reference = ReferenceCSV(bytes, limit: limit)
            let (records, rejections, isRefused) = reference.read(fields: fields.map(\.name))
            let longest = Int.random(in: 1..<40, using: &generator)
            let capacity = Int.random(in: 1..<5, using: &generator)
            let cut = Transcript(bytes, CSVFormat(), fields: fields, limit: limit, capacity: capacity) {
                Int.random(in: 1...longest, using: &generator)
            }
            let whole = Transcript(bytes, CSVFormat(), fields: fields, limit: limit)
            let isRight =
                cut == whole && whole.violations.isEmpty && (whole.error != nil) == isRefused
                && whole.records == (isRefused ? [] : records) && whole.rejections == (isRefused ? [] : rejections)
            guard isRight else {
                Issue.record(
                    """
                    seed \(seed), round \(round), limit \(limit), pieces up to \(longest), capacity \(capacity)
                    \(String(decoding: bytes, as: UTF8.self).debugDescription)
                    whole \(whole)
                    cut \(cut)
                    reference \(records) \(rejections) \(isRefused)
                    """
                )
                return
            }
        }
    }

    /// Lines that all start with a stray quote: nothing may be scanned again and again.
    @Test func strayQuotesCostOneLineEach() {
        let bytes = Array(("a,b\n" + String(repeating: "\"x,y\n", count: 1001) + "1,2\n").utf8)
        let transcript = Transcript(bytes, CSVFormat(), fields: [RecordSchema.Field("a")])
        #expect(transcript.records == [Transcript.Record(line: 1003, fields: ["1"])])
        #expect(transcript.rejections.map(\.line) == Array(2...1002))
    }
}
