import Foundation
import Testing
import WeirCore
import WeirRecords
import WeirTesting

@Suite struct FieldWriterTests {
    private struct Part: Sendable {
        let number: Int
        let text: String
    }

    private struct Whole: FieldEncodable {
        let parts: [Part]

        func encode(to writer: inout FieldWriter) {
            writer.write("empty") { _ in }
            writer.write("first") { inner in
                inner.write("count", parts.count)
                inner.write("any", !parts.isEmpty)
            }
            writer.write("parts", parts) { part, inner in
                inner.write("number", part.number)
                inner.write("text", part.text)
            }
            writer.write("last", Int8.min)
        }
    }

    private struct Numbers: FieldEncodable {
        let value: Double
        let time: Timestamp

        func encode(to writer: inout FieldWriter) {
            writer.write("value", value)
            writer.write("nan", Double.nan)
            writer.write("infinity", -Double.infinity)
            writer.write("seconds", time, as: .number(.seconds))
            writer.write("nanoseconds", time, as: .number(.nanoseconds))
            writer.write("text", time, as: .rfc3339)
        }
    }

    private func line(_ event: some FieldEncodable) -> String {
        var writer = FieldWriter()
        writer.writeLine(event)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Foundation reads what was written, whatever is in a text.
    @Test func foundationReadsWhatIsWritten() throws {
        let scalars = (0..<0x30).map { Unicode.Scalar(UInt8($0)) } + ["\"", "\\", "/", "\u{7F}", "é", "\u{2028}", "😀"]
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let parts = (0..<Int.random(in: 0..<4, using: &generator)).map { number in
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0..<9, using: &generator) {
                    if let scalar = scalars.randomElement(using: &generator) { text.append(scalar) }
                }
                return Part(number: number, text: String(text))
            }
            let line = line(Whole(parts: parts))
            #expect(line.utf8.count { $0 == 0x0A } == 1 && line.hasSuffix("}\n"), "seed \(seed)")
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let found = (object?["parts"] as? [[String: Any]])?.map { $0["text"] as? String }
            #expect(found == parts.map(\.text), "seed \(seed): \(line)")
            #expect((object?["empty"] as? [String: Any])?.isEmpty == true, "seed \(seed)")
            #expect((object?["first"] as? [String: Any])?["count"] as? Int == parts.count, "seed \(seed)")
            #expect(object?["last"] as? Int == -128, "seed \(seed)")
        }
    }

    @Test func numbersAndTimesAreWrittenExactly() {
        #expect(
            line(Numbers(value: 0.1, time: Timestamp(nanosecondsSinceEpoch: -1_500_000_001)))
                == "{\"value\":0.1,\"nan\":null,\"infinity\":null,\"seconds\":-1.500000001,\"nanoseconds\":-1500000001,"
                + "\"text\":\"1969-12-31T23:59:58.499999999Z\"}\n"
        )
    }

    @Test func aWriterIsUsedAgain() {
        var writer = FieldWriter()
        writer.writeLine(Whole(parts: []))
        let first = writer.bytes
        writer.writeLine(Whole(parts: []))
        #expect(writer.bytes == first + first)
        writer.removeAll()
        writer.writeLine(Whole(parts: []))
        #expect(writer.bytes == first)
    }
}
