internal import WeirCore
internal import WeirRecords
internal import WeirState

/// A piece of an input that ends between records, and what was known when it was read.
struct InputPiece: Sendable {
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

    /// Where a source is behind a piece, and what it takes to go on from there.
    struct Behind: Sendable {
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

    /// Whether there is something for a decoder: what stands before the records was understood.
    var mayHaveRecords: Bool {
        if case .refused? = ending { false } else { true }
    }

    func decode() {
        if mayHaveRecords { slice.decode(with: decoder, isFinal: ending == .finished) }
    }
}

/// Reads the pieces of an input, one after the other.
struct PieceReader {
    private let source: HeadKeepingSource
    private var reader: SliceReader
    private let keepsPlaces: Bool
    private var number = 0

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - reader: What reads them.
    ///   - keepsPlaces: Whether to note where the source is behind each piece.
    init(_ source: HeadKeepingSource, _ reader: SliceReader, keepsPlaces: Bool) {
        self.source = source
        self.reader = reader
        self.keepsPlaces = keepsPlaces
    }

    /// Reads the next piece.
    mutating func read(into slice: RecordSlice) -> InputPiece {
        let ending = reader.read(into: slice)
        defer { number += 1 }
        return InputPiece(
            number: number,
            slice: slice,
            decoder: reader.decoder,
            ending: ending,
            byteCount: source.byteCount,
            head: source.head,
            behind: !keepsPlaces
                ? nil
                : source.position.map { (position, unread) in
                    InputPiece.Behind(position: position, prelude: reader.prelude, unread: reader.rest + unread)
                }
        )
    }
}
