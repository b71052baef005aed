/// Puts pieces of an input that were decoded by themselves in a row.
///
/// Where an input was cut is a guess. While a piece does not end with a record, what is left of it is decoded again with the
/// next piece. So the records, their lines and the rejections are those of an input in one piece.
package struct SliceChain {
    /// The line of the next piece, once there was one.
    private var line: UInt64?

    /// What the last piece left, with its decoder, where it did not end with a record.
    private var carried: (bytes: [UInt8], decoder: any SplittableDecoder)?

    /// Whether the last line was rejected in part, and its rest is still to come.
    package private(set) var isInRefusedLine = false

    /// Creates a chain at the start of an input.
    package init() {}

    /// Adds the next piece.
    ///
    /// - Parameters:
    ///   - slice: The piece, decoded as if a record started with it.
    ///   - decoder: The decoder that it was decoded with, as it was before.
    ///   - isFinal: Whether the input ends with the piece.
    package mutating func add(_ slice: RecordSlice, decodedWith decoder: any SplittableDecoder, isFinal: Bool) {
        if let carried {
            slice.decode(with: carried.decoder, after: carried.bytes, isFinal: isFinal)
        } else {
            slice.shiftLines(by: (line ?? decoder.line) &- decoder.line)
        }
        record(slice)
    }

    /// Has the last piece find its next records where it paused.
    ///
    /// - Parameters:
    ///   - slice: The piece.
    ///   - isFinal: Whether the input ends with it.
    package mutating func goOn(in slice: RecordSlice, isFinal: Bool) {
        slice.decodeOn(isFinal: isFinal)
        record(slice)
    }

    private mutating func record(_ slice: RecordSlice) {
        line = slice.decoder?.line
        isInRefusedLine = slice.endsInRefusedLine
        carried = slice.isWhole ? nil : slice.decoder.map { (slice.rest, $0) }
    }

    /// What was not consumed.
    package var unread: [UInt8] { carried?.bytes ?? [] }

    /// Ends the chain behind a piece that will never be whole: what is left of it is rejected.
    package mutating func breakOff(_ slice: RecordSlice) {
        slice.rejectRest()
        carried = nil
    }
}
