internal import WeirRecords

/// Reads the records of one input, batch by batch.
protocol BatchReading: AnyObject {
    /// Returns the next records, waiting for them; as `RecordReader.next(_:)`.
    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool

    /// How many bytes the input has given, as far as the last batch tells.
    var byteCount: Int64 { get }

    /// The first line with its end, of an input whose first line says what the others mean, once there was a batch.
    var head: [UInt8]? { get }

    /// Ends the reading, so that another one can go on with the source.
    func handOver()

    /// Waits until nothing reads any more; the input has ended or was interrupted.
    func close()
}

/// Reads with the thread that asks.
final class PlainReading: BatchReading {
    private var reader: RecordReader
    private let source: HeadKeepingSource

    init(_ reader: consuming RecordReader, of source: HeadKeepingSource) {
        self.reader = reader
        self.source = source
    }

    // The source's count and not the reader's: that may not be looked at while it lends a batch.
    var byteCount: Int64 { source.byteCount }

    var head: [UInt8]? { source.head }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool { try reader.next(body) }

    func handOver() {
        let isInRefusedLine = reader.isInRefusedLine
        source.beginAnew(before: reader.takeUnread(), insideRefusedLine: isInRefusedLine)
    }

    func close() {}
}

extension RunRequest {
    /// Makes what reads an input, with as many threads as were asked for where its format can be cut between records.
    ///
    /// - Parameters:
    ///   - source: The input's bytes.
    ///   - input: The input.
    ///   - schema: What is wanted of each record.
    ///   - batchCapacity: How many records to hand out at a time.
    /// - Returns: A reading at the start of the source.
    func makeReading(
        of source: HeadKeepingSource,
        _ input: Input,
        schema: RecordSchema,
        batchCapacity: Int
    ) -> any BatchReading {
        if readerCount > 1, input.canBeSplit,
            let decoder = input.format.makeDecoder(for: schema, limits: limits) as? any SplittableDecoder
        {
            return SplitReading(
                source,
                decoder,
                schema: schema,
                limits: limits,
                batchCapacity: batchCapacity,
                threadCount: readerCount
            )
        }
        return PlainReading(
            RecordReader(source, format: input.format, schema: schema, limits: limits, batchCapacity: batchCapacity),
            of: source
        )
    }
}

extension RunRequest.Input {
    /// Whether several threads can decode it: it is no message after message, and its format can be cut between records.
    var canBeSplit: Bool {
        !isLive && format.makeDecoder(for: RecordSchema(fields: []), limits: FormatLimits()) is any SplittableDecoder
    }
}
