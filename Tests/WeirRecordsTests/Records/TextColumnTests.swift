import Testing
import WeirCore
import WeirRecords
import WeirTesting

@Suite struct TextColumnTests {
    /// Lends a batch of one field with some texts; `nil` is an absent field.
    private static func withBatch(
        _ texts: [(text: String, encoding: FieldEncoding)?],
        _ body: (borrowing RecordBatch) -> Void
    ) {
        let bytes = Array(texts.map { $0?.text ?? "" }.joined().utf8)
        var batch = RecordBatch(
            schema: RecordSchema(fields: [RecordSchema.Field("a")]),
            capacity: max(1, texts.count)
        )
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            var start = 0
            for text in texts {
                batch.beginRecord(line: 1)
                if let text {
                    batch.setField(0, start: start, length: text.text.utf8.count, encoding: text.encoding)
                    start += text.text.utf8.count
                }
                batch.endRecord(start: 0, length: 0)
            }
            body(batch)
        }
    }

    @Test func equalTextsHaveOneNumber() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for range in [4, 1000, 100_000] {
            var column = TextColumn(field: 0)
            var numbers: [String: Int32] = [:]
            for _ in 0..<20 {
                let texts = (0..<Int.random(in: 0..<500, using: &generator)).map { _ in
                    let number = Int.random(in: 0..<range, using: &generator)
                    return number == 0 ? "" : String(repeating: "é", count: number % 7) + String(number)
                }
                Self.withBatch(texts.map { ($0, .plain) }) { batch in
                    column.read(batch)
                    #expect(column.codes.count == texts.count)
                    for (index, text) in texts.enumerated() {
                        let known = numbers[text] ?? Int32(numbers.count)
                        numbers[text] = known
                        #expect(column.codes[index] == known, "seed \(seed)")
                        #expect(column.texts[Int(known)] == text, "seed \(seed)")
                    }
                    #expect(column.texts.count == numbers.count)
                }
            }
            #expect(column.beyondLimitCount == 0)
        }
    }

    @Test func quotesAndEscapesAreResolved() {
        var column = TextColumn(field: 0)
        Self.withBatch([
            ("a\"b", .plain), ("a\"\"b", .doubledQuotes), ("a\\\"b", .escaped), nil, ("", .null), ("12", .bare),
            ("12", .plain),
        ]) { batch in
            column.read(batch)
            #expect(column.codes.map { max($0, -1) } == [0, 0, 0, -1, -1, 1, 1])
            #expect(column.texts == ["a\"b", "12"])
        }
    }

    @Test func whatIsBeyondTheLimitIsCounted() {
        var column = TextColumn(field: 0, limit: 2)
        for _ in 0..<2 {
            Self.withBatch(["a", "b", "c", "a", "d"].map { ($0, .plain) }) { batch in
                column.read(batch)
                #expect(column.codes.map { max($0, -1) } == [0, 1, -1, 0, -1])
            }
        }
        #expect(column.texts == ["a", "b"])
        #expect(column.beyondLimitCount == 4)
    }
}
