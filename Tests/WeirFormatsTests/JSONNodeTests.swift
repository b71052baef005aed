import Testing
import WeirCore
import WeirFormats
import WeirRecords

@Suite struct JSONNodeTests {
    /// Writes a random value.
    private func write(_ depth: Int, to json: inout JSONWriter, using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: json.value(json: "null".utf8)
        case 1: json.value(Bool.random(using: &generator))
        case 2: json.value(Double.random(in: -1e9...1e9, using: &generator))
        case 3: json.value(Int64.random(in: .min ... .max, using: &generator))
        case 4: json.value(text(using: &generator))
        case 5:
            json.array { json in
                for _ in 0..<Int.random(in: 0..<4, using: &generator) { write(depth - 1, to: &json, using: &generator) }
            }
        default:
            json.object { json in
                for number in 0..<Int.random(in: 0..<4, using: &generator) {
                    json.name("\(number)" + text(using: &generator))
                    write(depth - 1, to: &json, using: &generator)
                }
            }
        }
    }

    private func text(using generator: inout SeededGenerator) -> String {
        let scalars = (0..<0x30).map { Unicode.Scalar(UInt8($0)) } + ["\"", "\\", "é", "\u{2028}", "😀"]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<9, using: &generator) {
            if let scalar = scalars.randomElement(using: &generator) { text.append(scalar) }
        }
        return String(text)
    }

    @Test func whatIsWrittenIsReadAsItWas() throws {
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var json = JSONWriter()
            write(5, to: &json, using: &generator)
            var again = JSONWriter()
            try JSONNode.read(json.bytes).write(to: &again)
            #expect(again.bytes == json.bytes, "seed \(seed)")
        }
    }

    @Test(arguments: [
        ("[1,\n // a\n  \"é\" x]", "3:7: a ',' or the ']' is missing"),
        ("[\"a\nb\"]", "1:2: the text does not end on its line"),
        ("{\"é\": \"a", "1:7: the text has no end"),
        ("[\"\\x\"]", "1:3: there is no such escape"),
        ("[\"\\u12x4\"]", "1:3: an escape needs four hexadecimal digits"),
        ("{\"a\":1,\n\"a\":2}", "2:1: 'a' is given twice"),
        ("[1x]", "1:2: '1x' is no value; a text stands in double quotes"),
        ("", "1:1: a value is missing at the end of the file"),
        ("\n ", "2:2: a value is missing at the end of the file"),
        ("[1] 2", "1:5: something follows the end"),
        (String(repeating: "[", count: 65), "1:65: it is nested more than 64 deep"),
    ])
    func flawsHaveAPlace(text: String, flaw: String) {
        do throws(JSONError) {
            _ = try JSONNode.read(Array(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect("\(error.place.line):\(error.place.column): \(error.reason)" == flaw)
        }
    }
}
