internal import CWeir

/// The clock that a bus stamps its dispatches with and runs its schedules on.
///
/// The system's is steady: it starts at the wall clock's time and then follows the monotonic clock, so setting the
/// wall clock moves neither schedules nor ages. Where the processor's counter can be trusted, it is read instead of the
/// kernel's clock: what one thread reads never goes back, what two threads read may differ by less than a microsecond.
/// Tests and replays put a time source of their own in place.
///
/// Thread safety: any thread.
@frozen
public struct EventClock: TimeSource {
    @usableFromInline let offset: Int64
    @usableFromInline let source: (@Sendable () -> Timestamp)?

    /// The system's clock.
    public init() {
        offset = cweir_clock_wall() - cweir_clock_monotonic()
        source = nil
    }

    /// A clock that shows what a time source says.
    ///
    /// - Parameter source: Asked each time.
    public init(_ source: some TimeSource) {
        offset = 0
        self.source = { source.now() }
    }

    /// Whether the clock is the system's, so that threads can wait for it.
    @inlinable
    public var isSystem: Bool { source == nil }

    @inlinable
    public func now() -> Timestamp {
        if let source { return source() }
        return Timestamp(nanosecondsSinceEpoch: quickNanoseconds() &+ offset)
    }

    /// The time that the clock shows after a duration; the end of time for one that goes beyond it.
    @usableFromInline
    package func time(after duration: Duration) -> Timestamp {
        now().shifted(byNanoseconds: duration.wholeNanoseconds)
    }

    /// The monotonic clock's reading, in nanoseconds, at a time that this clock shows.
    package func monotonicReading(at time: Timestamp) -> Int64 {
        Nanoseconds.difference(time.nanosecondsSinceEpoch, offset)
    }
}

/// The quick clock, without making CWeir part of the interface.
@usableFromInline
func quickNanoseconds() -> Int64 {
    cweir_clock_quick()
}
