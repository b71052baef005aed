internal import WeirCore

/// What was counted in a run.
struct Tally: Sendable {
    /// The records that were taken.
    var events: UInt64 = 0

    /// The lines that were rejected.
    var rejected: UInt64 = 0

    /// Counts a batch after its consumer took it.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - found: How many rejections it had before.
    mutating func count(_ batch: borrowing RecordBatch, rejectedBefore found: Int) {
        let refused = batch.rejections.count - found
        events += UInt64(batch.count - refused)
        // A long line arrives in pieces, but it is one line.
        rejected += UInt64(batch.rejections.count { !$0.isContinuation })
    }

    /// The line at the end of a run.
    func summary(matches: UInt64, nanoseconds: Int64) -> String {
        "\(Quantity.counted(events, "event", "events")) read, \(Quantity.grouped(rejected)) rejected, "
            + "\(Quantity.counted(matches, "match", "matches")) in \(Quantity.seconds(nanoseconds)) s "
            + "(\(Quantity.rate(events, in: nanoseconds)) events/s)"
    }
}
