import WeirCore
import WeirRecords

/// Everything that a decoder says about an input, in a form that does not depend on how the input was cut.
struct Transcript: Equatable {
    struct Record: Equatable {
        var line: UInt64
        var fields: [String?]
    }

    struct Rejected: Equatable {
        var line: UInt64
        var reason: String
        var raw: [UInt8]
    }

    /// A field by its index.
    private struct Index: FieldKey {
        static var allCases: [Index] { [] }

        let rawValue: Int

        var fieldName: String { String(rawValue) }
    }

    var records: [Record] = []
    var rejections: [Rejected] = []
    var error: FormatError?

    /// What broke the decoder's contract; empty when all is well.
    var violations: [String] = []

    /// Reads an input as a host does.
    ///
    /// - Parameters:
    ///   - input: All of it.
    ///   - format: How it is written.
    ///   - fields: The wanted fields.
    ///   - limit: The longest line.
    ///   - capacity: How many records a batch holds.
    ///   - nextPiece: How many bytes arrive next.
    init(
        _ input: [UInt8],
        _ format: some Format,
        fields: [RecordSchema.Field],
        limit: Int = 1 << 20,
        capacity: Int = 512,
        nextPiece: () -> Int = { 1 << 20 }
    ) {
        let schema = RecordSchema(fields: fields)
        var decoder = format.makeDecoder(for: schema, limits: FormatLimits(lineLength: limit))
        var batch = RecordBatch(schema: schema, capacity: capacity)
        var start = 0
        var end = min(input.count, nextPiece())
        while true {
            let isFinal = end == input.count
            // A copy of exactly this size, so that the address sanitizer sees each byte that is read beyond it.
            let window = UnsafeMutableRawBufferPointer.allocate(byteCount: end - start, alignment: 1)
            defer { unsafe window.deallocate() }
            unsafe window.copyBytes(from: input[start..<end])
            unsafe batch.begin(in: UnsafeRawBufferPointer(window))
            let consumed: Int
            do throws(FormatError) {
                consumed = unsafe try decoder.decode(UnsafeRawBufferPointer(window), isFinal: isFinal, into: &batch)
            } catch {
                take(batch, windowCount: end - start)
                self.error = error
                return
            }
            take(batch, windowCount: end - start)
            if consumed < 0 || consumed > end - start { violations.append("consumed \(consumed) of \(end - start)") }
            // Only what is said about an end takes no bytes.
            if consumed == 0, batch.count > 0, !batch.isFull, !isFinal {
                violations.append("records, but nothing consumed")
            }
            if consumed == 0, !batch.isFull, end - start > limit + 1 { violations.append("holds \(end - start) bytes") }
            start += consumed
            if batch.isFull { continue }
            if isFinal {
                if start != end { violations.append("left \(end - start) bytes") }
                return
            }
            // Several lines may be left only when the batch is full.
            end = min(input.count, end + max(1, nextPiece()))
        }
    }

    private mutating func take(_ batch: borrowing RecordBatch, windowCount: Int) {
        if batch.count > batch.capacity { violations.append("\(batch.count) records in a batch") }
        for index in 0..<batch.count {
            var fields: [String?] = []
            batch.withRecord(at: index, keyedBy: Index.self) { record in
                for field in batch.schema.fields.indices {
                    fields.append(try? record.string(Index(rawValue: field)))
                }
            }
            records.append(Record(line: batch.line(ofRecordAt: index), fields: fields))
        }
        for rejection in batch.rejections {
            if rejection.start < 0 || rejection.start + rejection.length > windowCount {
                violations.append("a rejection beyond the bytes")
                continue
            }
            let raw = batch.raw(rejection)
            if rejection.isContinuation {
                if rejections.last?.line == rejection.line, rejections.last?.reason == rejection.reason {
                    rejections[rejections.count - 1].raw += raw
                } else {
                    violations.append("a continuation of nothing")
                }
            } else {
                rejections.append(Rejected(line: rejection.line, reason: rejection.reason, raw: raw))
            }
        }
    }
}
