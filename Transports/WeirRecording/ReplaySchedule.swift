package import WeirCore

/// When the events of a recording are due.
package struct ReplaySchedule {
    private let speed: ReplaySpeed
    private let first: Timestamp
    private let start: Timestamp
    private var latest: Timestamp

    package init(_ speed: ReplaySpeed, first: Timestamp, start: Timestamp) {
        self.speed = speed
        self.first = first
        self.start = start
        latest = start
    }

    /// When an event is due, never before the one before it; nil without waiting.
    ///
    /// Times beyond the range of timestamps become the first or last one.
    package mutating func due(_ recorded: Timestamp) -> Timestamp? {
        let elapsed = Int128(recorded.nanosecondsSinceEpoch) - Int128(first.nanosecondsSinceEpoch)
        let scaled: Int128
        switch speed {
        case .unpaced:
            return nil
        case .realTime:
            scaled = elapsed
        case .times(let times):
            let quotient = (Double(elapsed) / times).rounded()
            scaled = Int128(min(max(quotient, -1e30), 1e30))
        }
        let due = Int128(start.nanosecondsSinceEpoch) + scaled
        let time = Int64(clamping: due)
        latest = max(latest, Timestamp(nanosecondsSinceEpoch: time))
        return latest
    }
}
