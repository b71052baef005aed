internal import WeirCore

/// A line that was rejected, kept beyond its batch.
struct RejectedLine: Sendable {
    /// The input that it came from, where there are several.
    var input: String?
    let line: UInt64
    let reason: String
    let raw: [UInt8]
    let isContinuation: Bool

    /// The rejections of a batch, in the order of the input.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - first: How many rejections to leave out.
    ///   - input: The input that they came from, by their place in the batch's bytes, where there are several.
    /// - Returns: The lines.
    static func all(
        of batch: borrowing RecordBatch,
        from first: Int = 0,
        input: (_ start: Int) -> String? = { _ in nil }
    ) -> [RejectedLine] {
        guard batch.rejections.count > first else { return [] }
        // What the decoder rejected stands before what a consumer refused; people want the order of the input.
        let rejections = batch.rejections[first...].sorted { $0.start < $1.start }
        var lines: [RejectedLine] = []
        for rejection in rejections {
            lines.append(
                RejectedLine(
                    input: input(rejection.start),
                    line: rejection.line,
                    reason: rejection.reason,
                    raw: batch.raw(rejection),
                    isContinuation: rejection.isContinuation
                )
            )
        }
        return lines
    }
}

extension RejectedLine {
    /// The record of a batch that comes too late, where the consumer wants records in the order of their times.
    init(goingBackAt index: Int, of batch: borrowing RecordBatch, from input: String?) {
        self.init(
            input: input,
            line: batch.line(ofRecordAt: index),
            reason: FieldError(field: batch.schema.timeField ?? 0, reason: .goesBack).description(in: batch.schema),
            raw: batch.raw(recordAt: index),
            isContinuation: false
        )
    }
}
