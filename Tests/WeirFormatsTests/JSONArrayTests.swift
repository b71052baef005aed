import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

/// Arrays of objects in the place of lines.
@Suite struct JSONArrayTests {
    private func read(_ text: String, limit: Int = 1 << 20, pieces: Int = 1 << 20, capacity: Int = 512) -> [String] {
        let fields = ["a", "b.c"].map { RecordSchema.Field($0, isRequired: false) }
        let transcript = Transcript(
            Array(text.utf8),
            JSONLinesFormat(),
            fields: fields,
            limit: limit,
            capacity: capacity
        ) { pieces }
        #expect(transcript.violations.isEmpty && transcript.error == nil)
        return transcript.records.map { "\($0.line): " + $0.fields.map { $0 ?? "-" }.joined(separator: "¦") }
            + transcript.rejections.map { "\($0.line)! \($0.reason)" }
    }

    @Test func elementsAreRecords() {
        #expect(read("[{\"a\":1},{\"a\":2}]\n") == ["1: 1¦-", "1: 2¦-"])
        #expect(
            read("\u{FEFF}\n [\n  {\n \"a\": \"[{\\\"\", \"b\": {\n\"c\": 2}\n}\n,\n{}]") == ["3: [{\"¦2", "8: -¦-"]
        )
        #expect(read("[]") == [] && read("[ \n]\n\n") == [])
        // Pieces one after the other, and lines behind them.
        #expect(read("[{\"a\":1}]\n[{\"a\":2}]\n{\"a\":3}\n") == ["1: 1¦-", "2: 2¦-", "3: 3¦-"])
        // What stands in one element says nothing about the next one on its line.
        #expect(read("[{\"b\":{\"c\":1}},{\"b.c\":2,\"b\":{}}]") == ["1: -¦1", "1: -¦2"])
    }

    @Test func aBadElementCostsOnlyItself() {
        #expect(
            read("[{\"a\":1},\n2,\n{\"a\":},\n[{}],{\"a\":4}\n]") == [
                "1: 1¦-", "4: 4¦-", "2! a line must be an object; expected '{' at byte 1",
                "3! expected a value at byte 6",
                "4! a line must be an object; expected '{' at byte 1",
            ]
        )
        #expect(read("[{\"a\":1},\n{\"a\":2") == ["1: 1¦-", "2! expected ',' or '}' at byte 7"])
        #expect(read("[{\"a\":1},\n") == ["1: 1¦-", "2! the array is not closed"])
        let long = "[{\"a\":1},{\"a\":\"" + String(repeating: "]}", count: 40) + "\"},\n{\"a\":3}]"
        for pieces in [1, 7, 1000] {
            #expect(
                read(long, limit: 16, pieces: pieces) == [
                    "1: 1¦-", "2: 3¦-", "1! the element is longer than 16 bytes; --max-line raises the limit",
                ]
            )
        }
    }

    @Test func anArrayThatIsNoneOfObjectsIsALine() {
        #expect(read("[1,2]\n{\"a\":3}\n") == ["2: 3¦-", "1! a line must be an object; expected '{' at byte 1"])
        #expect(read("{\"a\":1}\n[{\"a\":2}]\n") == ["1: 1¦-", "2! a line must be an object; expected '{' at byte 1"])
    }

    /// Random objects read as an array, however it is laid out and cut, are those that lines have.
    @Test func anArrayHasTheRecordsOfLines() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let values = [
            "1", "-2.5", "\"x\"", "\"]}{[,\"", "\"\\\"\\\\\"", "null", "[1,{\"a\":2}]", "{\"c\":[]}", "{\"c\":\"é\"}",
        ]
        for round in 0..<2000 {
            let objects = (0..<Int.random(in: 1..<8, using: &generator)).map { _ in
                let members = ["a", "b", "d"].shuffled(using: &generator).prefix(
                    Int.random(in: 0..<4, using: &generator)
                )
                .map { "\"\($0)\":\(values.randomElement(using: &generator) ?? "")" }
                return "{" + members.joined(separator: ",") + "}"
            }
            func blank() -> String { ["", " ", "\n", "\r\n", "\t"].randomElement(using: &generator) ?? "" }
            var text = blank() + "[" + blank()
            for (index, object) in objects.enumerated() {
                text += (index > 0 ? blank() + "," + blank() : "")
                text += object.replacing(",\"a\"", with: ",\n\"a\"") + blank()
            }
            text += "]" + blank()
            let pieces = Int.random(in: 1..<30, using: &generator)
            let capacity = Int.random(in: 1..<4, using: &generator)
            let cut = read(text, pieces: pieces, capacity: capacity)
            let lines = read(objects.joined(separator: "\n"))
            func fields(_ lines: [String]) -> [Substring] { lines.map { $0.split(separator: " ", maxSplits: 1)[1] } }
            guard cut == read(text), fields(cut) == fields(lines) else {
                Issue.record("seed \(seed), round \(round): \(text) \(cut) \(lines)")
                return
            }
        }
    }

    @Test func aValueOverSeveralLinesIsWrittenInOne() throws {
        let text = "[{\"a\":[1,\n2],\n\"b\":{\"c\":\"x\\ny\"\r\n}}]"
        let output = try Conversion(Array(text.utf8), from: JSONLinesFormat(), to: JSONLinesFormat())
        #expect(output.text == "{\"a\":[1,2],\"b\":{\"c\":\"x\\ny\"}}\n")
    }
}
