internal import WeirCore
internal import WeirRecords

/// Records that wait for their turn: the oldest comes first, and of the same time the one that came first.
///
/// Memory: the records, at most three times over, and a quarter of a mebibyte.
struct HeldRecords {
    private struct Entry {
        let time: Timestamp
        /// Counts the records, so that those of the same time keep their order.
        let number: UInt64
        /// The record's index in the chunk.
        var index: Int
        let origin: Int32

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    /// Less memory than this is not worth regaining.
    private static let leastCompacted = 256 << 10

    private var chunk: RecordChunk
    /// A binary heap.
    private var entries: [Entry] = []
    /// The number of the next record: how many have come.
    private(set) var nextNumber: UInt64 = 0

    /// How much memory the records take that wait, about.
    private(set) var byteCount = 0

    init(schema: RecordSchema) {
        chunk = RecordChunk(schema: schema)
    }

    /// How many records wait.
    var count: Int { entries.count }

    /// The time of the oldest record; `nil` where there is none.
    var oldestTime: Timestamp? { entries.first?.time }

    /// Whether the oldest record leaves after what was noted between two records.
    ///
    /// - Parameters:
    ///   - time: Records of an earlier time leave before it.
    ///   - number: So do those of the same time with an earlier number.
    /// - Returns: True also where there is no record.
    func isOldest(after time: Timestamp, _ number: UInt64) -> Bool {
        entries.first.map { ($0.time, $0.number) >= (time, number) } ?? true
    }

    /// Adds a record.
    ///
    /// - Returns: Whether there was room.
    /// - Complexity: O(log *n*) for *n* records, amortised.
    mutating func insert(
        recordAt index: Int,
        of batch: borrowing RecordBatch,
        time: Timestamp,
        origin: Int32
    ) -> Bool {
        if chunk.byteCount >= Self.leastCompacted, chunk.byteCount > 2 * byteCount { compact() }
        if !chunk.append(recordAt: index, of: batch) {
            compact()
            guard chunk.append(recordAt: index, of: batch) else { return false }
        }
        byteCount += chunk.byteCount(ofRecordAt: chunk.count - 1)
        entries.append(Entry(time: time, number: nextNumber, index: chunk.count - 1, origin: origin))
        nextNumber += 1
        moveUp(from: entries.count - 1)
        return true
    }

    /// Adds a record of a chunk of the same schema.
    mutating func insert(recordAt index: Int, of other: RecordChunk, time: Timestamp, origin: Int32) {
        chunk.append(recordAt: index, of: other)
        byteCount += chunk.byteCount(ofRecordAt: chunk.count - 1)
        entries.append(Entry(time: time, number: nextNumber, index: chunk.count - 1, origin: origin))
        nextNumber += 1
        moveUp(from: entries.count - 1)
    }

    /// The records, in the order in which they leave.
    var kept: KeptRecords {
        var kept = KeptRecords(schema: chunk.schema)
        for entry in entries.sorted(by: { $0.isBefore($1) }) {
            kept.chunk.append(recordAt: entry.index, of: chunk)
            kept.times.append(entry.time)
            kept.origins.append(entry.origin)
        }
        return kept
    }

    /// Moves the oldest record behind those of a chunk; there must be one.
    ///
    /// - Returns: The number that was given with it.
    mutating func moveOldest(to other: inout RecordChunk) -> Int32 {
        let oldest = entries[0]
        byteCount -= chunk.byteCount(ofRecordAt: oldest.index)
        other.append(recordAt: oldest.index, of: chunk)
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            moveDown()
        }
        return oldest.origin
    }

    /// Copies the records that wait, so that those that were taken need no memory any more.
    private mutating func compact() {
        var copy = RecordChunk(schema: chunk.schema)
        for place in entries.indices {
            copy.append(recordAt: entries[place].index, of: chunk)
            entries[place].index = copy.count - 1
        }
        chunk = copy
    }

    private mutating func moveUp(from place: Int) {
        var place = place
        let entry = entries[place]
        while place > 0, entry.isBefore(entries[(place - 1) / 2]) {
            entries[place] = entries[(place - 1) / 2]
            place = (place - 1) / 2
        }
        entries[place] = entry
    }

    private mutating func moveDown() {
        var place = 0
        let entry = entries[0]
        while true {
            var child = 2 * place + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entry) else { break }
            entries[place] = entries[child]
            place = child
        }
        entries[place] = entry
    }
}
