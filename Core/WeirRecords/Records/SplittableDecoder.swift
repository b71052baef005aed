/// A decoder of an input that can be cut between records, so that several threads decode the pieces.
///
/// A copy decodes on from where the original is. Copies of one that has read no record share nothing; of one that has, only
/// one may be used.
package protocol SplittableDecoder: RecordDecoder, Sendable {
    /// The number of the line that the next byte is in, counted from 1.
    var line: UInt64 { get set }

    /// Whether what stands before the first record was read, and the next byte starts a record.
    var isBetweenRecords: Bool { get }

    /// Whether what stands before the first record was read.
    var isBehindPrelude: Bool { get }

    /// Whether a decoder that reads the same prelude and then begins with the next byte finds what this one would.
    var canGoOn: Bool { get }

    /// Reads what stands before the first record, such as a header; then ``isBetweenRecords`` is true.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow what was consumed so far.
    ///   - isFinal: Whether the input ends with them.
    /// - Returns: How many bytes were consumed; more are needed while ``isBetweenRecords`` is false.
    /// - Throws: ``FormatError`` when the input as a whole cannot be read.
    mutating func readPrelude(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int

    /// Where a record probably ends, as near to the end of the bytes as possible.
    ///
    /// A wrong guess costs time and no record: what was cut is decoded again.
    ///
    /// - Parameter bytes: Bytes that start with a record.
    /// - Returns: The place behind the line's end; `nil` when no line ends there.
    func recordEnd(in bytes: UnsafeRawBufferPointer) -> Int?
}

extension SplittableDecoder {
    /// The decoder as it is behind what stands before the records, at another line.
    ///
    /// - Throws: ``FormatError`` when the records cannot be read behind that.
    package func goingOn(after prelude: [UInt8], line: UInt64) throws(FormatError) -> Self {
        var decoder = self
        // A buffer without an address would say nothing about the start.
        let bytes = prelude + [0]
        _ = unsafe try bytes.withUnsafeBufferPointer { bytes throws(FormatError) in
            unsafe try decoder.readPrelude(UnsafeRawBufferPointer(bytes.extracting(0..<prelude.count)), isFinal: true)
        }
        decoder.line = line
        return decoder
    }
}
