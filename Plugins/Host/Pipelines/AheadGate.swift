internal import WeirCore
internal import WeirRecords

/// Refuses records of an input whose times lie too far ahead: of the clock where the input is live, otherwise of what most
/// of the recent records say.
///
/// One such record would make all that come after it late.
struct AheadGate {
    /// The limit of live inputs where none is given: more than clocks differ, and no more than time zones do.
    static let usualLimit = Duration.seconds(3600)

    private let timeField: Int
    private let reason: String
    private var limit: AheadLimit

    /// Creates the gate of an input; `nil` where its times may be any.
    ///
    /// - Parameters:
    ///   - request: Says how far ahead times may be.
    ///   - input: The input.
    ///   - schema: What is wanted of each record.
    init?(_ request: RunRequest, _ input: RunRequest.Input, _ schema: RecordSchema) {
        guard let timeField = schema.timeField else { return nil }
        let bound: Duration
        switch request.ahead {
        case .none: return nil
        case .usual where !input.isLive: return nil
        case .usual: bound = Self.usualLimit
        case .within(let length): bound = length
        }
        self.timeField = timeField
        limit = input.isLive ? .ofClock(bound) : .ofRecent(bound)
        reason =
            "field '\(schema.fields[timeField].name)' is more than \(bound.text) ahead of "
            + (input.isLive ? "the clock" : "the records around it")
    }

    /// Refuses what lies too far ahead.
    mutating func check(_ batch: inout RecordBatch) {
        var limit = limit
        // The first records are judged by those that come with them.
        var noted = limit.isSettled ? 0 : batch.count
        for index in 0..<noted {
            if let time = batch.time(ofField: timeField, inRecordAt: index) { limit.note(time) }
        }
        batch.refuseRecords(byTime: timeField) { time in
            noted -= 1
            return (noted >= 0 ? limit.allows(time) : limit.admits(time)) ? nil : reason
        }
        self.limit = limit
    }
}
