import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

@Suite struct CSVDialectTests {
    private func dialect(
        _ delimiter: Unicode.Scalar = ",",
        quotes: Bool = true,
        comment: Unicode.Scalar? = nil,
        header: Int = 1
    ) -> CSVDialect {
        var dialect = CSVDialect(delimiter: UInt8(ascii: delimiter))
        dialect.hasQuotes = quotes
        dialect.comment = comment.map { UInt8(ascii: $0) }
        dialect.headerLineCount = header
        return dialect
    }

    /// The lines and fields of records, and the rejected lines, however the input is cut.
    private func read(
        _ text: String,
        _ dialect: CSVDialect,
        _ names: [String] = ["a", "b"],
        source: SourceLocation = #_sourceLocation
    ) -> [String] {
        let fields = names.map { RecordSchema.Field($0) }
        let whole = Transcript(Array(text.utf8), CSVFormat(dialect), fields: fields)
        for pieces in 1..<4 {
            let cut = Transcript(Array(text.utf8), CSVFormat(dialect), fields: fields, capacity: 2) { pieces }
            #expect(cut == whole && cut.violations.isEmpty, "pieces of \(pieces)", sourceLocation: source)
        }
        let records = whole.records.map { record in
            (record.line, record.fields.map { $0 ?? "-" }.joined(separator: "¦"))
        }
        let rejections = whole.rejections.map { ($0.line, "! \($0.reason)") }
        return (records + rejections).sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }
            + (whole.error.map { ["\($0)"] } ?? [])
    }

    @Test func fieldsAreSeparatedByAnyCharacter() {
        for delimiter in ["\t", ";", "|", " ", "a", ":"] as [Unicode.Scalar] {
            let d = String(delimiter)
            let text = "x\(d)y\n1,2\(d)3\n\"4\(d)\"\"5\"\(d)6\n7\n"
            #expect(
                read(text, dialect(delimiter), ["x", "y"])
                    == ["2: 1,2¦3", "3: 4\(d)\"5¦6", "4: ! expected 2 fields, found 1"]
            )
        }
        #expect(CSVFormat(.tabSeparated).name == "tsv" && CSVFormat().name == "csv")
    }

    /// What one sender does not close does not take the lines of others with it.
    @Test func aRecordOfSeveralSendersEndsWithItsLine() {
        var ending = dialect()
        ending.endsWithLines = true
        let flaw = "! a quote is not closed in its line, which is a record where lines of several senders are mixed"
        let text = "a,b\n1,\"x\n2,b\n3,\"c,\"\"\n4\"\"d\",5\n6,\"e\"\n7,\"f"
        #expect(
            read(text, ending) == [
                "2: \(flaw)", "3: 2¦b", "4: \(flaw)", "5: ! there is a quote in field 1, which does not start with one",
                "6: 6¦e", "7: ! the quote of field 2 is not closed",
            ]
        )
        #expect(read("a,b\n1,\"x\n2,b\n3,y\"\n", dialect()) == ["2: 1¦x\n2,b\n3,y"])
    }

    /// Pieces, and then an interruption.
    private final class EndingSource: TransportSource {
        let expectedByteCount: Int64? = nil
        let drainsWhenInterrupted: Bool
        private var pieces: ArraySlice<String>

        init(_ pieces: [String], drains: Bool) { (self.pieces, drainsWhenInterrupted) = (pieces[...], drains) }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
            guard let piece = pieces.popFirst() else { throw .interrupted(address: "there") }
            unsafe buffer.copyBytes(from: Array(piece.utf8))
            return piece.utf8.count
        }
    }

    /// Lines that an open quote holds back are read where the source ends with an interruption.
    @Test(arguments: [true, false]) func linesBehindAnOpenQuoteAreReadAtAnInterruption(drains: Bool) throws {
        let source = EndingSource(["a,b\n1,2\n3,\"x\n4", ",5\n6,7\n8,"], drains: drains)
        let schema = RecordSchema(fields: [RecordSchema.Field("a"), RecordSchema.Field("b")])
        var reader = RecordReader(source, format: CSVFormat(), schema: schema)
        var found: [String] = []
        let error = #expect(throws: TransportError.self) {
            while try reader.next({ batch in
                for index in 0..<batch.count { found.append("\(batch.line(ofRecordAt: index))") }
                found += batch.rejections.map { "\($0.line): \($0.reason)" }
            }) {}
        }
        #expect(error == .interrupted(address: "there"))
        let open = "3: the quote of field 2 is not closed"
        let cut = "6: the input broke off before its end"
        #expect(found == ["2", "4", "5", open] + (drains ? [cut] : []))
        #expect(try !reader.next { _ in })
    }

    @Test func anInputHasToHaveTheWholeHeader() {
        for text in ["a,b\n1,2\n", "a,b\n1,2"] {
            #expect(read(text, dialect(header: 2)) == [])
            #expect(read(text, dialect(header: 1)) == ["2: 1¦2"])
            #expect(
                read(text, dialect(header: 4))
                    == ["the header cannot be read: the input ends in line 2 of 4"]
            )
        }
    }

    @Test func quotesMayBeTextLikeAnyOther() {
        let text = "a,b\n\"1,2\"\n\"3\"x,\"\n\"5,6,7\"\n8,9"
        #expect(
            read(text, dialect(quotes: false))
                == ["2: \"1¦2\"", "3: \"3\"x¦\"", "4: ! expected 2 fields, found 3", "5: 8¦9"]
        )
        #expect(read("\"a\",b\n1,2\n", dialect(quotes: false), ["\"a\""]) == ["2: 1"])
    }

    @Test func commentsAreSkipped() {
        let text = "# one \"\n\n#two\na,b\n1,2\n#\"3,4\n\"5#\n6\",#7\n#,8\n"
        #expect(read(text, dialect(comment: "#")) == ["5: 1¦2", "7: 5#\n6¦#7"])
        #expect(read("a,b\n1,2\n# the end", dialect(comment: "#")) == ["2: 1¦2"])
        #expect(read("a,b\n\"1\",\"2\"\n#x\n\"3\",4\n", dialect(comment: "#")) == ["2: 1¦2", "4: 3¦4"])
    }

    @Test func aCommentMayBeLongerThanALine() {
        let text =
            "#" + String(repeating: "x", count: 1000) + "\na\n1\n#" + String(repeating: "y", count: 1000) + "\n2\n"
        let transcript = Transcript(
            Array(text.utf8),
            CSVFormat(dialect(comment: "#")),
            fields: [RecordSchema.Field("a")],
            limit: 16
        ) { 7 }
        #expect(
            transcript.records.map(\.line) == [3, 5] && transcript.rejections.isEmpty && transcript.violations.isEmpty
        )
    }

    @Test func aHeaderHasSeveralLinesOrNone() throws {
        #expect(read("a,b\ns,\"m\n1,2\n", dialect(header: 2)) == ["3: 1¦2"])
        #expect(read("a,b\nx\ny", dialect(header: 3)) == [])
        #expect(
            read("\n1,2\n\"3\",4\n5\n", dialect(header: 0), ["2", "1"]) == [
                "2: 2¦1", "3: 4¦3", "4: ! expected 2 fields, found 1",
            ]
        )
        #expect(read("\"1\n\",2", dialect(header: 0), ["2"]) == ["1: 2"])
        #expect(
            read("1,2\n", dialect(header: 0), ["3"]) == [
                "the input has no field '3'; its header has '1', '2'"
            ]
        )
        #expect(
            try Conversion.names(in: Array("x;y\n".utf8), CSVFormat(dialect(";", header: 0)), FormatLimits()) == [
                "1", "2",
            ]
        )
    }

    @Test func whatNeedsQuotesIsRefusedWithoutThem() throws {
        let table = "a,b\n\"1,2\",3\n4,\"5\n6\"\n7,8\n\"q\"\"q\",9\n"
        let format = CSVFormat(dialect(quotes: false))
        let output = try Conversion(Array(table.utf8), from: CSVFormat(), to: format)
        #expect(output.text == "a,b\n7,8\nq\"q,9\n")
        #expect(
            output.rejections == [
                "field 'a' cannot be written without quotes: '1,2'",
                "field 'b' cannot be written without quotes: '5\u{FFFD}6'",
            ]
        )
        func refusal(_ name: String) -> String? {
            format.refusal(of: OutputSchema(fields: [OutputSchema.Field(name)], tellsTextFromNumbers: false))
        }
        #expect(refusal("a b") == nil && refusal(" a")?.contains("cannot be written without quotes") == true)
        #expect(refusal("a,b") != nil && refusal("") != nil)
    }

    /// Random tables are written in random dialects and read back as they were.
    @Test func whatIsWrittenIsReadBack() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let pieces = ["a", "1", ",", ";", "\t", "|", "#", "\"", "\n", "\r", " ", "é", "\u{FEFF}"]
        var count = 0
        for round in 0..<4000 {
            func text() -> String {
                (0..<max(0, Int.random(in: -1..<5, using: &generator)))
                    .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            let names = ["a", "b c"]
            let values = [text(), text()]
            var dialect = dialect(
                [",", ";", "\t", "|", " "].randomElement(using: &generator) ?? ",",
                quotes: Bool.random(using: &generator),
                comment: Bool.random(using: &generator) ? "#" : nil
            )
            if dialect.delimiter == UInt8(ascii: " "), !dialect.hasQuotes { dialect.hasQuotes = true }
            if Bool.random(using: &generator) { dialect.headerLineCount = 0 }
            var table: [UInt8] = Array("a,b c\n".utf8)
            for (index, value) in values.enumerated() {
                if index > 0 { table.append(UInt8(ascii: ",")) }
                CSVEncoder.append(Array(value.utf8), isQuoted: true, to: &table)
            }
            table.append(UInt8(ascii: "\n"))
            let output = try Conversion(table, from: CSVFormat(), to: CSVFormat(dialect))
            guard output.rejections.isEmpty else { continue }
            count += 1
            let fields = (dialect.headerLineCount == 0 ? ["1", "2"] : names).map { RecordSchema.Field($0) }
            let back = Transcript(output.output, CSVFormat(dialect), fields: fields)
            guard back.records.map(\.fields) == [values], back.rejections.isEmpty, back.error == nil else {
                Issue.record(
                    "seed \(seed), round \(round), \(dialect): \(values) \(output.text.debugDescription) \(back)"
                )
                return
            }
        }
        #expect(count > 1000, "seed \(seed)")
    }

    // MARK: JSON

    @Test func elementsOfArraysHaveIndexes() {
        let text = """
            {"acc":[1,[2,"x"],{"y":3}],"acc.0":9}
            {"acc":{"0":4,"1":[5,6]}}
            {"acc":[]}
            {"acc":[7 , [8],{}, {"z":[1,{}]}],"x":1}
            {"acc":[1,2}
            {"acc":[1,]}

            """
        let fields = ["acc.0", "acc.1.1", "acc.2.y", "acc", "acc.00"].map { RecordSchema.Field($0, isRequired: false) }
        let transcript = Transcript(Array(text.utf8), JSONLinesFormat(), fields: fields)
        #expect(
            transcript.records.map { $0.fields.map { $0 ?? "-" }.joined(separator: "¦") } == [
                "9¦x¦3¦[1,[2,\"x\"],{\"y\":3}]¦-", "4¦6¦-¦{\"0\":4,\"1\":[5,6]}¦-", "-¦-¦-¦[]¦-",
                "7¦-¦-¦[7 , [8],{}, {\"z\":[1,{}]}]¦-",
            ]
        )
        #expect(
            transcript.rejections.map(\.reason) == ["expected ',' or ']' at byte 12", "expected a value at byte 11"]
        )
    }
}
