/// The records of a batch that go to one of several threads.
///
/// The shares of a batch have one copy of its bytes together.
///
/// Thread safety: a value.
package struct RecordShare: Sendable {
    /// The index in the batch of each record.
    package private(set) var places: [Int32] = []

    private var slots: [RecordBatch.Slot] = []
    private var rows: [RecordBatch.Row] = []
    private var bytes: [UInt8] = []
    private var mayMixKinds = false

    /// How many records there are.
    package var count: Int { rows.count }

    /// Splits a batch.
    ///
    /// - Parameters:
    ///   - batch: Any batch.
    ///   - count: How many shares; positive.
    ///   - share: Which one the record at an index goes to, below `count`; `nil` leaves it out. Asked in order.
    /// - Returns: The shares; the records of each are in the order of the batch.
    /// - Complexity: O(*n*) for *n* bytes.
    package static func split(
        _ batch: borrowing RecordBatch,
        into count: Int,
        by share: (_ index: Int) -> Int?
    ) -> [RecordShare] {
        var shares = Array(repeating: RecordShare(), count: count)
        // As if keys came evenly, with some to spare.
        for index in shares.indices { shares[index].reserve(batch.count / count + batch.count / 8, of: batch) }
        var bytes: [UInt8] = []
        let stretch = batch.stretch
        if let stretch { bytes = batch.bytes(in: stretch) }
        for index in 0..<batch.count {
            guard let share = share(index) else { continue }
            shares[share].append(recordAt: index, of: batch, movedBy: stretch?.lowerBound, into: &bytes)
        }
        for index in shares.indices {
            shares[index].bytes = bytes
            shares[index].mayMixKinds = batch.mayMixKinds
        }
        return shares
    }

    private mutating func reserve(_ capacity: Int, of batch: borrowing RecordBatch) {
        places.reserveCapacity(capacity)
        rows.reserveCapacity(capacity)
        slots.reserveCapacity(capacity * batch.fieldCount)
    }

    /// Takes a record whose bytes were copied already, or copies them.
    private mutating func append(
        recordAt index: Int,
        of batch: borrowing RecordBatch,
        movedBy distance: UInt32?,
        into bytes: inout [UInt8]
    ) {
        func place(_ start: UInt32, _ length: UInt32) -> UInt32 {
            guard length > 0 else { return 0 }
            if let distance { return start &- distance }
            let place = UInt32(bytes.count)
            bytes += batch.bytes(in: start..<start + length)
            return place
        }
        var row = batch.row(at: index)
        row.start = place(row.start, row.length)
        for field in index * batch.fieldCount..<(index + 1) * batch.fieldCount {
            var slot = unsafe batch.slots[field]
            slot.start = place(slot.start, slot.length)
            slots.append(slot)
        }
        rows.append(row)
        places.append(Int32(index))
    }

    /// Lends the records as a batch.
    ///
    /// - Parameters:
    ///   - batch: A batch of the same schema, which is overwritten; the records must fit.
    ///   - body: Called with the batch, which is valid only during the call.
    package func lend(in batch: inout RecordBatch, _ body: (inout RecordBatch) -> Void) {
        // The bytes are those of the array, which lives until the call is over.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe batch.begin(in: UnsafeRawBufferPointer(bytes))
            batch.mayMixKinds = mayMixKinds
            batch.append(rows, slots)
            body(&batch)
        }
    }
}

extension RecordBatch {
    /// What the records cover of the batch's bytes; `nil` where that is far more than they use, as in a format of columns.
    fileprivate var stretch: Range<UInt32>? {
        var (lowest, highest) = (UInt32.max, UInt32.min)
        var used = 0
        func cover(_ start: UInt32, _ length: UInt32) {
            guard length > 0 else { return }
            lowest = min(lowest, start)
            highest = max(highest, start + length)
        }
        for index in 0..<count {
            let row = unsafe rows[index]
            cover(row.start, row.length)
            used += Int(row.length)
            for field in index * fieldCount..<(index + 1) * fieldCount {
                let slot = unsafe slots[field]
                cover(slot.start, slot.length)
                used += Int(slot.length)
            }
        }
        guard lowest < highest else { return 0..<0 }
        return highest - lowest <= used ? lowest..<highest : nil
    }

    fileprivate func bytes(in range: Range<UInt32>) -> [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: base + Int(range.lowerBound), count: range.count))
    }

    /// Adds records whose places count in the batch's bytes.
    fileprivate mutating func append(_ newRows: [Row], _ newSlots: [Slot]) {
        precondition(newRows.count <= capacity - recordCount, "\(newRows.count) records do not fit into the batch")
        precondition(newSlots.count == newRows.count * fieldCount, "the records are of another schema")
        unsafe newRows.withUnsafeBufferPointer { new in
            guard let first = new.baseAddress else { return }
            unsafe (rows + recordCount).update(from: first, count: new.count)
        }
        unsafe newSlots.withUnsafeBufferPointer { new in
            guard let first = new.baseAddress else { return }
            unsafe (slots + recordCount * fieldCount).update(from: first, count: new.count)
        }
        recordCount += newRows.count
    }
}
