import Testing
import WeirCore
import WeirRecords
import WeirTesting

@Suite struct RecordStoreTests {
    private static let schema = RecordSchema(fields: ["a", "b"].map { RecordSchema.Field($0) })

    /// Lends a batch of one record whose bytes are some text, with its two fields where the numbers say.
    private static func withRecord(
        _ text: String,
        fields: [Range<Int>],
        isRow: Bool = true,
        _ body: (borrowing RecordBatch) -> Void
    ) {
        let bytes = Array(("##" + text).utf8)
        var batch = RecordBatch(schema: schema, capacity: 1)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            batch.beginRecord(line: 1)
            for (index, field) in fields.enumerated() {
                batch.setField(index, start: field.lowerBound + 2, length: field.count, encoding: .plain)
            }
            batch.endRecord(start: 2, length: isRow ? text.utf8.count : 0)
            body(batch)
        }
    }

    private static func line(_ store: RecordStore, _ record: UInt32) -> String? {
        var line: [UInt8] = []
        return store.appendLine(of: record, to: &line) ? String(decoding: line, as: UTF8.self) : nil
    }

    @Test func recordsStayAsLongAsTheyHaveAHolder() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let store = RecordStore()
        var kept: [(record: UInt32, text: String, holders: Int)] = []
        var highest = 0
        for step in 0..<20_000 {
            // It grows, and shrinks again; few are longer than what shares a page.
            let isGrowing = step / 2_000 % 2 == 0
            if kept.isEmpty || Int.random(in: 0..<10, using: &generator) < (isGrowing ? 7 : 3) {
                let length = Int.random(in: 0..<100, using: &generator) == 0 ? 40_000 : 600
                let letter = String(UnicodeScalar(UInt8(97 + step % 26)))
                let text = String(repeating: letter, count: Int.random(in: 0..<length, using: &generator))
                Self.withRecord(text, fields: []) { batch in
                    kept.append((store.keepBytes(ofRecordAt: 0, in: batch), text, 1))
                }
            } else {
                let index = Int.random(in: kept.indices, using: &generator)
                #expect(Self.line(store, kept[index].record) == kept[index].text, "seed \(seed)")
                if Bool.random(using: &generator) {
                    store.retain(kept[index].record)
                    kept[index].holders += 1
                }
                store.release(kept[index].record)
                kept[index].holders -= 1
                if kept[index].holders == 0 { kept.remove(at: index) }
            }
            #expect(store.count == kept.count, "seed \(seed)")
            highest = max(highest, store.byteCount)
        }
        for each in kept {
            #expect(Self.line(store, each.record) == each.text, "seed \(seed)")
            for _ in 0..<each.holders { store.release(each.record) }
        }
        #expect(store.count == 0)
        // Some pages stay for the next records.
        #expect(store.byteCount <= 8 << 16)
        #expect(highest > store.byteCount)
    }

    @Test func theMemoryOfRecordsThatGoServesOthers() {
        let store = RecordStore()
        var highest = 0
        for round in 0..<200 {
            // Records of another length in each round.
            let text = String(repeating: "x", count: 20 + round * 7)
            Self.withRecord(text, fields: []) { batch in
                let records = (0..<500).map { _ in store.keepBytes(ofRecordAt: 0, in: batch) }
                highest = max(highest, store.byteCount)
                for record in records { store.release(record) }
            }
        }
        #expect(highest < 500 * 1_800 + 10 << 16)
    }

    @Test func endsOfLinesBecomeBlanks() {
        let store = RecordStore()
        for text in ["{\"a\":\n1}", "\r\n", "{\"a\":1,\"b\":2,\r\"c\":3}", "{\"a\":\"\u{10A}\u{10D}\"}"] {
            Self.withRecord(text, fields: []) { batch in
                let record = store.keepBytes(ofRecordAt: 0, in: batch)
                let blanks = text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : String($0) }.joined()
                #expect(Self.line(store, record) == blanks)
                var line: [UInt8] = []
                batch.appendLine(ofRecordAt: 0, to: &line)
                #expect(String(decoding: line, as: UTF8.self) == blanks)
            }
        }
    }

    @Test func fieldsReadAsBefore() throws {
        let store = RecordStore()
        let schema = try #require(store.addSchema(Self.schema))
        for keepsBytes in [false, true] {
            // One field in the record, and one beside it, as in a format of columns.
            Self.withRecord("one two", fields: [0..<3, 4..<7]) { batch in
                let record = store.keepFields(
                    ofRecordAt: 0,
                    in: batch,
                    schema: schema,
                    tag: 7,
                    keepsBytes: keepsBytes
                )
                #expect(Self.line(store, record) == nil)
                var texts: [String] = []
                store.withFields(of: record) { kept, number, tag in
                    #expect(number == schema && tag == 7 && kept.count == 1)
                    for field in 0..<2 {
                        var text: [UInt8] = []
                        #expect(kept.appendText(ofField: field, recordAt: 0, to: &text) == .text)
                        texts.append(String(decoding: text, as: UTF8.self))
                    }
                    #expect(String(decoding: kept.raw(recordAt: 0), as: UTF8.self) == (keepsBytes ? "one two" : ""))
                }
                #expect(texts == ["one", "two"])
            }
        }
        Self.withRecord("", fields: [], isRow: false) { batch in
            let record = store.keepFields(ofRecordAt: 0, in: batch, schema: schema, tag: 0, keepsBytes: true)
            store.withFields(of: record) { kept, _, _ in
                #expect(kept.place(ofField: 0, inRecordAt: 0).encoding == .absent)
            }
        }
    }

    @Test func simpleRecordsBecomeObjects() {
        let names = ["a", "b"].map { Array(",\"\($0)\":".utf8) }
        func object(_ text: String, _ fields: [Range<Int>]) -> String? {
            var json = Array("x".utf8)
            var isDone = false
            Self.withRecord(text, fields: fields) { batch in
                isDone = batch.appendSimpleObject(ofRecordAt: 0, names: names, to: &json)
            }
            return isDone ? String(decoding: json, as: UTF8.self) : json.count == 1 ? nil : "it appended something"
        }
        #expect(object("one two", [0..<3, 4..<7]) == #"x{"a":"one","b":"two"}"#)
        #expect(object("one", [0..<3]) == #"x{"a":"one"}"#)
        #expect(object("", []) == "x{}")
        #expect(object("", [0..<0, 0..<0]) == #"x{"a":"","b":""}"#)
        for text in ["a\"b", "a\\b", "\u{1}", "é", "\n"] { #expect(object(text, [0..<text.utf8.count]) == nil) }
        #expect(object(String(repeating: "x", count: 2_000), [0..<2_000]) == nil)
    }

    @Test func wholeNumbersAreWrittenInAllTheirDigits() {
        var numbers: [Int64] = [0, 1, 9, 10, 99, 100, .max, .min, -1, -10]
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            numbers += [power - 1, power, -power]
        }
        for number in numbers {
            var bytes = Array("x".utf8)
            DecimalText.append(number, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "x\(number)")
        }
        var bytes: [UInt8] = []
        DecimalText.append(UInt64.max, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "\(UInt64.max)")
    }
}
