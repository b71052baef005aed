internal import WeirRecords
internal import WeirState

/// Reads the records of one input, batch by batch.
protocol BatchReading: AnyObject {
    /// Returns the next records, waiting for them; as `RecordReader.next(_:)`.
    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool

    /// How many bytes the input has given, as far as the last batch tells.
    var byteCount: Int64 { get }

    /// The first line with its end, of an input whose first line says what the others mean, once there was a batch.
    var head: [UInt8]? { get }

    /// Where another reading can go on behind the last batch; `nil` where that cannot be told just now.
    var place: RunCheckpoint.Input.Place? { get }

    /// Ends the reading, so that another one can go on with the source.
    func handOver()

    /// Waits until nothing reads any more; the input has ended or was interrupted.
    func close()
}

extension BatchReading {
    var place: RunCheckpoint.Input.Place? { nil }
}

/// Reads with the thread that asks.
final class PlainReading: BatchReading {
    private var reader: RecordReader
    private let source: HeadKeepingSource

    /// How places in the input are known; `nil` where they are not needed.
    private let placing: Placing?

    /// What was handed out.
    private var recordCount: UInt64 = 0
    private var rejectionCount: UInt64 = 0

    /// How many records and rejections are left out, which were handed out before.
    private var passing: RunCheckpoint.RecordPlace?

    /// How places in an input are known.
    enum Placing {
        case unknown, byBytes, byRecords
    }

    // Never inlined: the optimiser of Swift 6.3 fails at the caller ("a leaked owned value") where it is.
    @inline(never)
    init(_ reader: consuming RecordReader, of source: HeadKeepingSource, placing: Placing? = nil) {
        self.reader = reader
        self.source = source
        self.placing = placing
        self.reader.isResumable = placing == .byBytes || placing == .byRecords
    }

    /// Goes on where another reading was; nothing was read yet.
    func goOn(at place: RunCheckpoint.Input.Place) throws(FormatError) {
        switch (place, placing) {
        case (.unknown, _): break
        case (.bytes(let place), .byBytes): try reader.goOn(after: place.prelude, line: place.line)
        case (.records(let place), .byRecords):
            passing = place
            (recordCount, rejectionCount) = (place.records, place.rejections)
        case (.bytes, _), (.records, _):
            throw Self.otherFormat
        }
    }

    /// Why an input whose form is not the one that was found first is not read on.
    static let otherFormat = FormatError.badHeader("the first lines show another format than before")

    var place: RunCheckpoint.Input.Place? {
        switch placing {
        case nil: return nil
        case .unknown: return .unknown
        case .byBytes:
            guard let source = source.position else { return nil }
            guard let place = reader.place else {
                guard self.source.byteCount == 0 else { return nil }
                return .bytes(RunCheckpoint.BytePlace(position: source.position, prelude: [], unread: [], line: 0))
            }
            return .bytes(
                RunCheckpoint.BytePlace(
                    position: source.position,
                    prelude: place.prelude,
                    unread: place.unread + source.unread,
                    line: place.line
                )
            )
        case .byRecords:
            guard !reader.isInRefusedLine, let source = source.position else { return nil }
            return .records(
                RunCheckpoint.RecordPlace(
                    position: source.position,
                    records: recordCount,
                    rejections: rejectionCount
                )
            )
        }
    }

    // The source's count and not the reader's: that may not be looked at while it lends a batch.
    var byteCount: Int64 { source.byteCount }

    var head: [UInt8]? { source.head }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        guard placing == .byRecords else { return try reader.next(body) }
        while var rest = passing {
            var isWanted = false
            let hasMore = try reader.next { batch in
                let (records, rejections) = (min(rest.records, UInt64(batch.count)), batch.rejections.count)
                rest.records -= records
                rest.rejections -= min(rest.rejections, UInt64(rejections))
                passing = rest.records == 0 && rest.rejections == 0 ? nil : rest
                // Batches of a file end at the same places each time, unless its end was another one.
                guard records < batch.count else { return }
                isWanted = true
                var view = RecordBatch(schema: batch.schema, capacity: batch.capacity)
                view.show(batch, records: Int(records)..<batch.count, fields: Array(batch.schema.fields.indices))
                recordCount += UInt64(view.count)
                try body(&view)
            }
            if isWanted || !hasMore { return hasMore }
        }
        return try reader.next { batch in
            recordCount += UInt64(batch.count)
            rejectionCount += UInt64(batch.rejections.count)
            try body(&batch)
        }
    }

    func handOver() {
        let isInRefusedLine = reader.isInRefusedLine
        source.beginAnew(before: reader.takeUnread(), insideRefusedLine: isInRefusedLine)
    }

    func close() {}
}

/// Waits for the first lines of an input, which show how it is written.
final class ShownReading: BatchReading {
    private let source: HeadKeepingSource
    private let make: (_ firstLines: [UInt8]) throws(FormatError) -> any BatchReading
    private var reading: (any BatchReading)?

