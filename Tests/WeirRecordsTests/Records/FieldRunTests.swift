import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

/// Records of columns whose places are not written, beside the same records with their places.
@Suite struct FieldRunTests {
    /// Some records of a block: for each field a run, texts, or nothing.
    private struct Block {
        enum Field {
            case absent
            case run(width: Int, encoding: FieldEncoding, scale: UInt8)
            case texts([Int])
        }

        let count: Int
        var bytes: [UInt8] = []
        var fields: [(start: Int, field: Field)] = []

        init(_ generator: inout SeededGenerator, fieldCount: Int) {
            count = Int.random(in: 1...150, using: &generator)
            for _ in 0..<fieldCount {
                let start = bytes.count
                let encodings: [FieldEncoding] = [.integer, .decimal, .float, .boolean, .time, .plain, .absent]
                let encoding = encodings.randomElement(using: &generator) ?? .integer
                let isWide = encoding == .float || encoding == .time
                let width = isWide ? 8 : encoding == .boolean ? 1 : [1, 2, 4, 8].randomElement(using: &generator) ?? 8
                switch encoding {
                case .absent: fields.append((start, .absent))
                case .plain:
                    let lengths = (0..<count).map { _ in Int.random(in: 0...6, using: &generator) }
                    let characters = Array("0123456789.-x".utf8)
                    for _ in 0..<lengths.reduce(0, +) {
                        bytes.append(characters.randomElement(using: &generator) ?? 0)
                    }
                    fields.append((start, .texts(lengths)))
                default:
                    let isSmall = Bool.random(using: &generator)
                    for _ in 0..<count {
                        let bits = UInt64.random(in: .min ... .max, using: &generator)
                        let number = isSmall ? UInt64(bitPattern: Int64(bitPattern: bits) >> 12) : bits
                        for place in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
                    }
                    let scale = encoding == .decimal ? UInt8.random(in: 0..<25, using: &generator) : 0
                    fields.append((start, .run(width: width, encoding: encoding, scale: scale)))
                }
            }
            bytes += Array(repeating: 0, count: 64)
        }

        /// Fills a batch with the records in some steps; with one step, nothing is written that follows from runs.
        func fill(_ batch: inout RecordBatch, _ steps: [Range<Int>]) {
            for step in steps {
                let first = batch.appendRecords(step.count, line: UInt64(7 + step.lowerBound), start: 3)
                for (number, (start, field)) in fields.enumerated() {
                    switch field {
                    case .absent: break
                    case .run(let width, let encoding, let scale):
                        batch.setFields(
                            number,
                            ofRecordsFrom: first,
                            count: step.count,
                            start: start + step.lowerBound * width,
                            width: width,
                            encoding: encoding,
                            scale: scale
                        )
                    case .texts(let lengths):
                        var place = start + lengths[..<step.lowerBound].reduce(0, +)
                        for index in step {
                            batch.setField(
                                number,
                                ofRecordAt: index,
                                start: place,
                                length: lengths[index],
                                encoding: .plain
                            )
                            place += lengths[index]
                        }
                    }
                }
            }
        }
    }

    /// What a consumer sees of a batch.
    private static func contents(_ batch: inout RecordBatch, readsAhead: Bool) -> [String] {
        var seen: [String] = []
        for round in 0..<2 {
            if readsAhead, round == 1 { batch.readAhead() }
            for index in 0..<batch.count {
                let fields = batch.fields(ofRecordAt: index)
                for field in 0..<batch.fieldCount {
                    seen.append("\(batch.place(ofField: field, inRecordAt: index)) \(fields.isPresent(field))")
                    seen.append("\(Result { () throws(FieldError) in try fields.double(field) })")
                    seen.append("\(Result { () throws(FieldError) in try fields.integer(field) })")
                    seen.append("\(Result { () throws(FieldError) in try fields.timestamp(field) })")
                    seen.append("\(Result { () throws(FieldError) in try fields.boolean(field) })")
                    seen.append("\(Result { () throws(FieldError) in try fields.string(field) })")
                }
                seen.append("\(batch.place(ofRecordAt: index))")
            }
        }
        return seen
    }

