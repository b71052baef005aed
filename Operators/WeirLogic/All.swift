public import WeirCore

/// Finds elements of several streams that happen together, in any order: the conjunction.
///
///     func report(_ fires: some EventStream<(Alarm, Alarm)>) {
///         fires.subscribe { (smoke, heat) in print("fire at", smoke.room) }
///     }
///     report(all(smoke, heat, within: .seconds(60)))
///
/// The function is needed where a closure takes results: Swift 6.2 does not see their tuple otherwise.
///
/// A result has one element of each stream; the youngest is less than `duration` younger than the oldest. Other
/// elements may lie between them. Results depend on event times alone, not on the order of arrival.
///
/// - With `ConsumptionPolicy/reuse`, every such combination is a result. It is emitted when its last element arrives.
/// - With `ConsumptionPolicy/consume`, an element is part of at most one result. The element that completes a result (elements
///   are taken in the order of their event times, equal ones in the order of the arguments) takes the oldest element of
///   the first stream that is free and fits, then of the second, and so on. Results are emitted when the watermark has
///   passed their youngest element, oldest first.
///
/// A result has the event time of its youngest element. Elements older than the watermark of all streams together go to
/// `Combinations/late`. An element is remembered until the watermark is `duration` beyond it, and at most `limit` per
/// stream: beyond that the oldest is forgotten and goes to `Combinations/dropped`. So without watermarks the operator
/// works on the last `limit` elements of each stream. The completion comes when all streams have ended, or at the first
/// failure; it settles what waits for the watermark, unless it is a failure or an interruption.
///
/// - Parameters:
///   - upstreams: The streams, at least two.
///   - duration: The youngest element is less than this younger than the oldest; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Tuples of one element of each stream, in the order of the arguments.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func all<each Upstream: EventStream>(
    _ upstreams: repeat each Upstream,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Combinations<repeat each Upstream> {
    Combinations(repeat each upstreams, inOrder: false, within: duration, consumption: consumption, limit: limit)
}
