internal import CWeir

/// A clock.
///
/// Nothing in Weir reads the system's clock but through a value of this kind, so a test or a replay can put its own
/// in place.
public protocol TimeSource: Sendable {
    /// The time now.
    func now() -> Timestamp
}

/// The system's wall clock: civil time, which jumps when the clock is set.
public struct WallClock: TimeSource {
    /// Creates the clock.
    public init() {}

    public func now() -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: cweir_clock_wall())
    }
}

/// A clock that never goes back, for measuring how long something took; its zero means nothing.
public struct MonotonicClock: TimeSource {
    /// Creates the clock.
    public init() {}

    public func now() -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: cweir_clock_monotonic())
    }
}
