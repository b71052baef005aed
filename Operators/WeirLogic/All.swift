public import WeirCore

/// Finds elements of two streams that happen together, in any order: the conjunction.
///
///     all(smoke, heat, within: .seconds(60)).subscribe { (smoke, heat) in print("fire at", smoke.room) }
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
/// `Tupled.late`. An element is remembered until the watermark is `duration` beyond it, and at most `limit` per
/// stream: beyond that the oldest is forgotten and goes to `Tupled.dropped`. So without watermarks, of which
/// `Tupled.stalls` tells, the operator works on the last `limit` elements of each stream. The completion comes when all streams have ended, or at the first
/// failure; it settles what waits for the watermark, unless it is a failure or an interruption.
///
/// - Parameters:
///   - first: The first stream.
///   - second: The second stream.
///   - duration: The youngest element is less than this younger than the oldest; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Pairs of one element of each stream, in the order of the arguments. An element in `late` or `dropped` is in
///   the place of its stream; the other place is `nil`.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func all<A: EventStream, B: EventStream>(
    _ first: A,
    _ second: B,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Tupled<
    Combinations<A, B>,
    (A.Element, B.Element),
    (A.Element?, B.Element?)
> {
    Tupled(
        Combinations(
            first,
            second,
            inOrder: false,
            within: duration,
            consumption: consumption,
            limit: limit
        )
    )
}

/// Finds elements of three streams that happen together, in any order: like the form for two.
///
///     all(smoke, heat, gas, within: .seconds(60)).filter { found in found.0.room == found.2.room }
///
/// - Parameters:
///   - first: The first stream.
///   - second: The second stream.
///   - third: The third stream.
///   - duration: The youngest element is less than this younger than the oldest; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Tuples of one element of each stream, in the order of the arguments.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func all<A: EventStream, B: EventStream, C: EventStream>(
    _ first: A,
    _ second: B,
    _ third: C,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Tupled<
    Combinations<A, B, C>,
    (A.Element, B.Element, C.Element),
    (A.Element?, B.Element?, C.Element?)
> {
    Tupled(
        Combinations(
            first,
            second,
            third,
            inOrder: false,
            within: duration,
            consumption: consumption,
            limit: limit
        )
    )
}

/// Finds elements of four streams that happen together, in any order: like the form for two.
///
///     all(smoke, heat, gas, motion, within: .seconds(60)).filter { found in found.0.room == found.3.room }
///
/// - Parameters:
///   - first: The first stream.
///   - second: The second stream.
///   - third: The third stream.
///   - fourth: The fourth stream.
///   - duration: The youngest element is less than this younger than the oldest; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Tuples of one element of each stream, in the order of the arguments.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func all<A: EventStream, B: EventStream, C: EventStream, D: EventStream>(
    _ first: A,
    _ second: B,
    _ third: C,
    _ fourth: D,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Tupled<
    Combinations<A, B, C, D>,
    (A.Element, B.Element, C.Element, D.Element),
    (A.Element?, B.Element?, C.Element?, D.Element?)
> {
    Tupled(
        Combinations(
            first,
            second,
            third,
            fourth,
            inOrder: false,
            within: duration,
            consumption: consumption,
            limit: limit
        )
    )
}

/// Finds elements of five streams that happen together, in any order: like the form for two.
///
///     all(smoke, heat, gas, motion, doorOpened, within: .seconds(60)).filter { found in found.0.room == found.4.room }
///
/// - Parameters:
///   - first: The first stream.
///   - second: The second stream.
///   - third: The third stream.
///   - fourth: The fourth stream.
///   - fifth: The fifth stream.
///   - duration: The youngest element is less than this younger than the oldest; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Tuples of one element of each stream, in the order of the arguments.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func all<A: EventStream, B: EventStream, C: EventStream, D: EventStream, E: EventStream>(
    _ first: A,
    _ second: B,
    _ third: C,
    _ fourth: D,
    _ fifth: E,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Tupled<
    Combinations<A, B, C, D, E>,
    (A.Element, B.Element, C.Element, D.Element, E.Element),
    (A.Element?, B.Element?, C.Element?, D.Element?, E.Element?)
> {
    Tupled(
        Combinations(
            first,
            second,
            third,
            fourth,
            fifth,
            inOrder: false,
            within: duration,
            consumption: consumption,
            limit: limit
        )
    )
}

/// Finds elements of six streams that happen together, in any order: like the form for two.
///
///     all(smoke, heat, gas, motion, doorOpened, cardTapped, within: .seconds(60)).filter { found in found.0.room == found.5.room }
///
/// - Parameters:
///   - first: The first stream.
///   - second: The second stream.
///   - third: The third stream.
///   - fourth: The fourth stream.
///   - fifth: The fifth stream.
///   - sixth: The sixth stream.
///   - duration: The youngest element is less than this younger than the oldest; positive.
///   - consumption: Whether an element may be part of several results.
///   - limit: How many elements of each stream are remembered; positive.
/// - Returns: Tuples of one element of each stream, in the order of the arguments.
/// - Complexity: O(log *n* + *m*) per element, for *n* remembered elements and *m* partial combinations that it is in.
@inlinable
public func all<A: EventStream, B: EventStream, C: EventStream, D: EventStream, E: EventStream, F: EventStream>(
    _ first: A,
    _ second: B,
    _ third: C,
    _ fourth: D,
    _ fifth: E,
    _ sixth: F,
    within duration: Duration,
    consumption: ConsumptionPolicy = .reuse,
    limit: Int = 1024
) -> Tupled<
    Combinations<A, B, C, D, E, F>,
    (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element),
    (A.Element?, B.Element?, C.Element?, D.Element?, E.Element?, F.Element?)
> {
    Tupled(
        Combinations(
            first,
            second,
            third,
            fourth,
            fifth,
            sixth,
            inOrder: false,
            within: duration,
            consumption: consumption,
            limit: limit
        )
    )
}
