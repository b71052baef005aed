internal import WeirCore
internal import WeirRecords

/// What the decoders of formats made of lines have in common: where they are in the input, the byte order mark, and
/// what becomes of lines that are too long.
package struct LineTracker: Sendable {
    /// The number of the physical line that starts at the next byte, or that the next byte is in.
    var line: UInt64 = 1

    /// The longest line that is read, in bytes, not counting the line feed.
    let limit: Int

    /// Whether the next byte is inside of a line that is too long, after the first piece of it.
    private(set) var isInsideOverlongLine = false

    /// How many of the next bytes are known to hold no line feed.
    private var scannedCount = 0

    /// Whether the byte order mark was not looked for yet.
    private(set) var isAtStart = true

    init(_ limits: FormatLimits) {
        limit = limits.lineLength
    }

    /// Why a line that is too long is rejected.
    var overlongReason: String {
        "the line is longer than \(limit) bytes; --max-line raises the limit"
    }

    /// Passes the byte order mark at the start of the input.
    ///
    /// - Returns: How many bytes that takes, or `nil` when more bytes are needed to tell.
    mutating func passByteOrderMark(_ base: UnsafePointer<UInt8>, count: Int, isFinal: Bool) -> Int? {
        guard isAtStart else { return 0 }
        let mark: [3 of UInt8] = [0xEF, 0xBB, 0xBF]
        for index in 0..<3 {
            if index == count {
                guard isFinal else { return nil }
                isAtStart = false
                return 0
            }
            if unsafe base[index] != mark[index] {
                isAtStart = false
                return 0
            }
        }
        isAtStart = false
        return 3
    }

    /// Whether the next byte starts a line, as far as is known.
    var isAtLineStart: Bool { !isAtStart && scannedCount == 0 && !isInsideOverlongLine }

    /// Passes the next line, and rejects those before it that are too long.
    ///
    /// - Parameters:
    ///   - base: The bytes.
    ///   - start: Where the line starts or goes on; becomes the start of the next one, or of what has to come again.
    ///   - count: How many bytes there are.
    ///   - isFinal: Whether the input ends there.
    ///   - batch: Takes the rejections; no line is passed when it is full.
    /// - Returns: The line without its end; `nil` when it is not all there. Its number is ``line`` until that is counted on.
    mutating func nextLine(
        _ base: UnsafePointer<UInt8>,
        from start: inout Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Range<Int>? {
        while start < count, !batch.isFull {
            if !isInsideOverlongLine {
                let end = unsafe ByteSearch.index(
                    of: UInt8(ascii: "\n"),
                    in: base,
                    from: start + scannedCount,
                    to: count
                )
                if end - start <= limit {
                    guard end < count || isFinal else {
                        scannedCount = count - start
                        return nil
                    }
                    let lineStart = start
                    scannedCount = 0
                    start = min(end + 1, count)
                    return unsafe lineStart..<(end > lineStart && base[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
                }
                scannedCount = 0
            }
            start = unsafe rejectOverlongLine(base, from: start, count: count, isFinal: isFinal, into: &batch)
            if isInsideOverlongLine { return nil }
        }
        return nil
    }

    /// Rejects as much as there is of a line that is too long, so that it is never held as a whole.
    ///
    /// - Parameters:
    ///   - base: The bytes.
    ///   - start: Where the line starts or goes on.
    ///   - count: How many bytes there are.
    ///   - isFinal: Whether the input ends there.
    ///   - batch: Takes the rejection.
    /// - Returns: Where to go on.
    mutating func rejectOverlongLine(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Int {
        let end = unsafe ByteSearch.index(of: UInt8(ascii: "\n"), in: base, from: start, to: count)
        // A carriage return at the end is part of the line's end, or has to wait until one knows.
        let pieceEnd = unsafe end > start && base[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
        if pieceEnd > start {
            batch.reject(
                line: line,
                reason: overlongReason,
                start: start,
                length: pieceEnd - start,
                isContinuation: isInsideOverlongLine,
                mayContinue: end == count && !isFinal
            )
        }
        isInsideOverlongLine = end == count && !isFinal
        if isInsideOverlongLine { return pieceEnd }
        line += 1
        return min(end + 1, count)
    }
}
