internal import WeirCore
internal import WeirDispatch
internal import WeirRecords
internal import WeirState
internal import WeirSystem

/// Reads an input with several threads, which cut its bytes between records and decode the pieces; the thread that asks gets
/// the batches in the order of the input.
///
/// Where to cut is a guess, because quotes can hide the end of a line; a `SliceChain` checks it. So the records, their lines
/// and the rejections are those that one thread finds, whatever the input.
///
/// Memory: two pieces for each thread and two more, of a quarter of a mebibyte, which fits the cache of a core, or of the
/// longest record, each with batches for records of 8 bytes. The thread that asks decodes what shorter records a piece has
/// beyond that.
final class SplitReading: BatchReading {
    private static let sliceLength = 256 << 10

    /// Where the input is of which nothing was handed out; `nil` where places are not wanted.
    private let firstPlace: RunCheckpoint.Input.Place?

    /// Where it is behind everything.
    private var endPlace: RunCheckpoint.Input.Place?

    private(set) var byteCount: Int64
    private(set) var head: [UInt8]?

    private let source: HeadKeepingSource
    private let isAtStart: Bool
    private let decoder: any SplittableDecoder
    private let schema: RecordSchema
    private let limits: FormatLimits
    private let batchCapacity: Int
    private let threadCount: Int
    private let threads = WaitGroup()

    /// What the threads share, from the first record on.
    private var pieces: PieceExchange?

    private var chain = SliceChain()
    private var number = 0
    private var current: InputPiece?
    private var nextBatch = 0
    private var kinds = FieldKinds()
    private var hasEnded = false
    private var failure: (any Error)?

    /// Creates what reads; nothing is read yet.
    ///
    /// - Parameters:
    ///   - source: The bytes; nothing else reads it before ``close()`` has returned.
    ///   - decoder: A decoder at the start of the bytes.
    ///   - schema: What is wanted of each record.
    ///   - limits: What an input that cannot be trusted may take.
    ///   - batchCapacity: How many records to hand out at a time.
    ///   - threadCount: How many threads decode, with the one that asks; at least two.
    ///   - start: Where the source is; `nil` where places are not wanted.
    ///   - isAtStart: Whether the source is at the start of the input; otherwise it goes on at the place.
    init(
        _ source: HeadKeepingSource,
        _ decoder: any SplittableDecoder,
        schema: RecordSchema,
        limits: FormatLimits,
        batchCapacity: Int,
        threadCount: Int,
        at start: RunCheckpoint.Input.Place? = nil,
        isAtStart: Bool = true
    ) {
        self.source = source
        firstPlace = start
        self.isAtStart = isAtStart
        self.decoder = decoder
        self.schema = schema
        self.limits = limits
        self.batchCapacity = batchCapacity
        self.threadCount = threadCount
        byteCount = source.byteCount
    }

    private func start() throws -> PieceExchange {
        var (decoder, prelude) = (self.decoder, [UInt8]?.none)
        if !isAtStart, case .bytes(let place)? = firstPlace {
            decoder = try decoder.goingOn(after: place.prelude, line: place.line)
            prelude = place.prelude
        }
        let reader = SliceReader(source, decoder, lineLimit: limits.lineLength, behind: prelude)
        let slices = (0..<2 * threadCount + 2).map { _ in
            RecordSlice(schema: schema, capacity: Self.sliceLength, batchCapacity: batchCapacity)
        }
        let pieces = PieceExchange(
            PieceReader(source, reader, keepsPlaces: firstPlace != nil),
            slices,
            threadCount: threadCount
        )
        self.pieces = pieces
        for _ in 1..<threadCount {
            try start("weir.decode") { pieces.work() }
        }
        return pieces
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(HostError) {
        let threads = threads
        threads.enter()
        let isStarted = SystemThread.start(name) {
            body()
            threads.leave()
        }
        guard isStarted else {
            threads.leave()
            throw HostError(.internalError, "the system has no threads left")
        }
    }

    func close() {
        pieces?.close()
        threads.wait()
    }

    func handOver() {
        close()
        hasEnded = true
        source.beginAnew(before: chain.unread, insideRefusedLine: chain.isInRefusedLine)
    }

    var place: RunCheckpoint.Input.Place? {
        guard case .bytes? = firstPlace else { return firstPlace }
        guard let current else { return number == 0 || byteCount == 0 ? firstPlace : endPlace }
        return current.behind.flatMap { behind in
            current.slice.rest(behindBatchAt: nextBatch - 1).map(behind.place(before:))
        }
    }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        let pieces = try self.pieces ?? start()
        while true {
            if let current, nextBatch < current.slice.batchCount {
                nextBatch += 1
                try current.slice.lend(batchAt: nextBatch - 1, knowing: &kinds, body)
                return true
            }
            if let current, current.slice.isPaused {
                chain.goOn(in: current.slice, isFinal: current.ending == .finished)
                nextBatch = 0
                finish(current)
                continue
            }
            if let used = current.take() {
                endPlace = used.behind.flatMap { behind in
                    hasEnded ? used.slice.restBehindAll.map(behind.place(before:)) : nil
                }
                pieces.giveBack(used.slice)
            }
            if let failure {
                self.failure = nil
                throw failure
            }
            guard !hasEnded, let piece = pieces.piece(number) else { return false }
            number += 1
            take(piece)
        }
    }

    private func take(_ piece: InputPiece) {
        let slice = piece.slice
        (byteCount, head) = (piece.byteCount, piece.head)
        (current, nextBatch) = (piece, 0)
        if piece.mayHaveRecords {
            chain.add(slice, decodedWith: piece.decoder, isFinal: piece.ending == .finished)
        }
        finish(piece)
    }

    /// Notes what is behind a piece, once all of its records were found.
    private func finish(_ piece: InputPiece) {
        let slice = piece.slice
        guard !slice.isPaused else { return }
        hasEnded = piece.ending != nil || slice.failure != nil
        switch piece.ending {
        case nil, .finished: failure = slice.failure
        case .refused(let refusal): failure = refusal
        case .brokenOff(let error):
            failure = error
            // After an interruption the rest stays unread, like everything behind it.
            if case .interrupted = error, firstPlace != nil || !source.drainsWhenInterrupted { break }
            chain.breakOff(slice)
        }
    }
}
