import Testing
import WeirCore
import WeirFormats
import WeirRecords

@Suite struct CSVDecoderTests {
    private func read(_ text: String, _ names: [String] = ["a", "b"], limit: Int = 1 << 20) -> Transcript {
        Transcript(Array(text.utf8), CSVFormat(), fields: names.map { RecordSchema.Field($0) }, limit: limit)
    }

    private func lines(_ transcript: Transcript) -> [String] {
        transcript.records.map { record in
            "\(record.line): " + record.fields.map { $0 ?? "-" }.joined(separator: "|")
        }
    }

    private func complaints(_ transcript: Transcript) -> [String] {
        transcript.rejections.map { "\($0.line): \($0.reason)" }
    }

    @Test func namesComeFromTheHeaderInAnyOrder() {
        #expect(lines(read("c,b,a\n1,2,3\n")) == ["2: 3|2"])
        #expect(lines(read(" a , b \n1, 2\n")) == ["2: 1| 2"])
        #expect(lines(read("\"a\",\"b\"\n1,2\n")) == ["2: 1|2"])
    }

    @Test func oneColumnMayServeTwoFields() {
        #expect(lines(read("a,b\n1,2\n3,\"4\"\n", ["b", "a", "b"])) == ["2: 2|1|2", "3: 4|3|4"])
    }

    @Test func anAbsentOptionalFieldIsAbsent() {
        let fields = [RecordSchema.Field("a"), RecordSchema.Field("z", isRequired: false)]
        let transcript = Transcript(Array("a\n1\n".utf8), CSVFormat(), fields: fields)
        #expect(transcript.records == [Transcript.Record(line: 2, fields: ["1", nil])])
    }

    @Test func quotesCommasAndLineBreaksInQuotesAreText() {
        let transcript = read("a,b\r\n\"1,\"\"x\"\"\",\"line\r\nbreak\"\r\n3,\"\"\r\n")
        #expect(lines(transcript) == ["2: 1,\"x\"|line\r\nbreak", "4: 3|"])
        #expect(transcript.rejections.isEmpty)
    }

    @Test func byteOrderMarkReturnsAndBlankLinesAreNoData() {
        #expect(lines(read("\u{FEFF}\r\n\na,b\r\n\r\n1,2\r\n\n\n3,4\r\n\n")) == ["5: 1|2", "8: 3|4"])
        #expect(lines(read("a,b\n1,2\r")) == ["2: 1|2"])
        #expect(lines(read("a,b\n1,x\ry\n")) == ["2: 1|x\ry"])
    }

    @Test func linesThatEndWithACarriageReturnAloneAreNoHeader() {
        for text in ["a,b\r1,2\r3,4\r", "a,b\r", "a,\"b\rc\"\n", "a,b\r\r\n1,2\r\r\n"] {
            let transcript = read(text, ["a"])
            let isLineEnd = text == "a,b\r"
            #expect((transcript.error != nil) == !isLineEnd, "\(text.debugDescription)")
        }
        let reason = "there is a carriage return in a name; lines end with a line feed"
        #expect(read("a,b\r1,2\r", ["a"]).error == .badHeader(reason))
    }

    @Test func theLastLineNeedsNoEndButAllFields() {
        #expect(lines(read("a,b\n1,2")) == ["2: 1|2"])
        let truncated = read("a,b\n1,2\n3")
        #expect(lines(truncated) == ["2: 1|2"])
        #expect(complaints(truncated) == ["3: expected 2 fields, found 1"])
    }

    @Test func emptyInputsAreNoErrors() {
        for text in ["", "\n", "\r\n\n", "\u{FEFF}", "a,b", "a,b\n"] {
            #expect(read(text) == read(""), "\(text.debugDescription)")
        }
        #expect(read("").error == nil)
    }

