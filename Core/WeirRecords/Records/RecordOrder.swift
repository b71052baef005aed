public import WeirCore

/// How far records are out of the order of their times.
@frozen
public struct RecordOrder: Sendable, Hashable {
    /// The greatest time so far; `distantPast` before the first.
    @usableFromInline var latest = Timestamp.distantPast

    /// How many records had a time before that of an earlier one.
    public private(set) var lateCount: UInt64 = 0

    /// The longest time that a record was before an earlier one; zero where none was.
    public private(set) var greatestLateness = Duration.zero

    /// Creates the order of no records.
    public init() {}

    /// Counts a record.
    ///
    /// - Parameter time: The record's time.
    /// - Complexity: O(1).
    @inlinable
    public mutating func note(_ time: Timestamp) {
        guard time < latest else {
            latest = time
            return
        }
        noteLate(time)
    }

    @usableFromInline
    @inline(never)
    mutating func noteLate(_ time: Timestamp) {
        lateCount += 1
        greatestLateness = max(greatestLateness, latest - time)
    }

    /// Counts a record that was refused, where it was because its time goes back.
    @usableFromInline
    @inline(never)
    mutating func note(recordAt index: Int, of batch: borrowing RecordBatch, refusedBecause error: FieldError) {
        guard error.reason == .goesBack, let time = batch.time(ofField: error.field, inRecordAt: index) else { return }
        note(time)
    }

    /// Adds what was counted of other records.
    package mutating func add(_ other: RecordOrder) {
        latest = max(latest, other.latest)
        lateCount += other.lateCount
        greatestLateness = max(greatestLateness, other.greatestLateness)
    }
}
