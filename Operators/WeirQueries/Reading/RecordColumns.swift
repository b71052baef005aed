internal import WeirCore
internal import WeirRecords

/// The fields of the records of a batch as columns, each read when a condition or a key first wants it.
struct RecordColumns {
    private final class Texts {
        var column: TextColumn
        var kinds: [UInt8] = []

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

    /// Starts over with the records of a batch.
    mutating func begin(_ batch: borrowing RecordBatch) {
        stamp += 1
        guard batch.count > 0 else { return }
        // A format of columns has types and no text of records; of the formats of texts only JSON has types.
        let place = batch.place(ofRecordAt: 0)
        values.hasTypes = place.length == 0 || Self.isObject(batch.raw(recordAt: 0))
    }

    /// Whether bytes are a JSON object, where they are a whole record.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        guard bytes.last == UInt8(ascii: "}"), bytes.first == UInt8(ascii: "{") else { return false }
        let next = bytes.dropFirst().first {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\t")
        }
        return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    }

    /// The numbers of the texts of a field, how each is meant, and the texts.
    mutating func withTexts<Result>(
        ofPlace place: Int,
        in batch: borrowing RecordBatch,
        _ body: (_ codes: [Int32], _ kinds: [UInt8], _ texts: [String]) -> Result
    ) -> Result {
        let texts = self.texts[place] ?? Texts(field: place, limit: limit)
        if textStamps[place] != stamp {
            textStamps[place] = stamp
            self.texts[place] = texts
            texts.column.read(batch)
            texts.kinds.removeAll(keepingCapacity: true)
            for row in 0..<batch.count {
                texts.kinds.append(values.kind(ofPlace: place, at: row, in: batch)?.rawValue ?? 0)
            }
        }
        return body(texts.column.codes, texts.kinds, texts.column.texts)
    }

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
