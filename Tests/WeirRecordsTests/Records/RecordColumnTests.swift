import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

@Suite struct RecordColumnTests {
    /// Lends a batch of one field in which each text is a record.
    private static func withBatch(
        _ texts: [String],
        encoding: FieldEncoding = .plain,
        unit: TimeUnit = .milliseconds,
        padding: Int = 64,
        _ body: (borrowing RecordBatch) -> Void
    ) {
        var bytes: [UInt8] = []
        var places: [(start: Int, length: Int)] = []
        for text in texts {
            places.append((bytes.count, text.utf8.count))
            bytes += Array(text.utf8) + [0x2C]
        }
        bytes += [UInt8](repeating: 0x2E, count: padding)
        var batch = RecordBatch(
            schema: RecordSchema(fields: [RecordSchema.Field("a")], timeUnit: unit),
            capacity: max(1, texts.count)
        )
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            for place in places {
                batch.beginRecord(line: 1)
                batch.setField(0, start: place.start, length: place.length, encoding: encoding)
                batch.endRecord(start: place.start, length: place.length)
            }
            body(batch)
        }
    }

    /// A text that is a number, or nearly one.
    private static func number(_ generator: inout SeededGenerator) -> String {
        func digits(_ range: Range<Int>) -> String {
            (0..<Int.random(in: range, using: &generator))
                .map { _ in String(Int.random(in: 0..<10, using: &generator)) }.joined()
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return digits(0..<22)
        case 1: return "-" + digits(0..<19)
        case 2: return digits(0..<10) + "." + digits(0..<10)
        case 3: return "-" + digits(0..<3) + "." + digits(0..<18)
        case 4: return digits(1..<18) + "e" + ["-", "+", ""][Int.random(in: 0..<3, using: &generator)] + digits(0..<4)
        case 5: return "\(Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator)))"
        case 6: return "\(Double.random(in: -1...1, using: &generator))"
        case 7: return "0." + String(repeating: "0", count: Int.random(in: 0..<20, using: &generator)) + digits(0..<18)
        case 8:
            var text = Array((digits(0..<5) + "." + digits(0..<12)).utf8)
            let place = Int.random(in: 0..<text.count, using: &generator)
            text[place] = [0x2E, 0x2D, 0x2F, 0x3A, 0x20, 0x2B, 0x65, 0x61].randomElement(using: &generator) ?? 0
            return String(decoding: text, as: UTF8.self)
        default:
            return ["", ".", "-", "-.", "+1", " 1 ", "nan", "inf", "1.", ".5", "-0", "1e", "9007199254740993", "٣"]
                .randomElement(using: &generator) ?? ""
        }
    }

    @Test func valuesAndErrorsAreThoseOfTheRecords() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var doubles = RecordColumn<Double>(field: 0)
        var integers = RecordColumn<Int64>(field: 0)
        var times = RecordColumn<Timestamp>(field: 0)
        var flags = RecordColumn<Bool>(field: 0)
        for _ in 0..<400 {
            var texts = (0..<Int.random(in: 0..<150, using: &generator)).map { _ in Self.number(&generator) }
            for index in texts.indices where Int.random(in: 0..<40, using: &generator) == 0 {
                texts[index] = ["true", "false", "True", "2024-06-08T16:05:00Z"].randomElement(using: &generator) ?? ""
            }
            let unit = TimeUnit.allCases.randomElement(using: &generator) ?? .seconds
            let encoding = [FieldEncoding.plain, .bare, .escaped, .nested, .null].randomElement(using: &generator)
            let padding = Int.random(in: 0..<40, using: &generator)
            Self.withBatch(texts, encoding: encoding ?? .plain, unit: unit, padding: padding) { batch in
                doubles.read(batch)
                integers.read(batch)
                times.read(batch)
                flags.read(batch)
                for index in texts.indices {
                    let fields = batch.fields(ofRecordAt: index)
                    Self.expect(doubles, index, batch, seed, texts) { () throws(FieldError) in
                        // The text itself, which the quick way has no part in.
                        let value = unsafe DecimalText.double(try fields.present(0))
                        let direct = try fields.double(0)
                        #expect(value?.bitPattern == direct.bitPattern, "seed \(seed), \(texts[index])")
                        return direct
                    }
                    Self.expect(integers, index, batch, seed, texts) { () throws(FieldError) in try fields.integer(0) }
                    Self.expect(times, index, batch, seed, texts) { () throws(FieldError) in try fields.timestamp(0) }
                    Self.expect(flags, index, batch, seed, texts) { () throws(FieldError) in try fields.boolean(0) }
                }
            }
        }
    }

    private static func expect<Value: ColumnValue & Equatable>(
        _ column: RecordColumn<Value>,
        _ index: Int,
        _ batch: borrowing RecordBatch,
        _ seed: UInt64,
        _ texts: [String],
        _ read: () throws(FieldError) -> Value
    ) {
        let comment = "seed \(seed), \(texts[index].debugDescription) as \(Value.self)"
        #expect(column.count == texts.count)
        do throws(FieldError) {
            let value = try read()
            #expect(column.isValid(index) && column.values[index] == value, "\(comment)")
            #expect(column.error(at: index, in: batch) == nil, "\(comment)")
        } catch {
            #expect(!column.isValid(index), "\(comment)")
            #expect(column.error(at: index, in: batch) == error, "\(comment)")
        }
    }

    @Test func countsWhatIsValid() {
        var column = RecordColumn<Int64>(field: 0)
        Self.withBatch(["1", "x", "", "4"]) { column.read($0) }
        #expect(column.values == [1, 0, 0, 4])
        #expect(column.valid == [0b1001])
        #expect(column.validCount == 2 && !column.isComplete)
        let copy = column
        Self.withBatch([]) { column.read($0) }
        #expect(column.values.isEmpty && column.valid.isEmpty && column.isComplete)
        #expect(copy.values == [1, 0, 0, 4])
    }

    @Test func layoutsAreThoseOfC() {
        #expect(MemoryLayout<RecordBatch.Slot>.stride == 12)
        #expect(MemoryLayout<RecordBatch.Slot>.offset(of: \.length) == 4)
        #expect(MemoryLayout<RecordBatch.Slot>.offset(of: \.encoding) == 8)
        #expect(MemoryLayout<RecordBatch.Slot>.offset(of: \.scale) == 9)
        #expect(MemoryLayout<RecordBatch.Row>.stride == 16)
        #expect(MemoryLayout<RecordBatch.Row>.offset(of: \.start) == 8)
        #expect(MemoryLayout<RecordBatch.Row>.offset(of: \.length) == 12)
        #expect(MemoryLayout<Timestamp>.size == MemoryLayout<Int64>.size)
        #expect(FieldEncoding.absent.rawValue == 0 && FieldEncoding.nested.rawValue == 6)
        #expect(FieldEncoding.integer.rawValue == 7 && FieldEncoding.time.rawValue == 11)
    }
}
