/// Reads an input piece by piece, each of which ends where a record probably ends.
package struct SliceReader {
    /// What is behind the last piece.
    package enum Ending: Sendable, Equatable {
        /// Nothing.
        case finished
        /// What is not known: the source broke off.
        case brokenOff(TransportError)
        /// What cannot be read: there are no records in the piece.
        case refused(FormatError)
    }

    /// The decoder at the first record of the input, once that was reached.
    package private(set) var decoder: any SplittableDecoder

    /// How many bytes the source gave.
    private var byteCount: Int64 = 0

    private let source: any TransportSource
    private let lineLimit: Int

    /// What was read, and belongs to the next piece.
    package private(set) var rest: [UInt8] = []

    /// What stands before the first record, as far as it was read.
    package private(set) var prelude: [UInt8] = []

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - decoder: A decoder at the start of the bytes.
    ///   - lineLimit: The longest line that is still read, in bytes.
    ///   - prelude: What stands before the first record, where the decoder and the bytes go on behind that.
    package init(
        _ source: any TransportSource,
        _ decoder: any SplittableDecoder,
        lineLimit: Int,
        behind prelude: [UInt8]? = nil
    ) {
        self.source = source
        if let prelude {
            self.prelude = prelude
            byteCount = max(1, Int64(prelude.count))
        }
        self.decoder = decoder
        self.lineLimit = lineLimit
    }

    /// Reads the next piece, as soon as there is a whole record.
    ///
    /// - Parameter slice: Any piece, which is overwritten.
    /// - Returns: What is behind it, where that is no other piece.
    package mutating func read(into slice: RecordSlice) -> Ending? {
        slice.begin(with: rest)
        rest = []
        while true {
            if let ending = readOnce(into: slice) { return ending }
            guard decoder.isBetweenRecords else { continue }
            if let behind = slice.cut(with: decoder) {
                rest = behind
                return nil
            }
            // A line that is too long is rejected in pieces.
            if slice.byteCount > lineLimit { return nil }
        }
    }

    private mutating func readOnce(into slice: RecordSlice) -> Ending? {
        let count: Int
        do throws(TransportError) {
            count = try slice.read(from: source)
        } catch {
            return .brokenOff(error)
        }
        byteCount += Int64(count)
        // An input without a byte is empty; the decoder has nothing to say about it.
        guard byteCount > 0 else { return .finished }
        do throws(FormatError) {
            // Its first bytes may come one by one.
            if Int64(slice.byteCount) == byteCount, let form = slice.compression { throw .compressed(form.program) }
            if !decoder.isBetweenRecords { prelude += try slice.readPrelude(with: &decoder, isFinal: count == 0) }
        } catch {
            return .refused(error)
        }
        return count == 0 ? .finished : nil
    }
}