    /// The first lines, where the source goes on behind them.
    private let knownLines: [UInt8]?

    /// Where the source is while nothing was read of it.
    private let start: RunCheckpoint.Input.Place?

    /// How many bytes of the first lines are looked at.
    static let byteCount = 64 << 10

    /// Creates a reading.
    ///
    /// - Parameters:
    ///   - source: The input's bytes.
    ///   - start: Where the source is; `nil` where that is not wanted.
    ///   - lines: The first lines, where the source goes on behind them; without them, all bytes are still to come.
    ///   - make: Makes what reads the bytes, by the first lines.
    init(
        _ source: HeadKeepingSource,
        at start: RunCheckpoint.Input.Place?,
        behind lines: [UInt8]?,
        make: @escaping (_ firstLines: [UInt8]) throws(FormatError) -> any BatchReading
    ) {
        self.source = source
        self.start = start
        self.make = make
        knownLines = lines
    }

    var byteCount: Int64 { reading?.byteCount ?? source.byteCount }

    var head: [UInt8]? { reading?.head }

    var place: RunCheckpoint.Input.Place? { reading == nil ? start : reading?.place }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        let reading = try reading ?? make(knownLines ?? source.firstLines(limit: Self.byteCount))
        self.reading = reading
        return try reading.next(body)
    }

    func handOver() { reading?.handOver() }

    func close() { reading?.close() }
}

extension RunRequest {
    /// Makes what reads an input, with as many threads as were asked for where its format can be cut between records.
    ///
    /// - Parameters:
    ///   - source: The input's bytes.
    ///   - input: The input.
    ///   - schema: What is wanted of each record.
    ///   - batchCapacity: How many records to hand out at a time.
    ///   - place: Where the source is; `nil` at its start.
    ///   - lines: The first lines of the input, where the source is behind them.
    /// - Returns: A reading at that place.
    /// - Throws: ``FormatError`` when what stands before the records makes no sense any more.
    func makeReading(
        of source: HeadKeepingSource,
        _ input: Input,
        schema: RecordSchema,
        batchCapacity: Int,
        goingOnAt place: RunCheckpoint.Input.Place? = nil,
        behind lines: [UInt8]? = nil
    ) throws(FormatError) -> any BatchReading {
        guard showsForm(input) else {
            return try makeReading(
                ofKnown: source,
                input,
                schema: schema,
                batchCapacity: batchCapacity,
                goingOnAt: place
            )
        }
        let start = place ?? placeOfStart(of: input, source)
        return ShownReading(source, at: start, behind: lines) { lines throws(FormatError) in
            let (input, schema) = shown(input, schema, byFirstLines: lines)
            if !input.format.beginsWithHeader { source.forgetHead() }
            if case .bytes(let place)? = place, place.prelude.isEmpty, input.format.beginsWithHeader {
                throw PlainReading.otherFormat
            }
            return try makeReading(
                ofKnown: source,
                input,
                schema: schema,
                batchCapacity: batchCapacity,
                goingOnAt: place
            )
        }
    }

    /// Where an input is before it is read; `nil` where that is not known, as of one that was read before.
    private func placeOfStart(of input: Input, _ source: HeadKeepingSource) -> RunCheckpoint.Input.Place? {
        guard source.byteCount == 0 else { return state == nil || canResume(input) ? nil : .unknown }
        guard state != nil, input.isLive, canResume(input), let opened = source.position, opened.unread.isEmpty else {
            return startPlace(of: input)
        }
        return .bytes(RunCheckpoint.BytePlace(position: opened.position, prelude: [], unread: [], line: 0))
    }

    private func makeReading(
        ofKnown source: HeadKeepingSource,
        _ input: Input,
        schema: RecordSchema,
        batchCapacity: Int,
        goingOnAt place: RunCheckpoint.Input.Place?
    ) throws(FormatError) -> any BatchReading {
        // Where several inputs are merged, each has a thread of its own, and places are wanted behind each batch.
        if readerCount > 1, input.canBeSplit, state == nil || inputs.count == 1,
            let decoder = input.format.makeDecoder(for: schema, limits: limits) as? any SplittableDecoder
        {
            return SplitReading(
                source,
                decoder,
                schema: schema,
                limits: limits,
                batchCapacity: batchCapacity,
                threadCount: readerCount,
                at: place ?? startPlace(of: input),
                isAtStart: place == nil
            )
        }
        let reading = PlainReading(
            RecordReader(source, format: input.format, schema: schema, limits: limits, batchCapacity: batchCapacity),
            of: source,
            placing: state == nil ? nil : !canResume(input) ? .unknown : input.hasPlaces ? .byBytes : .byRecords
        )
        if let place { try reading.goOn(at: place) }
        return reading
    }
}

extension RunRequest.Input {
    /// Whether several threads can decode it: it is no message after message, and its format can be cut between records.
    var canBeSplit: Bool {
        !isLive && format.makeDecoder(for: RecordSchema(fields: []), limits: FormatLimits()) is any SplittableDecoder
    }
}
