import Testing
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
        // A decoder that stands still fails, and does not hang.
        var stepsLeft = 4 * input.count + 64
        while true {
            stepsLeft -= 1
            guard stepsLeft > 0 else {
                violations.append("stands still at byte \(start) of \(input.count)")
                return
            }
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

    /// Reads an input piece by piece, each of which is decoded by itself.
    ///
    /// - Parameters:
    ///   - input: All of it.
    ///   - format: A format that can be cut between records.
    ///   - fields: The wanted fields.
    ///   - limit: The longest line.
    ///   - capacity: How many records a batch holds.
    ///   - nextPiece: How many bytes arrive next.
    /// - Throws: When the format cannot be cut.
    init(
        splitting input: [UInt8],
        _ format: some Format,
        fields: [RecordSchema.Field],
        limit: Int,
        capacity: Int,
        nextPiece: () -> Int
    ) throws {
        let schema = RecordSchema(fields: fields)
        let limits = FormatLimits(lineLength: limit)
        let decoder = try #require(format.makeDecoder(for: schema, limits: limits) as? any SplittableDecoder)
        withoutActuallyEscaping(nextPiece) { nextPiece in
            let source = PieceSource(input, nextPiece)
            var reader = SliceReader(source, decoder, lineLimit: limit)
            var chain = SliceChain()
            var kinds = FieldKinds()
            var ending: SliceReader.Ending?
            repeat {
                let slice = RecordSlice(schema: schema, capacity: nextPiece(), batchCapacity: capacity)
                ending = reader.read(into: slice)
                if case .refused(let refusal)? = ending {
                    error = refusal
                    return
                }
                slice.decode(with: reader.decoder, isFinal: ending == .finished)
                chain.add(slice, decodedWith: reader.decoder, isFinal: ending == .finished)
                while true {
                    for index in 0..<slice.batchCount {
                        slice.lend(batchAt: index, knowing: &kinds) { take($0, windowCount: .max) }
                    }
                    guard slice.isPaused else { break }
                    chain.goOn(in: slice, isFinal: ending == .finished)
                    if slice.batchCount > 64 { violations.append("\(slice.batchCount) batches") }
                }
                error = slice.failure
            } while ending == nil && error == nil
            if !chain.unread.isEmpty { violations.append("left \(chain.unread.count) bytes") }
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
            if rejection.start < 0 || rejection.start > windowCount - rejection.length {
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

/// Bytes that arrive in pieces of any size.
private final class PieceSource: TransportSource {
    private var bytes: ArraySlice<UInt8>
    private let nextPiece: () -> Int

    init(_ bytes: [UInt8], _ nextPiece: @escaping () -> Int) {
        self.bytes = bytes[...]
        self.nextPiece = nextPiece
    }

    let expectedByteCount: Int64? = nil

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, nextPiece(), bytes.count)
        unsafe buffer.copyBytes(from: bytes.prefix(count))
        bytes.removeFirst(count)
        return count
    }
}
