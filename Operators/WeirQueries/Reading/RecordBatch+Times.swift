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
