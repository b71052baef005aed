public import WeirCore

/// The elements of any of two streams, each with the mark of where it comes from: the disjunction.
///
///     any(buttons, gestures).subscribe { input in
///         switch input {
///         case .first(let button): print(button.name)
///         case .second(let gesture): print(gesture.kind)
///         }
///     }
///
/// Emits each element when it arrives, with its event time; remembers nothing. The watermark is the older of the two;
/// the completion comes when both streams have ended, or at the first failure. Streams of the same element type are
/// merged without a mark; write `EitherStream(a, b)` to have it.
///
/// - Complexity: O(1) per element.
@inlinable
public func any<First: EventStream, Second: EventStream>(
    _ first: First,
    _ second: Second
) -> EitherStream<First, Second> {
    EitherStream(first, second)
}

/// The elements of any of three streams, each with the mark of where it comes from.
///
///     any(logins, payments, complaints).subscribe { element in
///         if case .third(let complaint) = element { answer(complaint) }
///     }
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
) -> EitherOfThreeStream<First, Second, Third> {
    EitherOfThreeStream(first, second, third)
}

/// The elements of any of four streams, each with the mark of where it comes from.
///
///     any(logins, payments, complaints, refunds).subscribe { element in
///         if case .fourth(let refund) = element { record(refund) }
///     }
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
) -> EitherOfFourStream<First, Second, Third, Fourth> {
    EitherOfFourStream(first, second, third, fourth)
}

/// The elements of any of five streams, each with the mark of where it comes from.
///
///     any(logins, payments, complaints, refunds, orders).subscribe { element in
///         if case .fifth(let order) = element { print(order.id) }
///     }
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
) -> EitherOfFiveStream<First, Second, Third, Fourth, Fifth> {
    EitherOfFiveStream(first, second, third, fourth, fifth)
}

/// The elements of any of six streams, each with the mark of where it comes from.
///
///     any(logins, payments, complaints, refunds, orders, requests).subscribe { element in
///         if case .sixth(let request) = element { print(request.path) }
///     }
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
) -> EitherOfSixStream<First, Second, Third, Fourth, Fifth, Sixth> {
    EitherOfSixStream(first, second, third, fourth, fifth, sixth)
}
