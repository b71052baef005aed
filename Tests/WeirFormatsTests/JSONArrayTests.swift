import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

/// JSON: an array of objects, or objects one after the other.
@Suite struct JSONArrayTests {
    private static let fields = ["a", "b.c"].map { RecordSchema.Field($0, isRequired: false) }

    private static func transcript(
        _ text: String,
        limit: Int = 1 << 20,
        pieces: Int = 1 << 20,
        capacity: Int = 512
    ) -> Transcript {
        Transcript(Array(text.utf8), JSONFormat(), fields: fields, limit: limit, capacity: capacity) { pieces }
    }

    private static func lines(_ transcript: Transcript) -> [String] {
        transcript.records.map { "\($0.line): " + $0.fields.map { $0 ?? "-" }.joined(separator: "¦") }
            + transcript.rejections.map { "\($0.line)! \($0.reason) '\(String(decoding: $0.raw, as: UTF8.self))'" }
    }

    /// What is read of a text, which does not depend on how it is cut.
    private func read(_ text: String, limit: Int = 1 << 20) -> [String] {
        let whole = Self.transcript(text, limit: limit)
        #expect(whole.violations.isEmpty && whole.error == nil)
        for pieces in [1, 2, 3, 7] {
            #expect(Self.transcript(text, limit: limit, pieces: pieces, capacity: 1) == whole, "pieces of \(pieces)")
        }
        return Self.lines(whole)
    }