    private static func columns(_ batch: borrowing RecordBatch) -> [String] {
        var seen: [String] = []
        for field in 0..<batch.fieldCount {
            var doubles = RecordColumn<Double>(field: field)
            var integers = RecordColumn<Int64>(field: field)
            var times = RecordColumn<Timestamp>(field: field)
            var flags = RecordColumn<Bool>(field: field)
            var texts = TextColumn(field: field)
            doubles.read(batch)
            integers.read(batch)
            times.read(batch)
            flags.read(batch)
            texts.read(batch)
            seen.append("\(doubles.values) \(doubles.valid) \(integers.values) \(integers.valid)")
            seen.append("\(times.values) \(times.valid) \(flags.values) \(flags.valid) \(texts.codes) \(texts.texts)")
            var encodings: [UInt8] = []
            seen.append("\(batch.readEncodings(ofField: field, into: &encodings)) \(encodings)")
            seen.append("\(batch.hasValue(inField: field))")
        }
        return seen
    }

    @Test func recordsAreTheSameWhetherTheirPlacesAreWritten() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let fieldCount = Int.random(in: 1...4, using: &generator)
            let block = Block(&generator, fieldCount: fieldCount)
            let names = (0..<fieldCount).map { RecordSchema.Field("f\($0)") }
            let schema = RecordSchema(fields: names, timeUnit: .milliseconds)
            var unwritten = RecordBatch(schema: schema, capacity: block.count)
            var written = RecordBatch(schema: schema, capacity: block.count)
            let cut = Int.random(in: 0..<block.count, using: &generator)
            let steps = cut == 0 ? [0..<block.count] : [0..<cut, cut..<block.count]
            unsafe block.bytes.withUnsafeBytes { bytes in
                unsafe unwritten.begin(in: bytes)
                unsafe written.begin(in: bytes)
                block.fill(&unwritten, [0..<block.count])
                block.fill(&written, steps)
                written.writePlaces()
                Self.compare(&unwritten, &written, seed)
            }
        }
    }

    /// Rows of a table that were found with an index.
    @Test func rowsAreTheSameWhetherTheirPlacesAreWritten() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let texts = ["", "7", "-12.5", "1e3", "x", "ü", "123456789012345678901", "0.30000000000000004", "true", "99"]
        for _ in 0..<30 {
            let columnCount = Int.random(in: 1...5, using: &generator)
            let fieldCount = Int.random(in: 1...3, using: &generator)
            let columns = (0..<fieldCount).map { _ in Int32.random(in: -1..<Int32(columnCount), using: &generator) }
            var text = Array("before\n".utf8)
            let start = text.count
            let rowCount = Int.random(in: 1...150, using: &generator)
            for _ in 0..<rowCount {
                let fields = (0..<columnCount).map { _ in texts.randomElement(using: &generator) ?? "" }
                let row = fields.joined(separator: ",")
                text += Array((row.isEmpty ? "1\n" : row + "\n").utf8)
            }
            let names = (0..<fieldCount).map { RecordSchema.Field("f\($0)") }
            let schema = RecordSchema(fields: names, timeUnit: .milliseconds)
            var unwritten = RecordBatch(schema: schema, capacity: rowCount)
            var written = RecordBatch(schema: schema, capacity: rowCount)
            unsafe text.withUnsafeBytes { bytes in
                unsafe Self.take(bytes, start, columns, columnCount, into: &unwritten)
                unsafe Self.take(bytes, start, columns, columnCount, into: &written)
                written.writePlaces()
                let counts = (unwritten.count, written.count)
                #expect(counts == (rowCount, rowCount), "seed \(seed)")
                Self.compare(&unwritten, &written, seed)
            }
        }
    }

    private static func take(
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ columns: [Int32],
        _ columnCount: Int,
        into batch: inout RecordBatch
    ) {
        var line: UInt64 = 2
        unsafe batch.begin(in: bytes)
        _ = unsafe RecordIndex(columnCount: columnCount)
            .takeCSV(
                bytes,
                from: start,
                columns: columns,
                columnCount: columnCount,
                delimiter: UInt8(ascii: ","),
                hasQuotes: true,
                lengthLimit: 1 << 20,
                line: &line,
                into: &batch
            )
    }

    private static func isUnwritten(_ batch: borrowing RecordBatch) -> Bool { unsafe batch.frame.pointee.isUnwritten }

    private static func compare(_ unwritten: inout RecordBatch, _ written: inout RecordBatch, _ seed: UInt64) {
        let states = (isUnwritten(unwritten), isUnwritten(written))
        #expect(states == (true, false))
        compareColumns(unwritten, written, seed)
        for readsAhead in [false, true] { compareContents(&unwritten, &written, seed, readsAhead: readsAhead) }
        // Reading has written nothing.
        let staysUnwritten = isUnwritten(unwritten)
        #expect(staysUnwritten)

        var (chunk, other) = (RecordChunk(schema: unwritten.schema), RecordChunk(schema: written.schema))
        for index in 0..<unwritten.count {
            _ = chunk.append(recordAt: index, of: unwritten)
            _ = other.append(recordAt: index, of: written)
        }
        #expect(chunk.encoded == other.encoded, "seed \(seed)")
        func isRefused(_ time: Timestamp) -> String? { time.nanosecondsSinceEpoch % 2 == 0 ? "even" : nil }
        unwritten.refuseRecords(byTime: 0, isRefused)
        written.refuseRecords(byTime: 0, isRefused)
        let refused = (unwritten.rejections.map(\.line), written.rejections.map(\.line))
        #expect(refused.0 == refused.1, "seed \(seed)")
        compareColumns(unwritten, written, seed)
        compareContents(&unwritten, &written, seed, readsAhead: false)
    }

    private static func compareColumns(
        _ unwritten: borrowing RecordBatch,
        _ written: borrowing RecordBatch,
        _ seed: UInt64
    ) {
        let found = columns(unwritten)
        let expected = columns(written)
        #expect(found == expected, "seed \(seed)")
    }

    private static func compareContents(
        _ unwritten: inout RecordBatch,
        _ written: inout RecordBatch,
        _ seed: UInt64,
        readsAhead: Bool
    ) {
        let found = contents(&unwritten, readsAhead: readsAhead)
        let expected = contents(&written, readsAhead: readsAhead)
        #expect(found == expected, "seed \(seed)")
    }

    /// A batch that is used again has nothing left of the columns before.
    @Test func aRecordOfItsOwnFollowsRecordsOfABlock() throws {
        let bytes: [UInt8] = [1, 2, 3, 4] + Array("77".utf8) + Array(repeating: 0, count: 64)
        var batch = RecordBatch(schema: RecordSchema(fields: [RecordSchema.Field("a")]), capacity: 5)
        try unsafe bytes.withUnsafeBytes { bytes in
            for _ in 0..<2 {
                unsafe batch.begin(in: bytes)
                let first = batch.appendRecords(4, line: 1, start: 0)
                batch.setFields(0, ofRecordsFrom: first, count: 4, start: 0, width: 1, encoding: .integer, scale: 0)
                batch.beginRecord(line: 9)
                batch.setField(0, start: 4, length: 2, encoding: .plain)
                batch.endRecord(start: 4, length: 2)
                var values: [Int64] = []
                for index in 0..<5 { values.append(try batch.fields(ofRecordAt: index).integer(0)) }
                #expect(values == [1, 2, 3, 4, 77])
                let lines = (batch.line(ofRecordAt: 3), batch.line(ofRecordAt: 4))
                #expect(lines == (4, 9))
                unsafe batch.begin(in: bytes)
                batch.beginRecord(line: 3)
                batch.endRecord(start: 0, length: 1)
                let (line, place) = (batch.line(ofRecordAt: 0), batch.place(ofField: 0, inRecordAt: 0))
                #expect(line == 3 && place.encoding == .absent)
            }
        }
    }
}
