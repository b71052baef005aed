internal import WeirCore
internal import WeirRecords

/// Damaged input: what is rejected, and where reading goes on.
extension BinaryDecoder {
    static func overlong(_ limit: Int) -> String {
        "a block is longer than \(limit) bytes; --max-line raises the limit"
    }

    static let lost = "there is no block here; reading goes on at the next one"

    mutating func reject(_ reason: String, start: Int, length: Int, in batch: inout RecordBatch) {
        batch.reject(
            line: nextRecord,
            reason: reason,
            start: start,
            length: length,
            isContinuation: hasRejectedPiece,
            // It ends where the next block begins.
            mayContinue: true
        )
        hasRejectedPiece = true
    }

    mutating func rejectBlock(
        _ flaw: String,
        _ records: UInt32,
        start: Int,
        length: Int,
        in batch: inout RecordBatch
    ) -> Int {
        hasRejectedPiece = false
        reject("a block of \(records) records is damaged: \(flaw)", start: start, length: length, in: &batch)
        nextRecord &+= UInt64(records)
        return start + length
    }

    mutating func lose() {
        isLost = true
        hasRejectedPiece = false
    }

    /// Rejects a section that has no end.
    mutating func endInput(_ start: Int, _ length: Int, into batch: inout RecordBatch) {
        guard length > 0 || phase == .section else { return }
        hasRejectedPiece = false
        reject(
            length > 0
                ? "the input ends inside of a block: it was cut off"
                : "the records end without an end mark: they were cut off, or their writer did not finish",
            start: start,
            length: length,
            in: &batch
        )
        phase = .ended
    }

    // MARK: Searching

    /// The next place from `start` on where something starts; or, if that is not found, the place from which on one
    /// cannot tell yet.
    func nextMark(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        isFinal: Bool
    ) -> (place: Int, isFound: Bool) {
        var place = start
        while place < bytes.count {
            if unsafe Self.mayBeMark(bytes, at: place) {
                let available = bytes.count - place
                if unsafe bytes[place] == BinaryLayout.magic[0] {
                    if available >= BinaryLayout.magic.count { return (place, true) }
                    if !isFinal { return (place, false) }
                } else if available < BinaryLayout.blockHeaderLength, !isFinal {
                    return (place, false)
                } else if phase == .section, unsafe Self.isBlock(bytes, at: place) || Self.isEnd(bytes, at: place) {
                    return (place, true)
                }
            }
            place += 1
        }
        return (place, false)
    }

    /// Whether a mark may start at a place: as much of it as there is agrees.
    static func mayBeMark(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        func agrees(_ mark: UInt32) -> Bool {
            for index in 0..<min(4, bytes.count - place)
            where unsafe bytes[place + index] != UInt8(truncatingIfNeeded: mark >> UInt32(8 * index)) { return false }
            return true
        }
        if unsafe bytes[place] == BinaryLayout.magic[0] {
            for index in 0..<min(BinaryLayout.magic.count, bytes.count - place)
            where unsafe bytes[place + index] != BinaryLayout.magic[index] { return false }
            return true
        }
        return agrees(BinaryLayout.blockMark) || agrees(BinaryLayout.endMark)
    }

    static func isBlock(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        guard bytes.count - place >= BinaryLayout.blockHeaderLength else { return false }
        return unsafe BinaryLayout.number(bytes, at: place) == BinaryLayout.blockMark
            && BinaryLayout.checksum(bytes, at: place, count: 16) == BinaryLayout.number(bytes, at: place + 16)
    }

    static func isEnd(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        guard bytes.count - place >= BinaryLayout.endLength else { return false }
        return unsafe BinaryLayout.number(bytes, at: place) == BinaryLayout.endMark
            && BinaryLayout.checksum(bytes, at: place, count: 12) == BinaryLayout.number(bytes, at: place + 12)
    }
}