    @Test func wrongFieldCountsAreRejected() {
        let transcript = read("a,b\n1\n1,2\n1,2,3\n,\n\"1\",2,\"3\"\n4,5\n")
        #expect(lines(transcript) == ["3: 1|2", "5: |", "7: 4|5"])
        #expect(
            complaints(transcript) == [
                "2: expected 2 fields, found 1", "4: expected 2 fields, found 3", "6: expected 2 fields, found 3",
            ]
        )
    }

    @Test func quotesInTheWrongPlaceCostTheirLine() {
        let transcript = read("a,b\n1\",2\n\"3\"x,4\n5,\"6\n7,8\n9,10\n")
        #expect(lines(transcript) == ["5: 7|8", "6: 9|10"])
        #expect(
            complaints(transcript) == [
                "2: there is a quote in field 1, which does not start with one",
                "3: there is text after the closing quote of field 1",
                "4: the quote of field 2 is not closed",
            ]
        )
        #expect(
            transcript.rejections.map { String(decoding: $0.raw, as: UTF8.self) } == ["1\",2", "\"3\"x,4", "5,\"6"]
        )
    }

    @Test func aBadRecordOverSeveralLinesCostsTheFirst() {
        let transcript = read("a,b\n\"1\n2,3\n4\",5,6\n7,8\n")
        #expect(lines(transcript) == ["3: 2|3", "5: 7|8"])
        #expect(
            complaints(transcript) == [
                "2: expected 2 fields, found 3", "4: there is a quote in field 1, which does not start with one",
            ]
        )
    }

    @Test func invalidUTF8IsRejectedWhereverItIs() {
        var bytes = Array("a,b\n1,2\n".utf8)
        bytes += [0x31, 0x2C, 0xFF, 0x0A, 0x22, 0xC3, 0x22, 0x2C, 0x31, 0x0A] + Array("é,ü\n".utf8)
        // A surrogate, an overlong form, beyond the last scalar, cut off.
        bytes += [
            0xED, 0xA0, 0x80, 0x2C, 0x0A, 0xC0, 0x80, 0x2C, 0x0A, 0xF4, 0x90, 0x80, 0x80, 0x2C, 0x0A, 0x2C, 0xE2, 0x82,
        ]
        let transcript = Transcript(bytes, CSVFormat(), fields: [RecordSchema.Field("a")])
        #expect(transcript.records.map(\.line) == [2, 5])
        #expect(transcript.rejections.map(\.line) == [3, 4, 6, 7, 8, 9])
        #expect(Set(transcript.rejections.map(\.reason)) == ["the line is not valid UTF-8"])
    }

    @Test func zeroBytesAreData() {
        #expect(lines(read("a,b\n\0,2\0\n")) == ["2: \0|2\0"])
    }

    @Test func overlongLinesAreRejectedInPieces() {
        let long = String(repeating: "1,", count: 5_000_000)
        let bytes = Array("a,b\n1,2\n\(long)\r\n3,4\n".utf8)
        let transcript = Transcript(bytes, CSVFormat(), fields: [RecordSchema.Field("a")]) { 65_536 }
        #expect(transcript.records.map(\.line) == [2, 4])
        #expect(transcript.violations.isEmpty)
        #expect(complaints(transcript) == ["3: the line is longer than 1048576 bytes; --max-line raises the limit"])
        #expect(transcript.rejections.first?.raw.count == long.utf8.count)
    }

    @Test func theLimitIsExact() {
        let transcript = read(
            "a,b\n1234567,12345678\n1234567,123456789\n\"1234\n7\",12345678\n\"1234\n7\",1234567\n",
            limit: 16
        )
        #expect(transcript.records.map(\.line) == [2, 6])
        #expect(
            complaints(transcript) == [
                "3: the line is longer than 16 bytes; --max-line raises the limit",
                "4: a quote is not closed within 16 bytes; --max-line raises the limit",
                "5: there is a quote in field 1, which does not start with one",
            ]
        )
    }

    @Test func badHeadersAreErrors() {
        #expect(read("x,y\n1,2\n").error == .missingFields(["a", "b"], available: ["x", "y"]))
        #expect(read("a,b,a\n").error == .duplicateField("a"))
        #expect(read("a,b,x,x\n1,2,3,4\n").error == nil)
        #expect(read("a,\"b\n").error == .badHeader("the quote of field 2 is not closed"))
        #expect(
            read("a,b,cccccccccccccc\n", limit: 16).error
                == .badHeader("it is longer than 16 bytes; --max-line raises the limit")
        )
        let invalid = Transcript([0x61, 0xFF, 0x0A], CSVFormat(), fields: [])
        #expect(invalid.error == .badHeader("it is not valid UTF-8"))
    }

    private enum Key: Int, FieldKey { case a, b }

    /// What a record throws when it is read.
    private func error(
        _ batch: borrowing RecordBatch,
        _ index: Int,
        _ body: (borrowing FieldReader<Key>) throws(FieldError) -> Void
    ) -> FieldError? {
        do throws(FieldError) {
            try batch.withRecord(at: index, keyedBy: Key.self, body)
            return nil
        } catch {
            return error
        }
    }

    @Test func valuesAreReadAsWhatTheyAre() throws {
        let bytes = Array("a,b\n 1.5 ,\"2024-06-08T16:05:00Z\"\nnan,x\n1e999,\n".utf8)
        let schema = RecordSchema(Key.self)
        var decoder = CSVDecoder(for: schema)
        var batch = RecordBatch(schema: schema)
        try unsafe bytes.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            let consumed = unsafe try decoder.decode(bytes, isFinal: true, into: &batch)
            #expect(consumed == bytes.count)
            try #require(batch.count == 3)
            var number = 0.0
            var time = Timestamp.epoch
            #expect(error(batch, 0) { (record) throws(FieldError) in number = try record.double(.a) } == nil)
            #expect(error(batch, 0) { (record) throws(FieldError) in time = try record.timestamp(.b) } == nil)
            #expect(number == 1.5)
            #expect(time == Timestamp(secondsSinceEpoch: 1_717_862_700))
            #expect(
                error(batch, 1) { (record) throws(FieldError) in _ = try record.double(.a) }
                    == FieldError(Key.a, .notFinite)
            )
            #expect(
                error(batch, 2) { (record) throws(FieldError) in _ = try record.double(.a) }
                    == FieldError(Key.a, .notFinite)
            )
            #expect(
                error(batch, 1) { (record) throws(FieldError) in _ = try record.timestamp(.b) }
                    == FieldError(Key.b, .notATime("x"))
            )
            #expect(
                error(batch, 2) { (record) throws(FieldError) in _ = try record.double(.b) }
                    == FieldError(Key.b, .missing)
            )
        }
    }
}
