internal import WeirCore
internal import WeirRecords

/// What was counted in a run.
struct Tally: Sendable {
    /// The records that were taken.
    var events: UInt64 = 0

    /// The lines that were rejected.
    var rejected: UInt64 = 0

    /// The messages that a transport refused, and of which no line was seen.
    var refused: UInt64 = 0

    /// The records that came later than they may.
    var late: UInt64 = 0

    /// What was counted since an earlier moment.
    func since(_ earlier: Tally) -> Tally {
        Tally(events: events - earlier.events, rejected: rejected - earlier.rejected, late: late - earlier.late)
    }

    /// All of them together.
    var count: UInt64 { events + rejected + late }

    /// Counts a batch after its consumer took it.
    mutating func count(_ batch: borrowing RecordBatch, rejectedBefore found: Int) {
        let refused = batch.rejections.count - found
        events += UInt64(batch.count - refused)
        // A long line arrives in pieces, but it is one line.
        rejected += UInt64(batch.rejections.count { !$0.isContinuation })
    }

    /// Counts lines that were rejected, or came too late, before a consumer saw them.
    mutating func count(_ lines: [RejectedInput]) {
        for line in lines where !line.isContinuation {
            if line.isLate { late += 1 } else { rejected += 1 }
        }
    }

    /// What comes before the summary where the input brought nothing at all.
    func remark(byteCount: Int64) -> String {
        if byteCount == 0 { return "the input is empty; " }
        return events + rejected + late == 0 ? "the input has no records; " : ""
    }

    /// How the program ends at the end of the input.
    func exitCode(isStrict: Bool) -> ExitCode {
        let refused = rejected + late + refused
        if isStrict, refused > 0 { return .inputRejected }
        return events == 0 && refused > 0 ? .allRejected : .done
    }

    /// The line at the end of a run.
    ///
    /// - Parameters:
    ///   - matches: How many matches were written.
    ///   - explains: Whether these are explanations of partial matches.
    ///   - nanoseconds: How long it took.
    /// - Returns: The line.
    func summary(matches: UInt64, explains: Bool, nanoseconds: Int64) -> String {
        "\(Quantity.counted(events, "event", "events")) read, \(Quantity.grouped(rejected)) rejected, "
            + (late > 0 ? "\(Quantity.grouped(late)) late, " : "")
            + (explains ? "\(Quantity.grouped(matches)) explained" : Quantity.counted(matches, "match", "matches"))
            + " in \(Quantity.seconds(nanoseconds)) s "
            + "(\(Quantity.rate(events, in: nanoseconds)) events/s)"
    }
}
