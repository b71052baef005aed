internal import WeirCore
internal import WeirRecords

/// The fields of the records of a batch as columns, each read when a condition or a key first wants it.
struct RecordColumns {
    private final class Texts {
        var column: TextColumn
        var encodings: [UInt8] = []
        /// By record: the number of its text, times 4, and its kind; -1 where it has none, -2 where the text has none.
        var codes: [Int32] = []
        /// Of the block that was asked for last.
        var rows = CodeRows()

        init(field: Int, limit: Int) { column = TextColumn(field: field, limit: limit) }
    }

    private struct Numbers {
        var column: RecordColumn<Double>
        /// The rows with a number that is meant as one.
        var valid: [UInt64] = []
    }

    /// The fields of a record one by one.
    private(set) var values: RecordValues

    // By the place in the schema.
    private var texts: [Texts?]
    private var numbers: [Numbers?]
    private var textStamps: [Int]
    private var numberStamps: [Int]
    private var stamp = 0
    // By the raw value of the encoding.
    private var kindsOfEncodings: [UInt8] = []

    /// How many different texts a column numbers.
    private let limit: Int

    init(_ fields: QueryFields, limit: Int = 1 << 16) {
        values = RecordValues(fields)
        self.limit = limit
        let count = fields.schema.fields.count
        texts = (0..<count).map { _ in nil }
        numbers = (0..<count).map { _ in nil }
        textStamps = Array(repeating: 0, count: count)
        numberStamps = textStamps
    }

    /// Starts over with the records of a batch, which are of one kind: all of them tell text from numbers, or none.
    mutating func begin(_ batch: borrowing RecordBatch) {
        stamp += 1
        guard batch.count > 0 else { return }
        let hasTypes = batch.tellsTextFromNumbers(inRecordAt: 0)
        guard hasTypes != values.hasTypes || kindsOfEncodings.isEmpty else { return }
        values.hasTypes = hasTypes
        kindsOfEncodings = (0...UInt8(16)).map { encoding in
            FieldEncoding(rawValue: encoding)
                .flatMap { RecordValues.kind(of: $0, hasTypes: hasTypes)?.rawValue } ?? 0
        }
    }

    /// The texts of a field.
    ///
    /// - Parameters:
    ///   - place: The place of the field in the schema.
    ///   - batch: The batch.
    ///   - body: Called with a code for each record, and the texts. A code is the number of the text, times 4, and its kind;
    ///     -1 where there is no text, -2 where the column has as many texts as it may have.
    /// - Returns: What `body` returns.
    mutating func withTexts<Result>(
        ofPlace place: Int,
        in batch: borrowing RecordBatch,
        _ body: (_ codes: [Int32], _ texts: [String]) -> Result
    ) -> Result {
        let texts = self.texts[place] ?? Texts(field: place, limit: limit)
        if textStamps[place] != stamp {
            textStamps[place] = stamp
            self.texts[place] = texts
            read(texts, place, batch)
        }
        return body(texts.codes, texts.column.texts)
    }

    /// The rows of a block by the codes of a field that ``withTexts(ofPlace:in:_:)`` has read; `nil` where it has
    /// many texts.
    func rows(ofPlace place: Int, from start: Int, count: Int) -> CodeRows? {
        guard let texts = texts[place], texts.column.texts.count <= CodeRows.mostTexts else { return nil }
        if texts.rows.stamp != stamp || texts.rows.start != start {
            texts.rows.read(texts.codes[start..<start + count], stamp)
        }
        return texts.rows.hasOthers ? nil : texts.rows
    }

    private func read(_ texts: Texts, _ place: Int, _ batch: borrowing RecordBatch) {
        texts.column.read(batch)
        let isUniform = batch.readEncodings(ofField: place, into: &texts.encodings)
        var codes = exchange(&texts.codes, with: [])
        codes.removeAll(keepingCapacity: true)
        let numbers = texts.column.codes
        if isUniform, let encoding = texts.encodings.first {
            let kind = Int32(kindsOfEncodings[Int(encoding)])
            for number in numbers { codes.append(number >= 0 ? number << 2 | kind : max(number, -2)) }
        } else {
            for (number, encoding) in zip(numbers, texts.encodings) {
                let kind = Int32(kindsOfEncodings[Int(encoding)])
                codes.append(number >= 0 ? number << 2 | kind : max(number, -2))
            }
        }
        texts.codes = codes
    }

    /// The different texts of a field until now, where it was read.
    func knownTexts(ofPlace place: Int) -> [String] { texts[place]?.column.texts ?? [] }

    /// The numbers of a field, and where there is one: a text or a list is none, although it may read as a number.
    mutating func withNumbers<Result>(
        ofPlace place: Int,
        in batch: borrowing RecordBatch,
        _ body: (_ values: [Double], _ valid: [UInt64]) -> Result
    ) -> Result {
        var numbers = self.numbers[place] ?? Numbers(column: RecordColumn<Double>(field: place))
        self.numbers[place] = nil
        if numberStamps[place] != stamp {
            numberStamps[place] = stamp
            numbers.column.read(batch)
            numbers.valid = numbers.column.valid
            if values.hasTypes { leaveOutTexts(from: &numbers.valid, place, batch) }
        }
        defer { self.numbers[place] = numbers }
        return body(numbers.column.values, numbers.valid)
    }

    private func leaveOutTexts(from valid: inout [UInt64], _ place: Int, _ batch: borrowing RecordBatch) {
        for row in 0..<batch.count {
            switch values.kind(ofPlace: place, at: row, in: batch) {
            case .text, .nested: valid[row >> 6] &= ~(1 << UInt64(row & 63))
            default: break
            }
        }
    }
}
