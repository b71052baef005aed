import Testing
import WeirCore
import WeirRecords
import WeirTesting

/// A match is the same in each form in which a host can take it.
@Suite struct MatchFormTests {
    private struct Part: Sendable {
        let number: Double
        let text: String
    }

    private struct Situation: FieldEncodable {
        let time: Timestamp
        let parts: [Part]

        func encode(to writer: inout FieldWriter) {
            writer.write("time", time, as: .rfc3339)
            writer.write("seconds", time, as: .number(.seconds))
            writer.write("count", parts.count)
            writer.write("any", !parts.isEmpty)
            writer.write("empty") { _ in }
            writer.write("parts", parts) { part, inner in
                inner.write("number", part.number)
                inner.write("inner") { $0.write("text", part.text) }
            }
            writer.write("last", parts.last?.text ?? "")
        }
    }

    /// Stands in for a host that reads the lines of libraries.
    private static let items = MatchForm.items { line, items in
        FieldItem.append(.unreadable, named: String(decoding: line, as: UTF8.self), to: &items)
    }

    private static func situations(_ seed: UInt64) -> [Situation] {
        var generator = SeededGenerator(seed: seed)
        let scalars: [Unicode.Scalar] = ["\"", "\\", "\n", "\u{1}", ",", "é", "😀", "a"]
        return (0..<Int.random(in: 0..<9, using: &generator)).map { number in
            let parts = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0..<9, using: &generator) {
                    if let scalar = scalars.randomElement(using: &generator) { text.append(scalar) }
                }
                let values = [0.1, -7, .nan, .infinity, 1e300]
                return Part(number: values.randomElement(using: &generator) ?? 0, text: String(text))
            }
            return Situation(time: Timestamp(nanosecondsSinceEpoch: Int64(number) * 1_000_000_007), parts: parts)
        }
    }

    private func matches(of output: MatchOutput) -> [UInt8] {
        var bytes: [UInt8] = []
        output.takeMatches { bytes += $0 }
        return bytes
    }

    private func lines(of items: [UInt8]) -> String {
        var lines: [UInt8] = []
        for match in FieldItems(in: items) { match.appendLine(in: items, to: &lines) }
        return String(decoding: lines, as: UTF8.self)
    }

    @Test(arguments: [nil, "a\"b"] as [String?])
    func itemsMakeTheSameLines(plugin: String?) {
        for seed in 0..<300 as Range<UInt64> {
            let plain = MatchOutput(report: nil, form: .lines, plugin: plugin)
            let items = MatchOutput(report: nil, form: Self.items, plugin: plugin)
            // What was taken before leaves nothing behind.
            for _ in 0..<2 {
                for situation in Self.situations(seed) {
                    plain.write(situation)
                    items.write(situation)
                }
                let (expected, found) = (matches(of: plain), matches(of: items))
                #expect(lines(of: found) == String(decoding: expected, as: UTF8.self), "seed \(seed)")
                #expect(
                    lines(of: Self.items.sorted(found))
                        == String(decoding: MatchForm.lines.sorted(expected), as: UTF8.self),
                    "seed \(seed)"
                )
            }
            #expect(plain.count == items.count)
        }
    }

    @Test func theNameOfThePluginComesFirst() {
        let output = MatchOutput(report: nil, form: .lines, plugin: "p")
        output.write(Situation(time: .epoch, parts: []))
        let line = String(decoding: matches(of: output), as: UTF8.self)
        #expect(line.hasPrefix("{\"plugin\":\"p\",\"time\":\"1970-01-01T00:00:00Z\","))
    }

    /// Lines of a library stay as they are, whatever they are, but for the name of the plugin.
    @Test(arguments: [MatchForm.lines, items]) func linesOfLibrariesStayAsTheyAre(form: MatchForm) {
        let text = "{ \"a\" : 1 }\n{ }\n\nno object\n{\n"
        for (plugin, expected) in [
            (nil, text), ("p", "{\"plugin\":\"p\", \"a\" : 1 }\n{\"plugin\":\"p\" }\n\nno object\n{\"plugin\":\"p\"\n"),
        ] {
            let report = Report()
            let output = MatchOutput(report: report, form: form, plugin: plugin)
            unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe output.write(lines: $0, count: 5) }
            let found = matches(of: output)
            let lines = if case .lines = form { String(decoding: found, as: UTF8.self) } else { lines(of: found) }
            #expect(lines == expected)
            #expect(output.count == 5)
            #expect(
                report.matches.map { String(decoding: $0.line, as: UTF8.self) } == [
                    "{ \"a\" : 1 }", "{ }", "no object", "{",
                ]
            )
        }
    }

    @Test func reportsGetPlainLines() {
        let report = Report()
        let output = MatchOutput(report: report, form: Self.items, plugin: "p")
        let situation = Situation(time: .epoch, parts: [Part(number: 1, text: "x")])
        output.write(situation, at: .epoch)
        var writer = FieldWriter()
        writer.writeLine(situation)
        #expect(report.matches.map(\.line) == [Array(writer.bytes.dropLast())])
    }
}
