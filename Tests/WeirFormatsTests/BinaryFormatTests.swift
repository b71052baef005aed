import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

@Suite struct BinaryFormatTests {
    // MARK: Documents

    private static let cells = [
        "0", "-0", "7", "-128", "129", "-32769", "2147483648", "-9223372036854775808", "9223372036854775807",
        "9223372036854775808", "007", "+5", "1.", ".5", "1.50", "-0.00", "0.001", "-12.5", "1e5", "1e-07", "1e+16",
        "NaN",
        "inf", "true", "false", "TRUE", "", " ", " 5", "null", "é", "😀", "a,b", "say \"hi\"", "two\nlines", "cr\rhere",
        "2024-06-08T16:05:00Z", "2024-06-08T16:05:00.25Z", "2024-06-08T16:05:00.250Z", "1969-12-31T23:59:59.999999999Z",
        "12345678901234567.5", "0.1234567890123456789", "-", ".", "5e-324", "1.7976931348623157e+308",
    ]

    /// Cells of a few kinds, so that columns have a type, and now and then one that does not fit.
    private static func column(_ count: Int, _ generator: inout SeededGenerator) -> [String] {
        let kind = Int.random(in: 0..<9, using: &generator)
        let isPure = Bool.random(using: &generator)
        return (0..<count).map { _ in
            if !isPure, Int.random(in: 0..<20, using: &generator) == 0 {
                return cells.randomElement(using: &generator) ?? ""
            }
            switch kind {
            case 0: return String(Int.random(in: -100...100, using: &generator))
            case 1: return String(Int64.random(in: .min ... .max, using: &generator))
            case 2:
                let number = Int.random(in: -20_000...20_000, using: &generator)
                let digits = String(number.magnitude % 10_000)
                return (number < 0 ? "-" : "") + "\(number.magnitude / 10_000)."
                    + String(repeating: "0", count: 4 - digits.count) + digits
            case 3: return Double.random(in: -1e3...1e3, using: &generator).description
            case 4:
                return Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator)).description
            case 5: return Bool.random(using: &generator) ? "true" : "false"
            case 6: return ["red", "green", "blue", "", "ultra,violet"].randomElement(using: &generator) ?? ""
            case 7: return "text \(Int.random(in: 0..<1_000_000, using: &generator))"
            default: return cells.randomElement(using: &generator) ?? ""
            }
        }
    }

    private static func csv(_ columns: [[String]]) -> String {
        func cell(_ text: String) -> String {
            let needsQuotes = text.utf8.contains { [0x2C, 0x22, 0x0A, 0x0D].contains($0) }
            if text.isEmpty, columns.count == 1 { return "\"\"" }
            return needsQuotes
                ? "\""
                    + text.split(separator: "\"", omittingEmptySubsequences: false)
                    .joined(separator: "\"\"") + "\"" : text
        }
        let header = columns.indices.map { "c\($0)" }.joined(separator: ",") + "\n"
        let rows = columns[0].indices.map { row in columns.map { cell($0[row]) }.joined(separator: ",") + "\n" }
        return header + rows.joined()
    }

    private static func randomCSV(_ generator: inout SeededGenerator) -> String {
        let rowCount = Int.random(in: 0..<40, using: &generator)
        return csv((0..<Int.random(in: 1..<6, using: &generator)).map { _ in column(rowCount, &generator) })
    }

    // MARK: Round trips

    @Test func csvComesBackByteForByte() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<1_500 {
            let text = Self.randomCSV(&generator)
            let limit = Bool.random(using: &generator) ? 1 << 20 : 2_000
            let binary = try Conversion(Array(text.utf8), from: CSVFormat(), to: BinaryFormat(), limit: limit)
            let back = try Conversion(binary.output, from: BinaryFormat(), to: CSVFormat(), limit: limit)
            guard back.text == text, binary.rejections.isEmpty, back.rejections.isEmpty else {
                Issue.record(
                    "seed \(seed), round \(round):\n\(text)\n\(back.text)\n\(binary.rejections)\(back.rejections)"
                )
                return
            }
            // What JSON makes of it comes back as well.
            let lines = try Conversion(Array(text.utf8), from: CSVFormat(), to: JSONLinesFormat())
            let overBinary = try Conversion(binary.output, from: BinaryFormat(), to: JSONLinesFormat())
            guard overBinary.text == lines.text else {
                Issue.record("seed \(seed), round \(round):\n\(text)\n\(lines.text)\n\(overBinary.text)")
                return
            }
            let names = Conversion.namesOfColumns(text)
            let again = try Conversion(lines.output, from: JSONLinesFormat(), to: CSVFormat(), fields: names)
            guard again.text == text, again.rejections.isEmpty else {
                Issue.record("seed \(seed), round \(round):\n\(text)\n\(lines.text)\n\(again.text)")
                return
            }
        }
    }

    @Test func jsonComesBackValueByValue() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let values = [
            "1", "-5", "1.50", "-0", "1e5", "true", "false", "null", "\"\"", "\"5\"", "\"x\"", "\"\\u00e9\\n\\\"\"",
            "\"\\ud83d\\ude00\"", "[1, {\"a\": null}]", "{}", "\"2024-06-08T16:05:00Z\"", "12345678901234567890123",
            "\"true\"",
        ]
        for round in 0..<1_500 {
            // Few kinds in a field, so that fields have types.
            let kinds = (0..<3).map { _ in
                (0..<Int.random(in: 1..<4, using: &generator)).map { _ in values.randomElement(using: &generator) ?? ""
                }
            }
            var text = ""
            for _ in 0..<Int.random(in: 0..<20, using: &generator) {
                let members = (0..<3).filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }
                    .map { "\"f\($0)\":" + (kinds[$0].randomElement(using: &generator) ?? "") }
                text += "{" + members.joined(separator: ",") + "}\n"
            }
            let fields = ["f0", "f1", "f2"]
            let plain = try Conversion(Array(text.utf8), from: JSONLinesFormat(), to: JSONLinesFormat(), fields: fields)
            let binary = try Conversion(Array(text.utf8), from: JSONLinesFormat(), to: BinaryFormat(), fields: fields)
            let back = try Conversion(binary.output, from: BinaryFormat(), to: JSONLinesFormat())
            guard back.text == plain.text, back.rejections.isEmpty else {
                Issue.record("seed \(seed), round \(round):\n\(text)\n\(plain.text)\n\(back.text)\n\(back.rejections)")
                return
            }
        }
    }

    // MARK: Reading

    private enum Key: Int, FieldKey { case c0, c1 }

    /// What each accessor makes of each field, errors in words.
    private static func readings(_ input: [UInt8], _ format: any Format) throws -> [String] {
        let schema = RecordSchema(Key.self)
        var reader = RecordReader(ByteSource(input), format: format, schema: schema)
        var readings: [String] = []
        while try reader.next({ batch in
            for index in 0..<batch.count {
                batch.withRecord(at: index, keyedBy: Key.self) { record in
                    for key in Key.allCases {
                        func note<Value>(_ body: () throws(FieldError) -> Value) {
                            do throws(FieldError) {
                                readings.append("\(try body())")
                            } catch {
                                readings.append(error.description(in: schema))
                            }
                        }
                        readings.append("\(record.isPresent(key))")
                        note { () throws(FieldError) in try record.double(key) }
                        note { () throws(FieldError) in try record.integer(key) }
                        note { () throws(FieldError) in try record.boolean(key) }
                        note { () throws(FieldError) in try record.timestamp(key) }
                        note { () throws(FieldError) in try record.string(key) }
                        note { () throws(FieldError) in
                            try record.withBytes(key) { bytes in bytes.indices.map { bytes[$0] } }
                        }
                    }
                }
            }
        }) {}
        return readings
    }

    @Test func fieldsReadLikeTheirText() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<600 {
            // Quotes in a cell would be seen doubled in the bytes of CSV alone.
            let columns = (0..<2).map { _ in
                Self.column(10, &generator).map { $0.contains("\"") ? "x" : $0 }
            }
            let text = Array(Self.csv(columns).utf8)
            let binary = try Conversion(text, from: CSVFormat(), to: BinaryFormat())
            let (one, other) = (try Self.readings(text, CSVFormat()), try Self.readings(binary.output, BinaryFormat()))
            guard one == other else {
                let differences = zip(one, other).filter { $0 != $1 }
                Issue.record(
                    "seed \(seed), round \(round): \(differences.prefix(5))\n\(String(decoding: text, as: UTF8.self))"
                )
                return
            }
        }
    }

    // MARK: Damage

    private static let fields = ["c0", "c1"].map { RecordSchema.Field($0, isRequired: false) }

    private static func sample(_ rows: Int, _ generator: inout SeededGenerator, limit: Int = 400) throws -> [UInt8] {
        let text = csv((0..<2).map { _ in column(rows, &generator) })
        return try Conversion(Array(text.utf8), from: CSVFormat(), to: BinaryFormat(), limit: limit).output
    }

    @Test func everyCutIsNoticed() throws {
        var generator = SeededGenerator(seed: 7)
        let bytes = try Self.sample(60, &generator)
        let whole = Transcript(bytes, BinaryFormat(), fields: Self.fields)
        #expect(whole.records.count == 60)
        #expect(whole.rejections.isEmpty)
        for length in 1..<bytes.count {
            let cut = Transcript(Array(bytes.prefix(length)), BinaryFormat(), fields: Self.fields)
            #expect(cut.violations.isEmpty)
            #expect(cut.error != nil || cut.rejections.count == 1, "\(length) of \(bytes.count)")
            #expect(Array(whole.records.prefix(cut.records.count)) == cut.records)
        }
    }

    @Test func damageCostsItsBlock() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<400 {
            var bytes = try Self.sample(Int.random(in: 1..<80, using: &generator), &generator)
            let whole = Transcript(bytes, BinaryFormat(), fields: Self.fields)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                bytes[Int.random(in: bytes.indices, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes.remove(at: Int.random(in: bytes.indices, using: &generator))
            case 2: bytes.insert(0x57, at: Int.random(in: bytes.indices, using: &generator))
            default:
                let start = Int.random(in: bytes.indices, using: &generator)
                bytes.removeSubrange(start..<min(bytes.count, start + 100))
            }
            // Nothing is left of a small one, perhaps: an empty input is none that is damaged.
            guard !bytes.isEmpty else { continue }
            let damaged = Transcript(bytes, BinaryFormat(), fields: Self.fields)
            // What is left is a part of what was there, in its order, though the numbers of the records may differ.
            var rest = whole.records.map(\.fields)[...]
            let isPart = damaged.records.allSatisfy { record in
                guard let place = rest.firstIndex(of: record.fields) else { return false }
                rest = rest[(place + 1)...]
                return true
            }
            guard isPart, damaged.violations.isEmpty, damaged.error != nil || !damaged.rejections.isEmpty else {
                Issue.record("seed \(seed), round \(round): \(damaged)")
                return
            }
        }
    }

    @Test func theResultDoesNotDependOnTheCuts() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<600 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1..<4, using: &generator) {
                bytes += try Self.sample(Int.random(in: 0..<50, using: &generator), &generator)
            }
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                if Bool.random(using: &generator) { bytes[place] ^= 0x10 } else { bytes.remove(at: place) }
            }
            if Int.random(in: 0..<4, using: &generator) == 0 { bytes.removeLast(min(bytes.count - 1, 30)) }
            let limit = [1 << 20, 400, 200, 64].randomElement(using: &generator) ?? 0
            let whole = Transcript(bytes, BinaryFormat(), fields: Self.fields, limit: limit)
            let longest = Int.random(in: 1..<200, using: &generator)
            let capacity = Int.random(in: 1..<7, using: &generator)
            let cut = Transcript(bytes, BinaryFormat(), fields: Self.fields, limit: limit, capacity: capacity) {
                Int.random(in: 1...longest, using: &generator)
            }
            guard whole == cut, whole.violations.isEmpty else {
                Issue.record(
                    """
                    seed \(seed), round \(round), limit \(limit): \(whole.records.count) and \(cut.records.count) records
                    \(whole.violations)\(cut.violations)
                    \(whole.rejections)
                    \(cut.rejections)
                    """
                )
                return
            }
        }
    }

    @Test func filesCanBeConcatenated() throws {
        let first = try Conversion(Array("a,b\n1,x\n".utf8), from: CSVFormat(), to: BinaryFormat()).output
        let second = try Conversion(Array("b,c\ny,2\n".utf8), from: CSVFormat(), to: BinaryFormat()).output
        let both = try Conversion(first + second, from: BinaryFormat(), to: CSVFormat(), fields: ["a", "b"])
        #expect(both.text == "a,b\n1,x\n,y\n")
        #expect(both.rejections.isEmpty)
    }

    @Test func whatCameBeforeABadSectionIsHandedOut() throws {
        let first = try Conversion(Array("a,b\n1,x\n".utf8), from: CSVFormat(), to: BinaryFormat()).output
        let second = try Conversion(Array("b,c\ny,2\n".utf8), from: CSVFormat(), to: BinaryFormat()).output
        let schema = RecordSchema(fields: [RecordSchema.Field("a")])
        var reader = RecordReader(ByteSource(first + second), format: BinaryFormat(), schema: schema)
        var count = 0
        #expect(try reader.next { count += $0.count })
        #expect(count == 1)
        #expect(throws: FormatError.missingFields(["a"], available: ["b", "c"])) {
            try reader.next { count += $0.count }
        }
        #expect(try !reader.next { count += $0.count })
        #expect(count == 1)
    }

    @Test(arguments: [
        ("", nil),
        ("a,b\n1,2\n", "it does not start like Weir's binary format"),
        ("\u{89}", "the input ends inside of it"),
    ])
    func tellsWhatIsNoHeader(text: String, flaw: String?) {
        let bytes = text == "\u{89}" ? [0x89, 0x57] : Array(text.utf8)
        let transcript = Transcript(bytes, BinaryFormat(), fields: Self.fields)
        #expect(transcript.error == flaw.map { .badHeader($0) })
    }

    @Test func aRecordThatIsTooLongIsRefused() throws {
        let long = String(repeating: "x", count: 300)
        let text = "a,b\n1,x\n2,\(long)\n3,y\n"
        let binary = try Conversion(Array(text.utf8), from: CSVFormat(), to: BinaryFormat(), limit: 310)
        #expect(
            binary.rejections
                == ["field 'b' makes the record longer than 310 bytes; --max-line raises the limit"]
        )
        #expect(try Conversion(binary.output, from: BinaryFormat(), to: CSVFormat()).text == "a,b\n1,x\n3,y\n")
    }

    @Test func declaredTypesConvert() throws {
        let text =
            "t,i,f,d,b,s,j\n0,+07,1.50,1.50,true,5,\"[1,2]\"\nx,1,1,1,true,a,1\n1,1,nan,1,true,a,1\n1,1,1,1,yes,a,1\n,,,,,,\n"
        let types: [String: FieldType] = [
            "t": .time, "i": .integer, "f": .float, "d": .decimal, "b": .boolean, "s": .text, "j": .json,
        ]
        let binary = try Conversion(Array(text.utf8), from: CSVFormat(), to: BinaryFormat(), types: types)
        #expect(
            binary.rejections == [
                "field 't' is neither a number nor a time: 'x'", "field 'f' is not a finite number",
                "field 'b' is neither true nor false: 'yes'",
            ]
        )
        let lines = try Conversion(binary.output, from: BinaryFormat(), to: JSONLinesFormat())
        #expect(
            lines.text == """
                {"t":"1970-01-01T00:00:00Z","i":7,"f":1.5,"d":1.50,"b":true,"s":"5","j":[1,2]}
                {"t":null,"i":null,"f":null,"d":null,"b":null,"s":"","j":null}

                """
        )
    }

    @Test func numbersAreStoredNarrowly() throws {
        let rows = (0..<1000).map { "\($0 + 1_700_000_000),\(Double($0) / 10),\($0 % 2 == 0 ? "on" : "off")\n" }
        let text = "t,x,s\n" + rows.joined()
        let binary = try Conversion(Array(text.utf8), from: CSVFormat(), to: BinaryFormat())
        // Four bytes, two and one, and what belongs to the block.
        #expect(binary.output.count < 1000 * 7 + 200)
        #expect(try Conversion(binary.output, from: BinaryFormat(), to: CSVFormat()).text == text)
    }
}

extension Conversion {
    /// The names in the first line.
    static func namesOfColumns(_ text: String) -> [String] {
        text.prefix { $0 != "\n" }.split(separator: ",").map(String.init)
    }
}
