import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

@Suite struct SplittingTests {
    private func check(
        _ format: some Format,
        _ fields: [String],
        rounds: Int,
        _ document: (inout SeededGenerator) -> [UInt8]
    ) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let fields = fields.map { RecordSchema.Field($0) }
        for round in 0..<rounds {
            var bytes: [UInt8] = []
            for _ in 0...Int.random(in: 0..<3, using: &generator) { bytes += document(&generator) }
            let limit = Bool.random(using: &generator) ? 1000 : Int.random(in: 16..<40, using: &generator)
            let longest = Int.random(in: 1..<60, using: &generator)
            let whole = Transcript(bytes, format, fields: fields, limit: limit)
            let split = try Transcript(
                splitting: bytes,
                format,
                fields: fields,
                limit: limit,
                capacity: Int.random(in: 1..<5, using: &generator)
            ) {
                Int.random(in: 1...longest, using: &generator)
            }
            guard split == whole else {
                Issue.record(
                    """
                    seed \(seed), round \(round), limit \(limit), pieces up to \(longest)
                    \(String(decoding: bytes, as: UTF8.self).debugDescription)
                    whole \(whole)
                    split \(split)
                    """
                )
                return
            }
        }
    }

    @Test func piecesOfCSVGiveWhatTheWholeGives() throws {
        try check(CSVFormat(), ["a", "b", "c"], rounds: 10_000) { CSVPropertyTests.document(&$0) }
    }

    /// Also where the bytes that tell come one by one.
    @Test(arguments: [1, 2, 100]) func compressedInputIsNamed(piece: Int) throws {
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 10, 10]
        let fields = [RecordSchema.Field("a")]
        for format in [CSVFormat(), JSONLinesFormat()] as [any Format] {
            func check(_ format: some Format) throws {
                let split = try Transcript(splitting: bytes, format, fields: fields, limit: 100, capacity: 2) { piece }
                #expect(split.error == .compressed("gzip"), "\(split)")
            }
            try check(format)
        }
    }

    @Test func piecesOfJSONLinesGiveWhatTheWholeGives() throws {
        try check(JSONLinesFormat(), ["a", "b"], rounds: 5000) { generator in
            let lines = [
                #"{"a":1,"b":"x"}"#, #"{"b":"\\n\"","a":[1,2]}"#, "", "{", #"{"a":"#, "\u{FEFF}{}", #"{"a":"é"}"#,
                String(repeating: " ", count: 50) + "{}", "\r",
            ]
            let count = Int.random(in: 0..<12, using: &generator)
            let text = (0..<count).map { _ in lines.randomElement(using: &generator) ?? "" }.joined(separator: "\n")
            return Array(text.utf8)
        }
    }
}
