import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

/// Rows that are taken as their separators, beside the same rows whose places are written one by one.
@Suite struct RecordMarksTests {
    /// Some text that is nearly a table, and how it is read.
    private struct Table {
        let columnCount: Int
        let columns: [Int32]
        let capacity: Int
        let lengthLimit: Int
        let hasQuotes: Bool
        let kernel: ScanKernel
        let text: [UInt8]

        init(_ generator: inout SeededGenerator) {
            columnCount = Int.random(in: 1...5, using: &generator)
            let (count, fieldCount) = (Int32(columnCount), Int.random(in: 1...4, using: &generator))
            columns = (0..<fieldCount).map { _ in Int32.random(in: -1..<count, using: &generator) }
            capacity = Int.random(in: 1...90, using: &generator)
            lengthLimit = [8, 20, 1 << 20].randomElement(using: &generator) ?? 20
            hasQuotes = Bool.random(using: &generator)
            kernel = ScanKernel.available.randomElement(using: &generator) ?? .portable
            let plain: [[UInt8]] = ["", "7", "-12.5", "x", "ü", "123456789012345678", "0.25"].map { Array($0.utf8) }
            let others: [[UInt8]] = [[0xFF], [0xC3], [0x0D], Array("\"a,b\"".utf8), Array("\"\n\"".utf8), [0x22], [0]]
            // A flaw in each of so many fields.
            let distance = [10, 200, 100_000].randomElement(using: &generator) ?? 10
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0...200, using: &generator) {
                let isOdd = Int.random(in: 0..<distance, using: &generator) == 0
                let count = isOdd ? Int.random(in: 1...6, using: &generator) : columnCount
                for column in 0..<count {
                    if column > 0 { text.append(UInt8(ascii: ",")) }
                    let isFlawed = Int.random(in: 0..<distance, using: &generator) == 0
                    text += (isFlawed ? others : plain).randomElement(using: &generator) ?? []
                }
                if Int.random(in: 0..<distance, using: &generator) == 0 { text.append(0x0D) }
                text.append(0x0A)
            }
            // It may end anywhere.
            self.text = Array(text.prefix(text.count - Int.random(in: 0...min(12, text.count), using: &generator)))
        }

        var schema: RecordSchema { RecordSchema(fields: columns.indices.map { RecordSchema.Field("f\($0)") }) }

        /// Reads all of it; a decoder would judge the rows that are not taken.
        ///
        /// - Parameter marks: Whether rows may be taken as their separators, which only an empty batch does.
        /// - Returns: What was read, and how many of the records are not written.
        func read(marks: Bool) -> (seen: [String], markedCount: Int) {
            let index = RecordIndex(columnCount: columnCount, kernel: kernel)
            var batch = RecordBatch(schema: schema, capacity: marks ? capacity : capacity + 1)
            batch.kernel = kernel
            var (seen, markedCount, start, line): ([String], Int, Int, UInt64) = ([], 0, 0, 1)
            // A copy of exactly this size, so that the address sanitizer sees each byte that is read beyond it.
            let window = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
            defer { unsafe window.deallocate() }
            unsafe window.copyBytes(from: text)
            let bytes = UnsafeRawBufferPointer(window)
            while start < text.count {
                unsafe batch.begin(in: bytes)
                if !marks {
                    batch.beginRecord(line: 0)
                    batch.endRecord(start: 0, length: 0)
                }
                let first = batch.count
                start = unsafe index.takeCSV(
                    bytes,
                    from: start,
                    columns: columns,
                    columnCount: columnCount,
                    delimiter: UInt8(ascii: ","),
                    hasQuotes: hasQuotes,
                    lengthLimit: lengthLimit,
                    line: &line,
                    into: &batch
                )
                seen.append("\(start) \(line) \(batch.count - first)")
                if unsafe batch.count > first && batch.frame.pointee.isUnwritten { markedCount += batch.count }
                seen += Self.contents(batch, from: first)
                guard !batch.isFull, start < text.count else { continue }
                start = (text[start...].firstIndex(of: 0x0A) ?? text.count - 1) + 1
                line += 1
            }
            return (seen, markedCount)
        }

        private static func contents(_ batch: borrowing RecordBatch, from first: Int) -> [String] {
            var seen: [String] = []
            for field in 0..<batch.fieldCount {
                var numbers = RecordColumn<Double>(field: field)
                var texts = TextColumn(field: field)
                numbers.read(batch)
                texts.read(batch)
                for index in first..<batch.count {
                    let isNumber = numbers.valid[index >> 6] >> UInt64(index & 63) & 1 == 1
                    let code = Int(texts.codes[index])
                    seen.append("\(isNumber) \(isNumber ? numbers.values[index] : 0)")
                    seen.append(code >= 0 ? texts.texts[code] : "\(code)")
                    seen.append("\(batch.place(ofField: field, inRecordAt: index))")
                }
            }
            for index in first..<batch.count { seen.append("\(batch.place(ofRecordAt: index))") }
            return seen
        }
    }

    @Test func rowsAreThoseWhosePlacesAreWritten() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var markedCount = 0
        for round in 0..<600 {
            let table = Table(&generator)
            let (marked, plain) = (table.read(marks: true), table.read(marks: false))
            #expect(marked.seen == plain.seen, "seed \(seed), round \(round)")
            #expect(plain.markedCount == 0)
            markedCount += marked.markedCount
        }
        #expect(markedCount > 5_000, "seed \(seed)")
    }

    /// Rows of far more columns than there are fields are written as before.
    @Test func wideRowsAreWritten() {
        var text: [UInt8] = []
        for row in 0..<40 { text += Array((0..<30).map { "\(row + $0)" }.joined(separator: ",").utf8) + [0x0A] }
        var batch = RecordBatch(schema: RecordSchema(fields: [RecordSchema.Field("a")]), capacity: 64)
        unsafe text.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            var line: UInt64 = 1
            let end = unsafe RecordIndex(columnCount: 30)
                .takeCSV(
                    bytes,
                    from: 0,
                    columns: [29],
                    columnCount: 30,
                    delimiter: UInt8(ascii: ","),
                    hasQuotes: true,
                    lengthLimit: 1 << 20,
                    line: &line,
                    into: &batch
                )
            #expect(end == bytes.count && line == 41)
            let (count, isUnwritten) = unsafe (batch.count, batch.frame.pointee.isUnwritten)
            #expect(count == 40 && !isUnwritten)
            var numbers = RecordColumn<Int64>(field: 0)
            numbers.read(batch)
            #expect(numbers.values == (29..<69).map { Int64($0) })
        }
    }

    /// CWeir reads the place at the head of a run.
    @Test func aRunBeginsWithItsPlace() {
        #expect(MemoryLayout<FieldRun>.offset(of: \.head) == 0)
        #expect(MemoryLayout<FieldRun>.size >= MemoryLayout<RecordBatch.Slot>.stride)
    }
}
