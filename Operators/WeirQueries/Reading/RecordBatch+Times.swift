internal import WeirCore
internal import WeirRecords

extension RecordBatch {
    /// Refuses records by their times: those without one, and those before an earlier one where the order matters.
    ///
    /// - Parameters:
    ///   - start: The first record.
    ///   - count: How many records; not more than a block has.
    ///   - times: The times of all records of the batch.
    ///   - lastTime: The latest time so far.
    ///   - order: Counts how far the records are out of order.
    /// - Returns: The records that count.
    mutating func accept(
        _ start: Int,
        _ count: Int,
        _ times: RecordColumn<Timestamp>,
        _ lastTime: inout Timestamp,
        _ order: inout RecordOrder
    ) -> RowBits {
        var accepted = RowBits.first(count)
        if schema.isOrdered, let latest = times.latest(ifInOrder: start..<start + count, behind: lastTime) {
            lastTime = latest
            // None is before an earlier one, so that the last one says it all.
            order.note(latest)
            return accepted
        }
        for row in 0..<count {
            let index = start + row
            if times.isValid(index) {
                let time = times.values[index]
                order.note(time)
                if time >= lastTime || !schema.isOrdered {
                    lastTime = max(lastTime, time)
                    continue
                }
            }
            accepted[row >> 6] &= ~(1 << UInt64(row & 63))
            let error = times.error(at: index, in: self) ?? FieldError(field: 0, reason: .goesBack)
            reject(recordAt: index, because: error)
        }
        return accepted
    }
}

extension RecordColumn<Timestamp> {
    /// The last time of records that are in order.
    ///
    /// - Parameters:
    ///   - rows: The records; the first one is that of a word of ``valid``, and there is at least one.
    ///   - time: The time before them.
    /// - Returns: `nil` where a record has no time, or is before an earlier one or before `time`.
    fileprivate func latest(ifInOrder rows: Range<Int>, behind time: Timestamp) -> Timestamp? {
        let words = valid[rows.lowerBound >> 6..<(rows.upperBound + 63) >> 6]
        guard isComplete || words.reduce(0, { $0 + $1.nonzeroBitCount }) == rows.count else { return nil }
        var latest = time
        // Without a way out of the loop.
        var isInOrder = true
        for time in values[rows] {
            isInOrder = isInOrder && time >= latest
            latest = time
        }
        return isInOrder ? latest : nil
    }
}
