import Testing
import WeirCore
import WeirFormats
import WeirRecords

/// Where batches of the binary format end while an input goes on.
@Suite struct BinaryBatchTests {
    private static let rows = 0..<1_300

    private static func binary(limit: Int) throws -> [UInt8] {
        let text = "n,t\n" + rows.map { "\($0),row \($0 % 7)\n" }.joined()
        return try Conversion(Array(text.utf8), from: CSVFormat(), to: BinaryFormat(), limit: limit).output
    }

    /// The sizes of the batches, and the numbers of the records.
    private static func read(_ input: [UInt8], isFinal: Bool) throws -> (sizes: [Int], numbers: [Int64]) {
        let schema = RecordSchema(fields: [RecordSchema.Field("n")])
        var decoder = BinaryFormat().makeDecoder(for: schema, limits: FormatLimits())
        var batch = RecordBatch(schema: schema)
        var (sizes, numbers, start): ([Int], [Int64], Int) = ([], [], 0)
        try unsafe input.withUnsafeBytes { input in
            while true {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: input[start...])
                unsafe batch.begin(in: rest)
                let count = unsafe try decoder.decode(rest, isFinal: isFinal, into: &batch)
                start += count
                if batch.count > 0 { sizes.append(batch.count) }
                var column = RecordColumn<Int64>(field: 0)
                column.read(batch)
                numbers += column.values.prefix(batch.count)
                // As the caller of a decoder does: it goes on where something was consumed, or where the batch is full.
                if isFinal ? !batch.isFull : count == 0 && !batch.isFull { return }
            }
        }
        #expect(start == input.count)
        return (sizes, numbers)
    }

    @Test func largeBlocksEndTheirBatches() throws {
        let input = try Self.binary(limit: 1 << 20)
        let (sizes, numbers) = try Self.read(input + input, isFinal: false)
        #expect(sizes == [512, 512, 276, 512, 512, 276])
        #expect(numbers == (Array(Self.rows) + Array(Self.rows)).map { Int64($0) })
        let whole = try Self.read(input + input, isFinal: true)
        #expect(whole.sizes == [512, 512, 512, 512, 512, 40])
        #expect(whole.numbers == numbers)
    }

    /// A batch for each small block would cost more than it saves.
    @Test func smallBlocksShareTheirBatches() throws {
        let input = try Self.binary(limit: 400)
        for isFinal in [false, true] {
            let (sizes, numbers) = try Self.read(input, isFinal: isFinal)
            #expect(sizes == [512, 512, 276])
            #expect(numbers == Self.rows.map { Int64($0) })
        }
    }
}
