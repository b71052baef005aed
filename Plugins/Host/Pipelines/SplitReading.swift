internal import WeirCore
internal import WeirDispatch
internal import WeirRecords
internal import WeirState
internal import WeirSystem

/// Reads an input with several threads: one reads its bytes and cuts them between records, others decode the pieces, and
/// the thread that asks gets the batches in the order of the input.
///
/// Where to cut is a guess, because quotes can hide the end of a line; a `SliceChain` checks it. So the records, their lines
/// and the rejections are those that one thread finds, whatever the input.
///
/// Memory: two pieces for each thread and two more, of a quarter of a mebibyte, which fits the cache of a core, or of the
/// longest record, each with batches for records of 8 bytes. The thread that asks decodes what shorter records a piece has
/// beyond that.
final class SplitReading: BatchReading {
    private struct Piece: Sendable {
        /// How many pieces of the input come before it.
        let number: Int
        let slice: RecordSlice
        /// The decoder at the first record of the input.
        let decoder: any SplittableDecoder
        /// What is behind it; `nil` for another piece.
        let ending: SliceReader.Ending?
        /// What the source had given when it was read.
        let byteCount: Int64
        let head: [UInt8]?
        /// Where the source is behind it; `nil` where that is not wanted, or cannot be found again.
        let behind: Behind?

        /// Whether there is something for a decoder: what stands before the records was understood.
        var mayHaveRecords: Bool {
            if case .refused? = ending { false } else { true }
        }

        func decode() {
            if mayHaveRecords { slice.decode(with: decoder, isFinal: ending == .finished) }
        }
    }

    /// Where a source is behind a piece, and what it takes to go on from there.
    private struct Behind: Sendable {
        let position: SourcePosition
        let prelude: [UInt8]
        /// What was read behind the piece.
        let unread: [UInt8]

        /// The place of what is left of the piece.
        func place(before rest: (bytes: [UInt8], line: UInt64)) -> RunCheckpoint.Input.Place {
            .bytes(
                RunCheckpoint.BytePlace(
                    position: position,
                    prelude: prelude,
                    unread: rest.bytes + unread,
                    line: rest.line
                )
            )
        }
    }

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
    private let lineLimit: Int
    private let free: BoundedQueue<RecordSlice>
    private let jobs: [BoundedQueue<Piece>]
    private let answers: [BoundedQueue<Piece>]
    private let threads = WaitGroup()
    private var isStarted = false

    private var chain = SliceChain()
    private var number = 0
    private var current: Piece?

    /// Pieces behind the current one that the thread that asks has decoded.
    private var ahead: [Piece] = []
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
    ///   - threadCount: How many threads decode.
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
        lineLimit = limits.lineLength
        byteCount = source.byteCount
        let sliceCount = 2 * threadCount + 2
        free = BoundedQueue(capacity: sliceCount)
        jobs = (0..<threadCount).map { _ in BoundedQueue(capacity: 2) }
        answers = (0..<threadCount).map { _ in BoundedQueue(capacity: sliceCount) }
        for _ in 0..<sliceCount {
            free.push(RecordSlice(schema: schema, capacity: Self.sliceLength, batchCapacity: batchCapacity))
        }
    }

    private func start() throws {
        isStarted = true
        var (decoder, prelude) = (self.decoder, [UInt8]?.none)
        if !isAtStart, case .bytes(let place)? = firstPlace {
            decoder = try decoder.goingOn(after: place.prelude, line: place.line)
            prelude = place.prelude
        }
        for (jobs, answers) in zip(jobs, answers) {
            try start("weir.decode") { Self.decode(jobs, answers) }
        }
        try start("weir.input") { [source, decoder, prelude, lineLimit, free, jobs, keepsPlaces = firstPlace != nil] in
            let reader = SliceReader(source, decoder, lineLimit: lineLimit, behind: prelude)
            Self.read(source, reader, free, jobs, keepsPlaces: keepsPlaces)
        }
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
        free.close()
        for queue in jobs + answers { queue.close() }
        threads.wait()
    }

    func handOver() {
        close()
        hasEnded = true
        source.beginAnew(before: chain.unread, insideRefusedLine: chain.isInRefusedLine)
    }

    // MARK: The threads

    private static func read(
        _ source: HeadKeepingSource,
        _ first: consuming SliceReader,
        _ free: BoundedQueue<RecordSlice>,
        _ jobs: [BoundedQueue<Piece>],
        keepsPlaces: Bool
    ) {
        var reader = first
        var number = 0
        while let slice = free.pop() {
            let ending = reader.read(into: slice)
            let piece = Piece(
                number: number,
                slice: slice,
                decoder: reader.decoder,
                ending: ending,
                byteCount: source.byteCount,
                head: source.head,
                behind: !keepsPlaces
                    ? nil
                    : source.position.map { (position, unread) in
                        Behind(position: position, prelude: reader.prelude, unread: reader.rest + unread)
                    }
            )
            guard jobs[number % jobs.count].push(piece), ending == nil else { return }
            number += 1
        }
    }

    private static func decode(_ jobs: BoundedQueue<Piece>, _ answers: BoundedQueue<Piece>) {
        while let piece = jobs.pop() {
            piece.decode()
            guard answers.push(piece) else { return }
        }
    }

    // MARK: The thread that asks

    var place: RunCheckpoint.Input.Place? {
        guard case .bytes? = firstPlace else { return firstPlace }
        guard let current else { return number == 0 || byteCount == 0 ? firstPlace : endPlace }
        return current.behind.flatMap { behind in
            current.slice.rest(behindBatchAt: nextBatch - 1).map(behind.place(before:))
        }
    }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        if !isStarted { try start() }
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
                free.push(used.slice)
            }
            if let failure {
                self.failure = nil
                throw failure
            }
            guard !hasEnded, let piece = nextPiece() else { return false }
            number += 1
            take(piece)
        }
    }

    /// The next piece, decoded.
    ///
    /// Rather than wait for another thread, this one decodes what none has begun: that piece, or one behind it.
    private func nextPiece() -> Piece? {
        let turn = number % answers.count
        while true {
            if let place = ahead.firstIndex(where: { $0.number == number }) { return ahead.remove(at: place) }
            if let piece = answers[turn].tryPop() { return piece }
            guard let waiting = notBegunPiece(from: turn) else { return answers[turn].pop() }
            waiting.decode()
            ahead.append(waiting)
        }
    }

    private func notBegunPiece(from turn: Int) -> Piece? {
        for offset in jobs.indices {
            if let piece = jobs[(turn + offset) % jobs.count].tryPop() { return piece }
        }
        return nil
    }

    private func take(_ piece: Piece) {
        let slice = piece.slice
        (byteCount, head) = (piece.byteCount, piece.head)
        (current, nextBatch) = (piece, 0)
        if piece.mayHaveRecords {
            chain.add(slice, decodedWith: piece.decoder, isFinal: piece.ending == .finished)
        }
        finish(piece)
    }

    /// Notes what is behind a piece, once all of its records were found.
    private func finish(_ piece: Piece) {
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
