/// Event time goes on, and an operator that waits for watermarks has not got one: it emits and forgets nothing.
///
///     let means = readings.tumbling(.seconds(60)).mean(of: \.celsius)
///     means.stalls.subscribe { stall in print("means:", stall) }
///
/// An operator tells it once, for all its sinks: ``WatermarkWaiting/stalls``.
@frozen
public struct WatermarkStall: Sendable, Hashable, CustomStringConvertible {
    /// The time of what should have been emitted or forgotten.
    public let since: Timestamp

    /// How far event time had come when that was noticed.
    public let until: Timestamp

    /// Creates a stall.
    ///
    /// - Parameters:
    ///   - since: The time of what should have been emitted or forgotten.
    ///   - until: How far event time has come.
    @inlinable
    public init(since: Timestamp, until: Timestamp) {
        self.since = since
        self.until = until
    }

    public var description: String {
        "no watermark has come, though event time went on by \(until - since): the source may need watermarks(lag:)"
    }
}

/// A stream that emits or forgets at watermarks only, and tells when it gets none.
///
/// Windows of event time and windows with periodic results, joins, merges, combinations, negations, groups that are
/// evicted, and patterns of events out of order do. Operators that wait for event time alone, such as `ordered(within:)`,
/// `debounce` and `repeated`, take it from the elements too, so they stop only when the elements do.
public protocol WatermarkWaiting: EventStream {
    /// Gets a stall when event time goes on and no watermark has come yet, once; its count is 0 otherwise.
    ///
    /// Of an operator with several inputs, all of them need watermarks: one without any holds the others back.
    var stalls: SideOutput<WatermarkStall> { get }
}
