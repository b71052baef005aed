public import WeirCore

/// The common watermark of several inlets: the earliest.
///
/// One that has ended holds nothing back.
@frozen
@usableFromInline
struct MeetingWatermarks {
    @usableFromInline var watermarks: [Timestamp]
    @usableFromInline var sent = Timestamp.distantPast

    @usableFromInline
    init(_ count: Int) {
        watermarks = Array(repeating: .distantPast, count: count)
    }

    /// Sets an inlet's watermark; returns the common one if it has risen.
    @usableFromInline
    mutating func note(_ watermark: Timestamp, from inlet: Int) -> Timestamp? {
        watermarks[inlet] = max(watermarks[inlet], watermark)
        guard let earliest = watermarks.min(), earliest > sent else { return nil }
        sent = earliest
        return earliest == .distantFuture ? nil : earliest
    }
}

extension Array {
    @inlinable
    func cancelAll<Input>() where Element == Wire<Input> {
        for inlet in self { inlet.cancel() }
    }

    /// Ends the outlet if it is time to; true while it is not.
    @inlinable
    func settle<Input, Output>(
        _ outlet: Wire<Output>,
        _ meeting: inout MeetingWatermarks,
        _ ending: MergeEnding
    ) -> Bool where Element == Wire<Input> {
        var ended = 0
        for place in indices where self[place].isDrained {
            if let completion = self[place].completion, !completion.isFinished {
                outlet.finish(completion)
                cancelAll()
                return false
            }
            ended += 1
            if let whole = meeting.note(.distantFuture, from: place) { outlet.advance(to: whole) }
        }
        let isOver =
            switch ending {
            case .all: ended == count
            case .first: self[0].isDrained
            case .any: ended > 0
            }
        guard isOver else { return true }
        outlet.finish(.finished)
        cancelAll()
        return false
    }
}
