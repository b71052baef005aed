internal import WeirCore
public import WeirRecords

/// Finds the records in frames that start with their length; see ``Framing/length``.
///
/// A frame that is longer than the line limit is rejected piece by piece, and is never held as a whole. An empty frame
/// is passed over. Where a rejection is about a frame, its line is the number of the frame.
///
/// - Complexity: O(1) per frame besides what the decoder of its contents takes. No allocation in steady state,
///   rejections aside.
public struct LengthFramedDecoder: RecordDecoder {
    private var decoder: any RecordDecoder
    private let limit: Int
    private var frames: UInt64 = 0
    private let number: FrameNumber?

    // What is left of the frame that was begun.
    private var rest = 0
    private var isOverlong = false
    private var hasRejectedPiece = false

    // Whether the decoder of the contents may have more to say about the frame, even when all of it was consumed: it
    // stopped at a full batch.
    private var isInside = false

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - decoder: Finds the records in a frame.
    ///   - limits: What the decoder may take.
    public init(_ decoder: any RecordDecoder, limits: FormatLimits = FormatLimits()) {
        self.init(decoder, limits: limits, number: nil)
    }

    /// Creates a decoder that tells the decoder of the contents which frame it is in.
    init(_ decoder: any RecordDecoder, limits: FormatLimits, number: FrameNumber?) {
        self.decoder = decoder
        self.number = number
        limit = limits.lineLength
    }

    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        let outerOrigin = batch.origin
        defer { batch.origin = outerOrigin }
        var start = 0
        while !batch.isFull {
            if rest == 0, !isInside {
                guard bytes.count - start >= Framing.lengthByteCount else {
                    guard isFinal, start < bytes.count else { return start }
                    batch.origin = outerOrigin
                    batch.reject(
                        line: frames + 1,
                        reason: "the input ends inside the length of a frame",
                        start: start,
                        length: bytes.count - start
                    )
                    return bytes.count
                }
                let length = unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                start += Framing.lengthByteCount
                frames += 1
                number?.value = frames
                rest = Int(length)
                isOverlong = rest > limit
                hasRejectedPiece = false
                continue
            }
            if isOverlong || (isFinal && bytes.count - start < rest) {
                let count = min(rest, bytes.count - start)
                batch.origin = outerOrigin
                if count > 0 || !hasRejectedPiece && isFinal {
                    rejectPiece(start: start, length: count, mayContinue: rest > count && !isFinal, into: &batch)
                }
                start += count
                rest = isFinal && start == bytes.count ? 0 : rest - count
                if start == bytes.count { return start }
                continue
            }
            guard bytes.count - start >= rest else { return start }
            let frame = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + rest])
            batch.origin = outerOrigin + start
            let count = unsafe try decoder.decode(frame, isFinal: true, into: &batch)
            precondition(count >= 0 && count <= rest, "the decoder says that it consumed \(count) of \(rest) bytes")
            precondition(batch.isFull || count == rest, "the decoder left \(rest - count) bytes at the end of a frame")
            start += count
            rest -= count
            isInside = batch.isFull
        }
        return start
    }

    private mutating func rejectPiece(start: Int, length: Int, mayContinue: Bool, into batch: inout RecordBatch) {
        batch.reject(
            line: frames,
            reason: isOverlong
                ? "the frame is longer than \(limit) bytes; --max-line raises the limit"
                : "the input ends inside a frame",
            start: start,
            length: length,
            isContinuation: hasRejectedPiece,
            mayContinue: mayContinue
        )
        hasRejectedPiece = true
    }
}

/// The number of the frame that is being read, counted from 1.
///
/// The decoder of frames sets it, and the decoder of their contents reads it, both on one thread.
final class FrameNumber {
    var value: UInt64 = 0
}
