public import WeirCore

/// Finds elements of several streams that follow one another within a duration.
///
///     func report(_ arrivals: some EventStream<(Alarm, Alarm, Alarm)>) {
///         arrivals.subscribe { (tap, opening, motion) in print("came in:", tap.holder) }
///     }
///     report(sequence(cardTapped, doorOpened, motion, within: .seconds(30)))
///
/// The function is needed where a closure takes results: Swift 6.2 does not see their tuple otherwise.
///
/// A result has one element of each stream, in the order of the arguments: each is younger than the one before (equal
/// event times do not follow one another), and the last is less than `duration` younger than the first. Other elements
/// may lie between them. Results depend on event times alone, not on the order of arrival.
///
/// - With `ConsumptionPolicy/reuse`, every such combination is a result. It is emitted when its last element arrives: in input
///   that is in order that is the element of the last stream, otherwise whichever was missing.
/// - With `ConsumptionPolicy/consume`, an element is part of at most one result. An element of the last stream takes the oldest
///   elements before it that are free; of several choices it takes the oldest element of the first stream, then of the
///   second, and so on. Results are emitted when the watermark has passed their last element, oldest first.
///
/// A result has the event time of its last element. Elements older than the watermark of all streams together go to
/// `Combinations/late`. An element is remembered until the watermark rules out that another completes it, and at most
/// `limit` per stream: beyond that the oldest is forgotten and goes to `Combinations/dropped`. So without watermarks
/// the operator works on the last `limit` elements of each stream. The completion comes when all streams have ended, or
/// at the first failure; it settles what waits for the watermark, unless it is a failure or an interruption.
///
/// - Parameters:
///   - upstreams: The streams, at least two, the first to happen first.
///   - duration: The last element is less than this younger than the first; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Tuples of one element of each stream.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func sequence<each Upstream: EventStream>(
    _ upstreams: repeat each Upstream,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Combinations<repeat each Upstream> {
    Combinations(repeat each upstreams, inOrder: true, within: duration, consumption: consumption, limit: limit)
}
