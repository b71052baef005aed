internal import WeirCore
internal import WeirGeography

/// Estimates a person's speed from positions alone.
///
/// The speed is the distance from the oldest position within the window to the newest, divided by the time between
/// them: positions scatter around the truth by metres, which would add up along the way, but not between its ends.
/// Positions that are closer together in time than a 256th of the window add nothing, so at most 257 are kept.
struct SpeedEstimate: Sendable {
    private struct Fix: Sendable {
        let time: Timestamp
        let position: GeographicPosition
    }

    private static let resolution: Int64 = 256

    private let window: Int64
    private var fixes = Deque<Fix>()

    /// - Parameter window: How far back to look; positive.
    init(window: Duration) {
        self.window = window.wholeNanoseconds
    }

    /// Takes a position into account.
    ///
    /// - Parameters:
    ///   - position: Where the person is.
    ///   - time: When they are there; not before the last position's time.
    /// - Returns: The speed in metres per second; `nil` until the positions cover half of the window.
    mutating func speed(at position: GeographicPosition, _ time: Timestamp) -> Double? {
        while let oldest = fixes.first, age(oldest, at: time) > window { fixes.removeFirst() }
        if fixes.last.map({ age($0, at: time) >= window / Self.resolution }) ?? true {
            fixes.append(Fix(time: time, position: position))
        }
        let oldest = fixes[0]
        let nanoseconds = age(oldest, at: time)
        guard nanoseconds > 0, nanoseconds >= window / 2 else { return nil }
        return oldest.position.distance(to: position) / (Double(nanoseconds) / 1e9)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(window)
        try state.exchange(&fixes)
    }

    private func age(_ fix: Fix, at time: Timestamp) -> Int64 {
        Nanoseconds.difference(time.nanosecondsSinceEpoch, fix.time.nanosecondsSinceEpoch)
    }
}
