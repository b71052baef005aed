internal import CWeirSockets

/// The end of what was sent through a stream, as far as the other side may not have taken it yet.
///
/// When the other side goes away, this tells how many messages it never got. The batches are not copied.
struct SentTail {
    private var pieces: [(batch: OutgoingBatch, range: Range<Int>)] = []
    private var byteCount = 0

    /// How much may be kept before the system is asked what was taken.
    private static let patience = 256 << 10

    var isEmpty: Bool { pieces.isEmpty }

    /// Adds what was sent.
    ///
    /// - Parameters:
    ///   - batch: What was sent of.
    ///   - range: The bytes of the batch that were sent.
    ///   - untaken: How many of all bytes that were sent were not taken yet; below zero where that is not known. Asked now
    ///     and then.
    mutating func append(_ batch: OutgoingBatch, _ range: Range<Int>, untaken: () -> Int) {
        pieces.append((batch, range))
        byteCount += range.count
        guard byteCount > Self.patience else { return }
        let rest = untaken()
        var taken = 0
        while taken < pieces.count, byteCount - pieces[taken].range.count >= rest {
            byteCount -= pieces[taken].range.count
            taken += 1
        }
        pieces.removeFirst(taken)
    }

    mutating func removeAll() {
        pieces = []
        byteCount = 0
    }

    /// How many messages end in the last bytes that were sent.
    ///
    /// - Parameter count: How many bytes; none where it is below zero.
    /// - Returns: How many messages there are.
    func messages(inLast count: Int) -> UInt64 {
        var rest = count
        var messages: UInt64 = 0
        for (batch, range) in pieces.reversed() where rest > 0 {
            let part = max(range.lowerBound, range.upperBound - rest)..<range.upperBound
            messages += batch.messages(endingIn: part)
            rest -= part.count
        }
        return messages
    }
}

extension OutgoingBatch {
    /// How many messages end among some of the bytes of a stream.
    fileprivate func messages(endingIn range: Range<Int>) -> UInt64 {
        guard ends.isEmpty else { return UInt64(ends.count { range.lowerBound < $0 && $0 <= range.upperBound }) }
        let lines = unsafe bytes[range].withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe UInt64(cweir_net_count_newlines($0, bytes.count)) } ?? 0
        }
        // The last line may lack its newline.
        let isCut = range.upperBound == bytes.count && !range.isEmpty && bytes.last != UInt8(ascii: "\n")
        return lines + (isCut ? 1 : 0)
    }
}