    @Test func elementsAreRecords() {
        #expect(read("[{\"a\":1},{\"a\":2}]\n") == ["1: 1¦-", "1: 2¦-"])
        #expect(
            read("\u{FEFF}\n [\n  {\n \"a\": \"[{\\\"\", \"b\": {\n\"c\": 2}\n}\n,\n{}]") == ["3: [{\"¦2", "8: -¦-"]
        )
        #expect(read("[]") == [] && read("[ \n]\n\n") == [] && read("") == [] && read(" \n ") == [])
        // What stands in one element says nothing about the next one on its line.
        #expect(read("[{\"b\":{\"c\":1}},{\"b.c\":2,\"b\":{}}]") == ["1: -¦1", "1: -¦2"])
    }

    @Test func objectsFollowEachOther() {
        #expect(read("{\"a\":1}\n{\"a\":2}\n\n{\"a\":\n3} {\"a\":4}") == ["1: 1¦-", "2: 2¦-", "4: 3¦-", "5: 4¦-"])
        #expect(
            read("{\"a\":1},{\"a\":2}\n17\n[{\"a\":3}]\n{\"a\":4}") == [
                "1: 1¦-", "1: 2¦-", "4: 4¦-", "1! expected an object, or one array of objects ','",
                "2! expected an object, or one array of objects '17'",
                "3! expected an object, or one array of objects '[{\"a\":3}]'",
            ]
        )
        // Lines are what JSON Lines makes of them.
        let lines = String(repeating: "{\"a\":1,\"b\":{\"c\":\"x\"}}\n{\"a\":-0.5}\r\n\n", count: 40)
        #expect(Self.transcript(lines) == Transcript(Array(lines.utf8), JSONLinesFormat(), fields: Self.fields))
    }

    @Test func aBadElementCostsOnlyItself() {
        #expect(
            read("[{\"a\":1},\n2,\n{\"a\":},\n[{}],{\"a\":4}\n]") == [
                "1: 1¦-", "4: 4¦-", "2! an element must be an object; expected '{' '2'",
                "3! expected a value at byte 6 '{\"a\":}'",
                "4! an element must be an object; expected '{' '[{}]'",
            ]
        )
        // A brace too many, and one too few.
        #expect(
            read("[{\"a\":1}},{\"a\":2}]") == ["1: 1¦-", "1: 2¦-", "1! expected ',' or ']' behind an element '}'"]
        )
        #expect(
            read("[{\"a\":1},\n},\n{\"a\":2}]") == [
                "1: 1¦-", "3: 2¦-", "2! an element must be an object; expected '{' '}'",
            ]
        )
        #expect(
            read("[{\"a\":1,\n{\"a\":2},\n{\"a\":3}]") == [
                "2: 2¦-", "3: 3¦-", "1! expected a name in quotes at byte 9 '{\"a\":1,'",
            ]
        )
        #expect(
            read("[\n  {\n    \"a\": {\"c\": 1\n  },\n  {\n    \"a\": 2\n  }\n]") == [
                "5: 2¦-", "2! expected a name in quotes at byte 27 '{\n    \"a\": {\"c\": 1\n  },'",
            ]
        )
        // A bracket too many, and one too few.
        #expect(
            read("[{\"a\":[1]]},{\"a\":[2},\n{\"a\":3}]") == [
                "2: 3¦-", "1! expected ',' or '}' at byte 9 '{\"a\":[1]]}'",
                "1! expected ',' or ']' at byte 8 '{\"a\":[2},'",
            ]
        )
        #expect(read("[{\"a\":1}],{\"a\":2}]") == ["1: 1¦-", "1: 2¦-", "1! the array goes on behind its ']' ','"])
        // A quote that is not closed.
        #expect(
            read("[{\"a\":\"1},\n{\"a\":2}]") == [
                "2: 2¦-", "1! there is a control character in a string at byte 10 '{\"a\":\"1},'",
            ]
        )
    }

    @Test func commasAreChecked() {
        #expect(read("[{} {}]") == ["1: -¦-", "1: -¦-", "1! a ',' is missing before the element ''"])
        #expect(read("[{},,{}]") == ["1: -¦-", "1: -¦-", "1! an element is missing before ',' ','"])
        #expect(read("[{},\n]") == ["1: -¦-", "2! an element is missing before ']' ''"])
        #expect(read("[,{}]") == ["1: -¦-", "1! an element is missing before ',' ','"])
    }

    @Test func anArrayEndsOnce() {
        #expect(read("[{\"a\":1},\n{\"a\":2") == ["1: 1¦-", "2! the input ends in the element '{\"a\":2'"])
        #expect(read("[{\"a\":1},\n") == ["1: 1¦-", "2! the array is not closed ''"])
        #expect(read("[{}]]") == ["1: -¦-", "1! the array is closed already ']'"])
        #expect(read("[{}]{}]") == ["1: -¦-", "1: -¦-", "1! the array goes on behind its ']' ''"])
        #expect(read("[") == ["1! the array is not closed ''"])
        #expect(
            read("[{}]\n \n x\n[{}]") == [
                "1: -¦-", "3! there is text behind the array 'x'", "4! there is text behind the array '[{}]'",
            ]
        )
    }

    @Test func memoryIsBounded() {
        let reason = "the element is longer than 16 bytes; --max-line raises the limit"
        let long = "{\"a\":\"" + String(repeating: "]}", count: 40) + "\"}"
        #expect(read("[{\"a\":1},\(long),\n{\"a\":3}]", limit: 16) == ["1: 1¦-", "2: 3¦-", "1! \(reason) '\(long)'"])
        // It ends nowhere: the next line begins another one.
        let open = "{\"a\":\"" + String(repeating: "x", count: 90)
        #expect(read("[\(open)\n{\"a\":3}]", limit: 16) == ["2: 3¦-", "1! \(reason) '\(open)\n'"])
        #expect(read("[\(open)", limit: 16) == ["1! \(reason) '\(open)'"])
        #expect(read("[{\"a\":12345678}]", limit: 16) == ["1: 12345678¦-"])
        #expect(read("[{\"a\":123456789},{\"a\":1234567890},{}]", limit: 16).count == 3)
        let blanks = String(repeating: " \n", count: 100)
        #expect(read("[\(blanks){\"a\":1}\(blanks),\(blanks){\"a\":2}]", limit: 16) == ["101: 1¦-", "301: 2¦-"])
    }

    @Test func eachFrameIsADocument() {
        let documents = ["[{\"a\":1},{\"a\":2}]", "[{\"a\":3}", "{\"a\":4}", "", "[{\"a\":5}]"]
        var bytes: [UInt8] = []
        for document in documents { bytes += [0, 0, 0, UInt8(document.utf8.count)] + Array(document.utf8) }
        for capacity in [1, 2, 512] {
            let transcript = Transcript(
                bytes,
                FramedFormat(JSONFormat()),
                fields: Self.fields,
                capacity: capacity
            )
            #expect(transcript.violations.isEmpty)
            #expect(transcript.records.map { $0.fields[0] ?? "-" } == ["1", "2", "3", "4", "5"])
            #expect(transcript.rejections.map(\.reason) == ["the array is not closed"])
        }
    }

    // MARK: Writing

    @Test func outputsAreArrays() throws {
        let text = "[{\"a\":[1,\n2],\n\"b\":{\"c\":\"x\\ny\"\r\n}},{\"a\":1.50}]"
        let array = try Conversion(Array(text.utf8), from: JSONFormat(), to: JSONFormat())
        #expect(array.text == "[\n{\"a\":[1,2],\"b\":{\"c\":\"x\\ny\"}},\n{\"a\":1.50}\n]\n")
        let lines = try Conversion(Array(text.utf8), from: JSONFormat(), to: JSONLinesFormat())
        #expect(lines.text == "{\"a\":[1,2],\"b\":{\"c\":\"x\\ny\"}}\n{\"a\":1.50}\n")
        let back = try Conversion(lines.output, from: JSONLinesFormat(), to: JSONFormat())
        #expect(back.text == array.text)
        #expect(try Conversion([], from: CSVFormat(), to: JSONFormat(), fields: ["a"]).text == "[]\n")
        // A record that cannot be written leaves no comma.
        let table = try Conversion(
            Array("a\nx\n1\ny\n2\n".utf8),
            from: CSVFormat(),
            to: JSONFormat(),
            types: ["a": .integer]
        )
        #expect(table.text == "[\n{\"a\":1},\n{\"a\":2}\n]\n" && table.rejections.count == 2)
    }
}
