import Testing
import WeirCore
import WeirRecords
import WeirTesting

@testable import WeirFormats

/// What the structural index finds, beside the decoders without it.
@Suite struct IndexTests {
    /// CSV with a kernel, or without an index.
    private struct CSV: Format {
        let name = "csv"
        let summary = ""
        let kernel: ScanKernel?
        var dialect = CSVDialect()

        func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
            CSVDecoder(for: schema, limits: limits, dialect: dialect, kernel: kernel)
        }
    }

    /// JSON Lines with a kernel, or without an index.
    private struct JSONLines: Format {
        let name = "jsonl"
        let summary = ""
        let kernel: ScanKernel?
        let otherFields: JSONLinesDecoder.OtherFields

        func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
            JSONLinesDecoder(for: schema, limits: limits, otherFields: otherFields, kernel: kernel)
        }
    }

    /// Compares each kernel with a decoder without an index, on a whole input and on pieces of it.
    ///
    /// - Returns: What differs; `nil` when nothing does.
    private static func difference(
        _ bytes: [UInt8],
        _ fields: [RecordSchema.Field],
        _ generator: inout SeededGenerator,
        _ format: (ScanKernel?) -> some Format
    ) -> String? {
        let limit = Int.random(in: 0..<3, using: &generator) > 0 ? 100_000 : Int.random(in: 16..<60, using: &generator)
        let expected = Transcript(bytes, format(nil), fields: fields, limit: limit)
        for kernel in ScanKernel.available {
            let whole = Transcript(bytes, format(kernel), fields: fields, limit: limit)
            let longest = Int.random(in: 1..<(Bool.random(using: &generator) ? 8 : 500), using: &generator)
            let capacity = Int.random(in: 1..<20, using: &generator)
            let cut = Transcript(bytes, format(kernel), fields: fields, limit: limit, capacity: capacity) {
                Int.random(in: 1...longest, using: &generator)
            }
            if whole != expected || !whole.violations.isEmpty || cut != expected {
                return """
                    \(kernel), limit \(limit), pieces up to \(longest), capacity \(capacity)
                    \(String(decoding: bytes, as: UTF8.self).debugDescription)
                    whole \(whole)
                    cut \(cut)
                    expected \(expected)
                    """
            }
        }
        return nil
    }

    private static func mutate(_ bytes: inout [UInt8], _ special: [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1..<5, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = special.randomElement(using: &generator) ?? 0
            case 1: bytes.insert(special.randomElement(using: &generator) ?? 0, at: place)
            default: bytes.remove(at: place)
            }
        }
    }

    /// Some hundred rows, with all that CSV allows and now and then something that it does not.
    private static func csv(_ generator: inout SeededGenerator) -> [UInt8] {
        let end: [UInt8] = Bool.random(using: &generator) ? [0x0A] : [0x0D, 0x0A]
        let all = ["1", "-2.5", "word", " 7 ", "", "x\ry", "é", "\"q\"", "\"\"", "\"a,b\"", "\"d\"\"q\"", "\"x\r\ny\""]
        let pieces = all.prefix(Int.random(in: 3...all.count, using: &generator))
        var bytes = Array("a,b,c".utf8) + end
        for _ in 0..<Int.random(in: 0..<60, using: &generator) {
            let isOdd = Int.random(in: 0..<30, using: &generator) == 0
            let count = isOdd ? Int.random(in: 0..<6, using: &generator) : 3
            let row = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
            bytes += Array(row.joined(separator: ",").utf8) + end
        }
        if Bool.random(using: &generator) {
            mutate(&bytes, [0x22, 0x2C, 0x0A, 0x0D, 0x41, 0xFF, 0x00, 0xC3], &generator)
        }
        return bytes
    }

    @Test func csvIsTheSameWithAndWithoutAnIndex() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let schemas = [["a", "b", "c"], ["c"], ["b", "b"], []].map { $0.map { RecordSchema.Field($0) } }
        let optional = [RecordSchema.Field("z", isRequired: false), RecordSchema.Field("b")]
        for round in 0..<1_000 {
            let bytes = Self.csv(&generator)
            let fields = (schemas + [optional]).randomElement(using: &generator) ?? []
            if let difference = Self.difference(bytes, fields, &generator, { CSV(kernel: $0) }) {
                Issue.record("seed \(seed), round \(round)\n\(difference)")
                return
            }
        }
    }

    @Test func dialectsAreTheSameWithAndWithoutAnIndex() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<1_000 {
            var dialect = CSVDialect(
                delimiter: [0x09, 0x20, 0x3B, 0x7C, 0x2C].randomElement(using: &generator) ?? 0x2C
            )
            dialect.hasQuotes = Bool.random(using: &generator)
            let hasHeader = Bool.random(using: &generator)
            dialect.headerLineCount = hasHeader ? 1 : 0
            let bytes = Self.csv(&generator).map { $0 == 0x2C ? dialect.delimiter : $0 }
            let fields = (hasHeader ? ["a", "c"] : ["1", "3"]).map { RecordSchema.Field($0) }
            if let difference = Self.difference(bytes, fields, &generator, { CSV(kernel: $0, dialect: dialect) }) {
                Issue.record("seed \(seed), round \(round), \(dialect)\n\(difference)")
                return
            }
        }
    }

    @Test func oneColumnAndManyAreRead() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let one = Array(("a\n" + String(repeating: "1\n\n2\r\n\"\"\n", count: 100)).utf8)
            let names = (0..<3000).map { "c\($0)" }
            let many = Array((names + ["\n1"] + names.dropFirst(2) + ["\n"]).joined(separator: ",").utf8)
            for (bytes, name) in [(one, "a"), (many, "c7")] {
                let difference = Self.difference(bytes, [RecordSchema.Field(name)], &generator) { CSV(kernel: $0) }
                #expect(difference == nil, "seed \(seed)")
            }
        }
    }

    /// The value of a member: now and then one that is not valid.
    private static func value(_ generator: inout SeededGenerator, isFlawed: Bool) -> String {
        let valid = [
            "1", "-2.5", "0", "1e5", "12.5E-3", "1234567890123456789", "-0", "\"\"", "\"word\"", "\"a,b\"", "true",
            "false",
            "null", "\"a longer text, of more than sixteen bytes\"", "\"é\"", "\"Grüße aus Köln, schon wieder\"",
            "\"\\\"\"", "\"\\u00e9\\n\"", "\"\\ud83d\\ude00\"", "[]", "{}", "[1,\"x\"]", "{\"b\":7}",
            "{\"b\":{\"c\":\"x\"},\"d\":8}", "-0.5", "12345678.123456", "-1234567.123456", "123456789012345",
            "1234567890123.45",
        ]
        let flawed = [
            "01", "1.", ".5", "-", "1e", "+1", "\"\u{1}\"", "\"\\x\"", "\"\\ud83d\"", "\"\\u12\"", "\"a\"b\"", "tru",
            "nul", "",
            "1 2", "\"", "\"x\" \"y\"", "\"sixteen bytes and \\q\"", "[1", "0x1", "\"\\udc00\"", "\"\\\"", "-01", "00",
            "-.5", "-1.",
            "1.2.3", "1-2", "--1", "01.5", "1.5-", "12345678.12345.", "-0123456.123456", "123456789012.3.5",
        ]
        return (isFlawed ? flawed : valid).randomElement(using: &generator) ?? "1"
    }

    /// Some hundred lines of few shapes, now and then with another one, or with a flaw.
    private static func jsonLines(_ generator: inout SeededGenerator) -> [UInt8] {
        let end: [UInt8] = Bool.random(using: &generator) ? [0x0A] : [0x0D, 0x0A]
        let names = ["a", "b", "c", "é", "a.b", "long name", "a"]
        let blank = ["", "", " ", "\t "].randomElement(using: &generator) ?? ""
        let shapes = (0..<Int.random(in: 1..<4, using: &generator)).map { _ in
            (0..<Int.random(in: 0..<7, using: &generator)).map { _ in
                (names.randomElement(using: &generator) ?? "", value(&generator, isFlawed: false))
            }
        }
        let flawRate = [1000, 1000, 100, 10].randomElement(using: &generator) ?? 10
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<60, using: &generator) {
            let members = (shapes.randomElement(using: &generator) ?? []).map { name, example in
                let isFlawed = Int.random(in: 0..<flawRate, using: &generator) == 0
                // Nested values stay as they are, so that lines have the shape of others.
                let isNested = example.first == "{" || example.first == "["
                var text = example
                if isFlawed || !isNested || Int.random(in: 0..<40, using: &generator) == 0 {
                    repeat {
                        text = value(&generator, isFlawed: isFlawed)
                    } while !isFlawed && !isNested && (text.first == "{" || text.first == "[")
                }
                return "\"\(name)\":\(blank)\(text)"
            }
            bytes += Array("\(blank){\(members.joined(separator: ",\(blank)"))\(blank)}".utf8) + end
        }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            mutate(&bytes, [0x22, 0x2C, 0x0A, 0x0D, 0x5C, 0x7B, 0x7D, 0x31, 0xFF, 0x00, 0xC3], &generator)
        }
        return bytes
    }

    @Test func jsonLinesAreTheSameWithAndWithoutAnIndex() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let schemas = [["a", "b", "c"], ["a.b"], ["a", "a.b", "a.b.c", "a"], ["b", "b", "z"], []]
        for round in 0..<1_500 {
            let bytes = Self.jsonLines(&generator)
            let fields = (schemas.randomElement(using: &generator) ?? []).map { RecordSchema.Field($0) }
            let other: JSONLinesDecoder.OtherFields = Bool.random(using: &generator) ? .pass : .reject
            let difference = Self.difference(bytes, fields, &generator) { kernel in
                JSONLines(kernel: kernel, otherFields: other)
            }
            if let difference {
                Issue.record("seed \(seed), round \(round), \(fields.map(\.name))\n\(difference)")
                return
            }
        }
    }
}
