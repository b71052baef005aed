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
        longest longestPiece: Int = 60,
        _ document: (inout SeededGenerator) -> [UInt8]
    ) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let fields = fields.map { RecordSchema.Field($0) }
        for round in 0..<rounds {
            var bytes: [UInt8] = []
            for _ in 0...Int.random(in: 0..<3, using: &generator) { bytes += document(&generator) }
            let limit = Bool.random(using: &generator) ? 1000 : Int.random(in: 16..<40, using: &generator)
            let longest = Int.random(in: 1..<longestPiece, using: &generator)
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

    /// More batches than a piece holds, quotes around what looks like the end of a record among them.
    @Test func piecesOfManyRecordsGiveWhatTheWholeGives() throws {
        try check(CSVFormat(), ["a", "b"], rounds: 200, longest: 2000) { generator in
            let rows = ["1,2", "\"x\ny\",3", ",", "\"\n\n\",\"\"", "x", "é,4"]
            let count = Int.random(in: 0..<600, using: &generator)
            return Array(
                (["a,b"] + (0..<count).map { _ in rows.randomElement(using: &generator) ?? "" }).joined(separator: "\n")
                    .utf8
            )
        }
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

    @Test func piecesOfLogsGiveWhatTheWholeGives() throws {
        let access = #"h - u [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 7"#
        let formats: [(format: any Format, fields: [String], lines: [String])] = [
            (AccessLogFormat(.common), ["host", "path", "bytes"], [access, access + " x", "h - -"]),
            (AccessLogFormat(.combined), ["host", "user_agent"], [access + #" "-" "a"b""#, access, "\""]),
            (LogfmtFormat(), ["a", "b"], ["a=1 b=\"x y\"", "b", "a=\"", "=", "a=é"]),
            (CEFFormat(), ["name", "src"], ["CEF:0|v|p|1|2|n|5|src=1 msg=a b", "CEF:0|v", "x CEF:0|v|p|1|2|n|5|"]),
            (LEEFFormat(), ["vendor", "src"], ["LEEF:1.0|v|p|1|2|src=1\tx=2", "LEEF:2.0|v|p|1|2|^|src=1^x", "LEEF"]),
            (try LinePatternFormat("{a} [{b}] {c}"), ["a", "c"], ["1 [2] 3", "1 2", "é [] x"]),
        ]
        for (format, fields, lines) in formats {
            func check(_ format: some Format) throws {
                try self.check(format, fields, rounds: 1500) { generator in
                    let all = lines + ["", "\r", "\u{FEFF}" + lines[0], String(repeating: "x", count: 50)]
                    let count = Int.random(in: 0..<12, using: &generator)
                    let chosen = (0..<count).map { _ in all.randomElement(using: &generator) ?? "" }
                    var bytes = Array(chosen.joined(separator: "\n").utf8)
                    for _ in 0..<Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
                        let place = Int.random(in: 0..<bytes.count, using: &generator)
                        bytes[place] = [0x0A, 0x0D, 0x22, 0x20, 0xFF, 0x7C].randomElement(using: &generator) ?? 0
                    }
                    return bytes
                }
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
