/// A point in event time: nanoseconds since the Unix epoch, 1970-01-01T00:00:00Z.
///
/// Covers the years 1677 to 2262. A time that would leave this range traps; text and numbers from outside are checked
/// by the decoders, which reject what does not fit.
///
///     let start = Timestamp(secondsSinceEpoch: 1_700_000_000)
///     let later = start + .milliseconds(20)
///     later - start  // 0.02 seconds
///     Timestamp("2023-11-14T22:13:20Z") == start
@frozen
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The nanoseconds since the epoch; negative before it.
    public var nanosecondsSinceEpoch: Int64

    /// Creates a timestamp from nanoseconds since the epoch.
    @inlinable
    public init(nanosecondsSinceEpoch: Int64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
    }

    /// Creates a timestamp from milliseconds since the epoch.
    ///
    /// - Parameter milliseconds: Within ±9.2e12, or the call traps.
    @inlinable
    public init(millisecondsSinceEpoch milliseconds: Int64) {
        self.nanosecondsSinceEpoch = milliseconds * 1_000_000
    }

    /// Creates a timestamp from whole seconds since the epoch.
    ///
    /// - Parameter seconds: Within ±9.2e9, or the call traps.
    @inlinable
    public init(secondsSinceEpoch seconds: Int64) {
        self.nanosecondsSinceEpoch = seconds * 1_000_000_000
    }

    /// The epoch itself.
    @inlinable
    public static var epoch: Timestamp { Timestamp(nanosecondsSinceEpoch: 0) }

    /// Before every other timestamp; the watermark of a stream that has not said anything yet.
    @inlinable
    public static var distantPast: Timestamp { Timestamp(nanosecondsSinceEpoch: .min) }

    /// After every other timestamp; the watermark of a stream that has said everything.
    @inlinable
    public static var distantFuture: Timestamp { Timestamp(nanosecondsSinceEpoch: .max) }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }

    /// The timestamp `duration` after `timestamp`; fractions of a nanosecond are cut.
    @inlinable
    public static func + (timestamp: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: timestamp.nanosecondsSinceEpoch + duration.wholeNanoseconds)
    }

    /// The timestamp `duration` before `timestamp`; fractions of a nanosecond are cut.
    @inlinable
    public static func - (timestamp: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: timestamp.nanosecondsSinceEpoch - duration.wholeNanoseconds)
    }

    /// The time from `earlier` to `later`; negative when they are the other way round.
    ///
    /// Never traps: a duration can be longer than the range of timestamps.
    @inlinable
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = later.nanosecondsSinceEpoch.subtractingReportingOverflow(
            earlier.nanosecondsSinceEpoch
        )
        guard overflow else { return .nanoseconds(difference) }
        return .nanoseconds(later.nanosecondsSinceEpoch) - .nanoseconds(earlier.nanosecondsSinceEpoch)
    }
}
