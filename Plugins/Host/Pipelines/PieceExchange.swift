internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// The pieces of an input, between the threads that read and decode them and the one that asks for them in order.
///
/// One thread at a time reads. A thread reads ahead while few pieces wait for decoding, and decodes otherwise. The thread that
/// asks decodes too, rather than wait for another one, but never reads: a source may keep it waiting while pieces are there.
/// So threads sleep only where there is nothing to do, which matters: to wake one costs as much as a tenth of a piece.
final class PieceExchange: Sendable {
    private struct State: Sendable {
        var free: [RecordSlice]
        /// What was read, and no thread has begun to decode.
        var waiting: [InputPiece] = []
        var decoded: [InputPiece] = []
        var isReading = false
        var hasReadAll = false
        var isClosed = false
        /// The piece that the asking thread sleeps for.
        var wanted: Int?
        /// Where threads sleep that had nothing to do.
        var idle: [Parker] = []
    }

    private enum Work {
        case read(RecordSlice), decode(InputPiece), sleep, end
    }

    private let state: Locked<State>

    /// No thread waits for it: `State.isReading` keeps the others away.
    private let reader: Locked<PieceReader>

    /// How many pieces to have ready for decoding: one for each thread.
    private let readAheadCount: Int

    /// How many free slices are worth waking a thread for.
    private let refillCount: Int

    /// Where the asking thread sleeps.
    private let arrival = Parker()

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - reader: Reads the input.
    ///   - slices: What pieces are read into; two more than there are threads at least.
    ///   - threadCount: How many threads decode, with the one that asks.
    init(_ reader: consuming sending PieceReader, _ slices: [RecordSlice], threadCount: Int) {
        self.reader = Locked(reader)
        state = Locked(State(free: slices))
        readAheadCount = threadCount
        refillCount = slices.count / 2
    }

    // MARK: The threads that read and decode

    /// Works until everything was decoded, or the exchange is closed.
    func work() {
        let parker = Parker()
        while true {
            switch nextWork(orSleepAt: parker) {
            case .read(let slice): add(reader.withLock { $0.read(into: slice) })
            case .decode(let piece):
                piece.decode()
                note(decoded: piece)
            case .sleep: parker.park()
            case .end: return
            }
        }
    }

    private func nextWork(orSleepAt parker: Parker) -> Work {
        state.withLock { state in
            if state.isClosed { return .end }
            let canRead = !state.isReading && !state.hasReadAll && !state.free.isEmpty
            if canRead, state.waiting.count < readAheadCount {
                state.isReading = true
                return .read(state.free.removeLast())
            }
            if !state.waiting.isEmpty { return .decode(state.waiting.removeFirst()) }
            if state.hasReadAll { return .end }
            state.idle.append(parker)
            return .sleep
        }
    }

    private func add(_ piece: InputPiece) {
        let (isWanted, idle) = state.withLock { state in
            state.isReading = false
            state.hasReadAll = piece.ending != nil
            state.waiting.append(piece)
            return (state.wanted.take() != nil, state.idle.popLast())
        }
        if isWanted { arrival.unpark() }
        idle?.unpark()
    }

    private func note(decoded piece: InputPiece) {
        let isWanted = state.withLock { state in
            state.decoded.append(piece)
            guard state.wanted == piece.number else { return false }
            state.wanted = nil
            return true
        }
        if isWanted { arrival.unpark() }
    }

    // MARK: The thread that asks

    /// Waits for a piece, decoding others meanwhile.
    ///
    /// - Parameter number: Its number: each is asked for once, in order.
    /// - Returns: The piece, decoded; `nil` when the exchange was closed.
    func piece(_ number: Int) -> InputPiece? {
        while true {
            let found: (piece: InputPiece, isDecoded: Bool)? = state.withLock { state in
                if let place = state.decoded.firstIndex(where: { $0.number == number }) {
                    return (state.decoded.remove(at: place), true)
                }
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                state.wanted = number
                return nil
            }
            guard let found else {
                arrival.park()
                if state.withLock({ $0.isClosed }) { return nil }
                continue
            }
            if !found.isDecoded { found.piece.decode() }
            if found.piece.number == number { return found.piece }
            note(decoded: found.piece)
        }
    }

    /// Gives the slice of a piece back whose records were all taken.
    func giveBack(_ slice: RecordSlice) {
        let idle: Parker? = state.withLock { state in
            state.free.append(slice)
            // A thread that is woken for a single slice falls asleep behind it.
            let isWorthIt = !state.isReading && !state.hasReadAll && state.free.count >= refillCount
            return isWorthIt ? state.idle.popLast() : nil
        }
        idle?.unpark()
    }

    /// Drops what no thread has begun, and wakes those that sleep.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            state.waiting = []
            state.decoded = []
            defer { state.idle = [] }
            return state.idle
        }
        for parker in idle { parker.unpark() }
        arrival.unpark()
    }
}
