internal import WeirCore
internal import WeirRecords

/// A line that was rejected, or a message that its transport refused, kept beyond its batch.
struct RejectedInput: Sendable {
    /// The input that it came from, where there are several.
    var input: String?

    /// Its number, counted from 1; zero for a message.
    let line: UInt64

    /// Who sent a message, where that is known.
    var origin: String?
    let reason: String
    let raw: [UInt8]
    let isContinuation: Bool

    /// Whether a next piece of the line may follow.
    var mayContinue = false

    /// Whether nothing is wrong with it but that it came too late.
    var isLate = false

    /// How many records of its batch come before it, where they are not in the order of the input.
    var position: Int?

    /// The rejections of a batch, in the order of the input.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - first: How many rejections to leave out.
    ///   - input: The input that they came from, by their place in the batch's bytes, where there are several.
    ///   - position: Their position, by their place in the batch's bytes, where they have one.
    /// - Returns: The lines.
    static func all(
        of batch: borrowing RecordBatch,
        from first: Int = 0,
        input: (_ start: Int) -> String? = { _ in nil },
        position: (_ start: Int) -> Int? = { _ in nil }
    ) -> [RejectedInput] {
        guard batch.rejections.count > first else { return [] }
        // What the decoder rejected stands before what a consumer refused; people want the order of the input.
        let rejections = batch.rejections[first...].sorted { $0.start < $1.start }
        var lines: [RejectedInput] = []
        for rejection in rejections {
            lines.append(
                RejectedInput(
                    input: input(rejection.start),
                    line: rejection.line,
                    reason: rejection.reason,
                    raw: batch.raw(rejection),
                    isContinuation: rejection.isContinuation,
                    mayContinue: rejection.mayContinue,
                    position: position(rejection.start)
                )
            )
        }
        return lines
    }

    /// What was refused before a batch was handed out and what a consumer refused of it, in one order.
    ///
    /// - Parameters:
    ///   - early: What was refused before.
    ///   - late: What the consumers refused, in the order of the batch.
    /// - Returns: Both: by their positions where they have some, so that it does not matter how the records come in
    ///   batches.
    static func merged(_ early: [RejectedInput], _ late: [RejectedInput]) -> [RejectedInput] {
        guard early.contains(where: { $0.position != nil }), !late.isEmpty else { return early + late }
        // Sorting is stable.
        return (early + late).sorted { ($0.position ?? .max) < ($1.position ?? .max) }
    }
}

extension RejectedInput {
    /// A message that a transport refused.
    init(_ message: RejectedMessage, from input: String?) {
        self.init(
            input: input,
            line: 0,
            origin: message.origin,
            reason: message.cause.rawValue,
            raw: message.bytes,
            isContinuation: false
        )
    }

    /// Where it came from, to begin a sentence.
    var place: String {
        let place = line > 0 ? "line \(line)" : "a message" + (origin.map { " from \($0)" } ?? "")
        return input.map { "'\($0)', \(place)" } ?? place
    }

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

    /// The record of a batch that belongs to several values of the field by which records are spread over workers.
    init(listAt index: Int, inField field: Int, of batch: borrowing RecordBatch, from input: String?) {
        self.init(
            input: input,
            line: batch.line(ofRecordAt: index),
            reason: "'\(batch.schema.fields[field].name)' is a list, so that no single worker can take it; "
                + "leave out --partition-by",
            raw: batch.raw(recordAt: index),
            isContinuation: false
        )
    }

    /// The record of a batch that comes later than records may come.
    init(lateRecordAt index: Int, of batch: borrowing RecordBatch, from input: String?, by lateness: Duration) {
        self.init(
            input: input,
            line: batch.line(ofRecordAt: index),
            reason: "it comes \(Quantity.duration(lateness.wholeNanoseconds)) after a later one",
            raw: batch.raw(recordAt: index),
            isContinuation: false
        )
        isLate = true
    }

    /// The record of a batch that has more bytes than can wait.
    init(tooLargeRecordAt index: Int, of batch: borrowing RecordBatch, from input: String?) {
        self.init(
            input: input,
            line: batch.line(ofRecordAt: index),
            reason: "it is too long to be put in order",
            raw: batch.raw(recordAt: index),
            isContinuation: false
        )
    }
}
