/// The elements of two streams as one stream, each with the mark of where it comes from.
///
/// Elements pass in the order of arrival. The watermark is the older of the two; the stream ends when both have, or at
/// the first that fails.
///
/// - Complexity: O(1) per element.
@frozen
public struct EitherStream<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = Either<First.Element, Second.Element>

    @usableFromInline let first: First
    @usableFromInline let second: Second

    /// Creates the stream.
    @inlinable
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SinkState(sink), inputs: 2)
        let first = first.attach(junction.input(0, LeftPort()))
        let second = second.attach(junction.input(1, RightPort()))
        return junction.subscription([first, second])
    }
}

/// The elements of three streams as one stream, each with the mark of where it comes from.
///
/// Elements pass in the order of arrival. The watermark is the oldest of the three; the stream ends when all have, or
/// at the first that fails.
///
/// - Complexity: O(1) per element.
@frozen
public struct EitherOfThreeStream<First: EventStream, Second: EventStream, Third: EventStream>: EventStream {
    public typealias Element = EitherOfThree<First.Element, Second.Element, Third.Element>

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let third: Third

    /// Creates the stream.
    @inlinable
    public init(_ first: First, _ second: Second, _ third: Third) {
        self.first = first
        self.second = second
        self.third = third
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SinkState(sink), inputs: 3)
        let first = first.attach(junction.input(0, WrappingPort { .first($0) }))
        let second = second.attach(junction.input(1, WrappingPort { .second($0) }))
        let third = third.attach(junction.input(2, WrappingPort { .third($0) }))
        return junction.subscription([first, second, third])
    }
}

/// The elements of four streams as one stream, each with the mark of where it comes from.
///
/// Elements pass in the order of arrival. The watermark is the oldest of the four; the stream ends when all have, or at
/// the first that fails.
///
/// - Complexity: O(1) per element.
@frozen
public struct EitherOfFourStream<
    First: EventStream,
    Second: EventStream,
    Third: EventStream,
    Fourth: EventStream
>: EventStream {
    public typealias Element = EitherOfFour<First.Element, Second.Element, Third.Element, Fourth.Element>

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let third: Third
    @usableFromInline let fourth: Fourth

    /// Creates the stream.
    @inlinable
    public init(_ first: First, _ second: Second, _ third: Third, _ fourth: Fourth) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SinkState(sink), inputs: 4)
        let first = first.attach(junction.input(0, WrappingPort { .first($0) }))
        let second = second.attach(junction.input(1, WrappingPort { .second($0) }))
        let third = third.attach(junction.input(2, WrappingPort { .third($0) }))
        let fourth = fourth.attach(junction.input(3, WrappingPort { .fourth($0) }))
        return junction.subscription([first, second, third, fourth])
    }
}

/// The elements of five streams as one stream, each with the mark of where it comes from.
///
/// Elements pass in the order of arrival. The watermark is the oldest of the five; the stream ends when all have, or
/// at the first that fails.
///
/// - Complexity: O(1) per element.
@frozen
public struct EitherOfFiveStream<
    First: EventStream,
    Second: EventStream,
    Third: EventStream,
    Fourth: EventStream,
    Fifth: EventStream
>: EventStream {
    public typealias Element = EitherOfFive<
        First.Element,
        Second.Element,
        Third.Element,
        Fourth.Element,
        Fifth.Element
    >

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let third: Third
    @usableFromInline let fourth: Fourth
    @usableFromInline let fifth: Fifth

    /// Creates the stream.
    @inlinable
    public init(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.fifth = fifth
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SinkState(sink), inputs: 5)
        return junction.subscription(
            first.attach(junction.input(0, WrappingPort { .first($0) })),
            second.attach(junction.input(1, WrappingPort { .second($0) })),
            third.attach(junction.input(2, WrappingPort { .third($0) })),
            fourth.attach(junction.input(3, WrappingPort { .fourth($0) })),
            fifth.attach(junction.input(4, WrappingPort { .fifth($0) }))
        )
    }
}

/// The elements of six streams as one stream, each with the mark of where it comes from.
///
/// Elements pass in the order of arrival. The watermark is the oldest of the six; the stream ends when all have, or
/// at the first that fails.
///
/// - Complexity: O(1) per element.
@frozen
public struct EitherOfSixStream<
    First: EventStream,
    Second: EventStream,
    Third: EventStream,
    Fourth: EventStream,
    Fifth: EventStream,
    Sixth: EventStream
>: EventStream {
    public typealias Element = EitherOfSix<
        First.Element,
        Second.Element,
        Third.Element,
        Fourth.Element,
        Fifth.Element,
        Sixth.Element
    >

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let third: Third
    @usableFromInline let fourth: Fourth
    @usableFromInline let fifth: Fifth
    @usableFromInline let sixth: Sixth

    /// Creates the stream.
    @inlinable
    public init(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
        self.fifth = fifth
        self.sixth = sixth
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SinkState(sink), inputs: 6)
        return junction.subscription(
            first.attach(junction.input(0, WrappingPort { .first($0) })),
            second.attach(junction.input(1, WrappingPort { .second($0) })),
            third.attach(junction.input(2, WrappingPort { .third($0) })),
            fourth.attach(junction.input(3, WrappingPort { .fourth($0) })),
            fifth.attach(junction.input(4, WrappingPort { .fifth($0) })),
            sixth.attach(junction.input(5, WrappingPort { .sixth($0) }))
        )
    }
}
