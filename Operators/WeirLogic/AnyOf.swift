public import WeirCore

/// The elements of any of two streams of one element type.
///
///     any(north, south).subscribe { reading in print(reading.celsius) }
///
/// Emits each element when it arrives, with its event time; remembers nothing. The watermark is the older of the two;
/// the completion comes when both streams have ended, or at the first failure.
///
/// - Complexity: O(1) per element.
@inlinable
public func any<First: EventStream, Second: EventStream>(
    _ first: First,
    _ second: Second
) -> AnyOf<First, Second> where First.Element == Second.Element {
    AnyOf(first, second)
}

/// The elements of any of three streams of one element type.
///
///     any(hall, stairs, cellar).subscribe { alarm in print("alarm at", alarm.timestamp) }
///
/// Emits each element when it arrives, with its event time; remembers nothing. The watermark is the oldest of the
/// three; the completion comes when all streams have ended, or at the first failure.
///
/// - Complexity: O(1) per element.
@inlinable
public func any<First: EventStream, Second: EventStream, Third: EventStream>(
    _ first: First,
    _ second: Second,
    _ third: Third
) -> AnyOf<AnyOf<First, Second>, Third> where First.Element == Second.Element, Second.Element == Third.Element {
    AnyOf(AnyOf(first, second), third)
}

/// The elements of any of four streams of one element type.
///
///     any(hall, stairs, cellar, roof).subscribe { alarm in print("alarm at", alarm.timestamp) }
///
/// Emits each element when it arrives, with its event time; remembers nothing. The watermark is the oldest of the four;
/// the completion comes when all streams have ended, or at the first failure.
///
/// - Complexity: O(1) per element.
@inlinable
public func any<First: EventStream, Second: EventStream, Third: EventStream, Fourth: EventStream>(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth
) -> AnyOf<AnyOf<First, Second>, AnyOf<Third, Fourth>>
where First.Element == Second.Element, Second.Element == Third.Element, Third.Element == Fourth.Element {
    AnyOf(AnyOf(first, second), AnyOf(third, fourth))
}

/// The elements of any of five streams of one element type.
///
///     any(hall, stairs, cellar, roof, garage).subscribe { alarm in print("alarm at", alarm.timestamp) }
///
/// Emits each element when it arrives, with its event time; remembers nothing. The watermark is the oldest of the five;
/// the completion comes when all streams have ended, or at the first failure.
///
/// - Complexity: O(1) per element.
@inlinable
public func any<
    First: EventStream,
    Second: EventStream,
    Third: EventStream,
    Fourth: EventStream,
    Fifth: EventStream
>(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth,
    _ fifth: Fifth
) -> AnyOf<AnyOf<AnyOf<First, Second>, AnyOf<Third, Fourth>>, Fifth>
where
    First.Element == Second.Element,
    Second.Element == Third.Element,
    Third.Element == Fourth.Element,
    Fourth.Element == Fifth.Element
{
    AnyOf(AnyOf(AnyOf(first, second), AnyOf(third, fourth)), fifth)
}

/// The elements of any of six streams of one element type.
///
///     any(hall, stairs, cellar, roof, garage, garden).subscribe { alarm in print("alarm at", alarm.timestamp) }
///
/// Emits each element when it arrives, with its event time; remembers nothing. The watermark is the oldest of the six;
/// the completion comes when all streams have ended, or at the first failure.
///
/// - Complexity: O(1) per element.
@inlinable
public func any<
    First: EventStream,
    Second: EventStream,
    Third: EventStream,
    Fourth: EventStream,
    Fifth: EventStream,
    Sixth: EventStream
>(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth,
    _ fifth: Fifth,
    _ sixth: Sixth
) -> AnyOf<AnyOf<AnyOf<First, Second>, AnyOf<Third, Fourth>>, AnyOf<Fifth, Sixth>>
where
    First.Element == Second.Element,
    Second.Element == Third.Element,
    Third.Element == Fourth.Element,
    Fourth.Element == Fifth.Element,
    Fifth.Element == Sixth.Element
{
    AnyOf(AnyOf(AnyOf(first, second), AnyOf(third, fourth)), AnyOf(fifth, sixth))
}

/// The elements of two streams of one element type; made by `any`.
@frozen
public struct AnyOf<First: EventStream, Second: EventStream>: EventStream where First.Element == Second.Element {
    public typealias Element = First.Element

    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        EitherStream(first, second).attach(UnmarkingSink(sink))
    }
}

/// Takes the mark off the elements of two streams of one element type.
@frozen
@usableFromInline
struct UnmarkingSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Either<Downstream.Input, Downstream.Input>

    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        switch copy element {
        case .first(let element), .second(let element): downstream.receive(element, at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
