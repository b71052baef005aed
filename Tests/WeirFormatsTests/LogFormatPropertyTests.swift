import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

/// Random records, written and read again, and random bytes, cut anywhere.
@Suite struct LogFormatPropertyTests {
    private static let pieces: [String] = [
        "a", "b", "7", "-1.5", "é", "€", " ", "  ", "=", "\"", "\\", "|", "\n", "\r", "\t", "{", "^", ":", "[", "]",
        "-",
        "\\n", "\\x41", "CEF:", "LEEF:", "k=v", "\u{1}", "\u{7F}", "😀", "/", "x5E",
    ]

    private static func text(_ generator: inout SeededGenerator) -> String {
        (0..<max(0, Int.random(in: -1..<6, using: &generator)))
            .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    /// The formats, with names that they can write.
    private static func formats() throws -> [(any Format, [String])] {
        [
            (AccessLogFormat(.common), ["host", "user", "request", "status"]),
            (AccessLogFormat(.combined), ["request", "referer", "user_agent", "bytes"]),
            (LogfmtFormat(), ["a", "b.c", "ü"]),
            (CEFFormat(), ["prefix", "deviceVendor", "name", "severity", "src", "cs1Label"]),
            (SyslogFormat(), ["host", "app", "message", "data.a@1.2.b.c", "data.a@1.2.d"]),
            (LEEFFormat(), ["prefix", "vendor", "eventID", "delimiter", "src", "a b"]),
            (try LinePatternFormat("{a} [{b}] {c}"), ["a", "b", "c"]),
            (try LinePatternFormat("<{a}--{b}>"), ["a", "b"]),
            (try LinePatternFormat("{d} {+d}={e}|{+e}"), ["d", "e"]),
            (try LinePatternFormat("{f->} {g->} [{h->}] {i->}"), ["f", "g", "h", "i"]),
            (try LinePatternFormat("<{d->} {+d->}: {e->}|{+e}>"), ["d", "e"]),
            (try LinePatternFormat("{d->} {+d} {f}"), ["d", "f"]),
            (try LinePatternFormat("{f->}  {d->} {+d} "), ["f", "d"]),
        ]
    }

    /// The text that a field has within it where its pattern is in two parts; such texts are rare by chance.
    private static let joints = ["d": " ", "e": "|"]

    /// Either a record is refused, or it is read back as it was.
    @Test func whatIsWrittenIsReadBack() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for (format, names) in try Self.formats() {
            var written = 0
            for round in 0..<2000 {
                let values = names.map { name in
                    let text = Self.text(&generator)
                    guard let joint = Self.joints[name], Bool.random(using: &generator) else { return text }
                    return text + joint + Self.text(&generator)
                }
                let schema = RecordSchema(fields: names.map { RecordSchema.Field($0, isRequired: false) })
                let table = Self.table(names, values)
                let output = try Conversion(table, from: CSVFormat(), to: format, fields: names)
                guard output.rejections.isEmpty else {
                    #expect(output.output.isEmpty && output.rejections.count == 1)
                    continue
                }
                written += 1
                let back = Transcript(output.output, format, fields: schema.fields)
                // What has no value reads as none, or as the empty text that it was.
                let read = back.records.first?.fields.map { $0 ?? "" }
                let expected = zip(names, values).map { name, value in
                    let mayBeAbsent =
                        format is AccessLogFormat || format is SyslogFormat && ["host", "app"].contains(name)
                    return mayBeAbsent && value == "-" ? "" : value
                }
                guard back.records.count == 1, back.rejections.isEmpty, read == expected else {
                    Issue.record("seed \(seed), round \(round), \(format.name): \(values) \(output.text) \(back)")
                    return
                }
            }
            #expect(written > 100, "\(format.name), seed \(seed)")
        }
    }

    private static func table(_ names: [String], _ values: [String]) -> [UInt8] {
        func row(_ cells: [String]) -> [UInt8] {
            var row: [UInt8] = []
            for (index, cell) in cells.enumerated() {
                if index > 0 { row.append(UInt8(ascii: ",")) }
                CSVEncoder.append(Array(cell.utf8), isQuoted: true, to: &row)
            }
            return row + [UInt8(ascii: "\n")]
        }
        return row(names) + row(values)
    }

    /// Neither cuts nor the capacity of batches change what is read, and each line counts once.
    @Test func cutsDoNotMatter() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let starts = [
            "", "h - - [-] \"", "h - u [10/Oct/2000:13:55:36 -0700] \"G / H\" 200 -", "CEF:0|a|b|c|d|e|5|",
            "LEEF:1.0|a|b|c|d|",
            "LEEF:2.0|a|b|c|d|^|", "a=\"", "a=1 ", "<",
        ]
        for (format, names) in try Self.formats() {
            for round in 0..<1000 {
                var text = Bool.random(using: &generator) ? "" : "\u{FEFF}"
                for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                    text += (starts.randomElement(using: &generator) ?? "") + Self.text(&generator)
                    text += Bool.random(using: &generator) ? "\n" : "\r\n"
                }
                var bytes = Array(text.utf8)
                if Bool.random(using: &generator), !bytes.isEmpty {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255,
                        using: &generator
                    )
                }
                let fields = names.map { RecordSchema.Field($0, isRequired: false) }
                let limit = Bool.random(using: &generator) ? 1000 : Int.random(in: 16..<60, using: &generator)
                let whole = Transcript(bytes, format, fields: fields, limit: limit)
                let longest = Int.random(in: 1..<40, using: &generator)
                let capacity = Int.random(in: 1..<5, using: &generator)
                let cut = Transcript(bytes, format, fields: fields, limit: limit, capacity: capacity) {
                    Int.random(in: 1...longest, using: &generator)
                }
                let lines = (whole.records.map(\.line) + whole.rejections.map(\.line)).sorted()
                // Every line that is not empty, split by other means.
                var rest = bytes[...]
                if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
                let expected = rest.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
                    .filter { !$0.element.isEmpty && $0.element != [0x0D] }.map { UInt64($0.offset + 1) }
                guard whole == cut, whole.violations.isEmpty, lines == expected else {
                    Issue.record(
                        "seed \(seed), round \(round), \(format.name): \(text.debugDescription) \(whole) \(cut)"
                    )
                    return
                }
            }
        }
    }
}
