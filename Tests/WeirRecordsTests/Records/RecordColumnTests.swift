import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

@Suite struct RecordColumnTests {
    /// Lends a batch of one field in which each text is a record.
    static func withBatch(
        _ texts: [String],
        encoding: FieldEncoding = .plain,
        unit: TimeUnit = .milliseconds,
        times: InputTimes? = nil,
        padding: Int = 64,
        kernel: ScanKernel = .best,
        _ body: (inout RecordBatch) -> Void
    ) {
        var bytes: [UInt8] = []
        var places: [(start: Int, length: Int)] = []
        for text in texts {
            places.append((bytes.count, text.utf8.count))
            bytes += Array(text.utf8) + [0x2C]
        }
        var schema = RecordSchema(fields: [RecordSchema.Field("a")], timeUnit: unit)
        schema.times = times
        bytes += [UInt8](repeating: 0x2E, count: padding)
        var batch = RecordBatch(schema: schema, capacity: max(1, texts.count))
        batch.kernel = kernel
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            for place in places {
                batch.beginRecord(line: 1)
                batch.setField(0, start: place.start, length: place.length, encoding: encoding)
                batch.endRecord(start: place.start, length: place.length)
            }
            body(&batch)
        }
    }

    /// A text that is a number, or nearly one.
    static func number(_ generator: inout SeededGenerator) -> String {
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
            let kernel = ScanKernel.available.randomElement(using: &generator) ?? .portable
            Self.withBatch(texts, encoding: encoding ?? .plain, unit: unit, padding: padding, kernel: kernel) { batch in
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

    /// Texts of each length with each character in each place, among texts that are numbers.
    @Test(arguments: ScanKernel.available)
    func kernelsReadNoMoreThanNumbers(_ kernel: ScanKernel) {
        var texts: [String] = []
        for length in 1...18 {
            for start in ["123456789012345678", "-12345.78901234567", ".12345678901234567", "00000000000000000."] {
                let text = Array(start.utf8.prefix(length))
                for place in 0..<length {
                    for byte in UInt8(ascii: " ")...0x7F {
                        var changed = text
                        changed[place] = byte
                        texts += ["12.5", String(decoding: changed, as: UTF8.self)]
                    }
                }
            }
        }
        var doubles = RecordColumn<Double>(field: 0)
        var integers = RecordColumn<Int64>(field: 0)
        Self.withBatch(texts, kernel: kernel) { batch in
            doubles.read(batch)
            integers.read(batch)
        }
        for (index, text) in texts.enumerated() {
            var text = text
            let (double, integer) = text.withUTF8 { text in
                unsafe (DecimalText.double(text), DecimalText.integer(text))
            }
            let expected = double.flatMap { $0.isFinite ? $0.bitPattern : nil }
            let found = doubles.isValid(index) ? doubles.values[index].bitPattern : nil
            if found != expected { Issue.record("\(text) is \(expected ?? 0), not \(found ?? 0)") }
            let value: Int64? = if case .value(let value) = integer { value } else { nil }
            if (integers.isValid(index) ? integers.values[index] : nil) != value {
                Issue.record("\(text) is \(integer), not \(integers.values[index])")
            }
        }
    }

    /// Values that are stored side by side, as formats of columns have them, some of them moved, of another scale or absent.
    @Test func storedValuesAreThoseOfTheRecords() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var doubles = RecordColumn<Double>(field: 0)
        var integers = RecordColumn<Int64>(field: 0)
        var times = RecordColumn<Timestamp>(field: 0)
        let encodings: [FieldEncoding] = [.integer, .decimal, .float, .boolean, .time]
        for _ in 0..<400 {
            let encoding = encodings.randomElement(using: &generator) ?? .integer
            let isWide = encoding == .float || encoding == .time
            let width = isWide ? 8 : encoding == .boolean ? 1 : [1, 2, 4, 8].randomElement(using: &generator) ?? 8
            let count = Int.random(in: 1..<200, using: &generator)
            // Large numbers, and such that a double holds.
            let isSmall = Bool.random(using: &generator)
            var bytes: [UInt8] = []
            for _ in 0..<count {
                let bits = UInt64.random(in: .min ... .max, using: &generator)
                let number = isSmall ? UInt64(bitPattern: Int64(bitPattern: bits) >> 12) : bits
                for place in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
            }
            let scale = encoding == .decimal ? UInt8.random(in: 0..<25, using: &generator) : 0
            let schema = RecordSchema(fields: [RecordSchema.Field("a"), RecordSchema.Field("b")], timeUnit: .seconds)
            var batch = RecordBatch(schema: schema, capacity: count)
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe batch.begin(in: bytes)
                _ = batch.appendRecords(count, line: 1, start: 0)
                batch.setFields(
                    0,
                    ofRecordsFrom: 0,
                    count: count,
                    start: 0,
                    width: width,
                    encoding: encoding,
                    scale: scale
                )
                for index in 0..<count where Int.random(in: 0..<90, using: &generator) == 0 {
                    let change = Int.random(in: 0..<3, using: &generator)
                    let other: UInt8 = [0, 2, 19, 20, 128, 130].randomElement(using: &generator) ?? 0
                    batch.setField(
                        0,
                        ofRecordAt: index,
                        start: (change == 0 ? 0 : index) * width,
                        length: change == 1 ? 0 : width,
                        encoding: change == 1 ? .absent : encoding,
                        scale: encoding == .decimal && change == 2 ? other : scale
                    )
                }
                doubles.read(batch)
                integers.read(batch)
                times.read(batch)
                let texts = (0..<count).map { "\(encoding) of \(width) bytes at \($0)" }
                for index in 0..<count {
                    let fields = batch.fields(ofRecordAt: index)
                    Self.expect(doubles, index, batch, seed, texts) { () throws(FieldError) in try fields.double(0) }
                    Self.expect(integers, index, batch, seed, texts) { () throws(FieldError) in try fields.integer(0) }
                    Self.expect(times, index, batch, seed, texts) { () throws(FieldError) in try fields.timestamp(0) }
                }
            }
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
