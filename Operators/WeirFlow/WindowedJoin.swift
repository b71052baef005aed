public import WeirCore

/// Which elements of a window a join emits.
public enum JoinKind: Sendable, Hashable {
    /// The pairs.
    case inner
    /// The pairs, and the elements of the first stream without a partner.
    case left
    /// The pairs, and the elements of either stream without a partner.
    case outer
}

extension EventStream {
    /// Pairs each element with the elements of another stream that have the same key and lie in the same window.
    ///
    ///     orders.join(payments, .left, every: .seconds(60), limit: 100_000, by: \.id, and: \.orderID)
    ///
    /// Windows of length `size` begin at its multiples since the epoch, and close when the watermark of both streams
    /// reaches their end. Then each pair of the window is emitted exactly once, with the later of the two event times:
    /// by the arrival of this stream's elements, for each by the arrival of the other's. With ``JoinKind/left`` an
    /// element of this stream without a partner is emitted in its turn, alone, with its own time; with
    /// ``JoinKind/outer`` those of the other stream too, after all. What follows gets a watermark at the end of a
    /// window. The completion closes all windows; a failure or an interruption discards them.
    ///
    /// Remembers the elements of the open windows, at most `limit`; further ones go to ``WindowedJoin/refused``, and
    /// those of windows that are closed to ``WindowedJoin/late``.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - kind: What happens to elements without a partner.
    ///   - size: The length of a window; positive.
    ///   - limit: How many elements to remember; positive.
    ///   - key: The key of an element of this stream.
    ///   - otherKey: The key of an element of the other stream.
    /// - Returns: The pairs; an element is missing where there was no partner.
    /// - Complexity: One hash look-up per element on arrival and at the close, and O(1) per pair.
    @inlinable
    public func join<Other: EventStream, Key: Hashable & Sendable>(
        _ other: Other,
        _ kind: JoinKind,
        every size: Duration,
        limit: Int = 1 << 20,
        by key: @escaping @Sendable (Element) -> Key,
        and otherKey: @escaping @Sendable (Other.Element) -> Key
    ) -> WindowedJoin<Self, Other, Key, JoinRule<Element, Other.Element>> {
        WindowedJoin(self, other, JoinRule(kind), size, limit, key, otherKey)
    }

    /// Emits one element of each key that another stream has in the same window too.
    ///
    ///     seen.intersect(registered, every: .seconds(60), limit: 100_000, by: \.id, and: \.id)
    ///
    /// Emits, when a window closes, the first element of each key that both streams have in it, in the order of
    /// arrival, with its time. Memory, late elements, the limit, watermarks and the completion are those of
    /// `join(_:_:every:limit:by:and:)`.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - size: The length of a window; positive.
    ///   - limit: How many elements to remember; positive.
    ///   - key: The key of an element of this stream.
    ///   - otherKey: The key of an element of the other stream.
    /// - Returns: The elements of this stream whose keys both have.
    /// - Complexity: One hash look-up per element on arrival and at the close.
    @inlinable
    public func intersect<Other: EventStream, Key: Hashable & Sendable>(
        _ other: Other,
        every size: Duration,
        limit: Int = 1 << 20,
        by key: @escaping @Sendable (Element) -> Key,
        and otherKey: @escaping @Sendable (Other.Element) -> Key
    ) -> WindowedJoin<Self, Other, Key, SetRule<Element, Other.Element>> {
        WindowedJoin(self, other, SetRule(wantsPartner: true), size, limit, key, otherKey)
    }

    /// Emits one element of each key that another stream does not have in the same window.
    ///
    ///     registered.except(seen, every: .seconds(60), limit: 100_000, by: \.id, and: \.id)
    ///
    /// Emits, when a window closes, the first element of each key that only this stream has in it, in the order of
    /// arrival, with its time. Memory, late elements, the limit, watermarks and the completion are those of
    /// `join(_:_:every:limit:by:and:)`.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - size: The length of a window; positive.
    ///   - limit: How many elements to remember; positive.
    ///   - key: The key of an element of this stream.
    ///   - otherKey: The key of an element of the other stream.
    /// - Returns: The elements of this stream whose keys the other does not have.
    /// - Complexity: One hash look-up per element on arrival and at the close.
    @inlinable
    public func except<Other: EventStream, Key: Hashable & Sendable>(
        _ other: Other,
        every size: Duration,
        limit: Int = 1 << 20,
        by key: @escaping @Sendable (Element) -> Key,
        and otherKey: @escaping @Sendable (Other.Element) -> Key
    ) -> WindowedJoin<Self, Other, Key, SetRule<Element, Other.Element>> {
        WindowedJoin(self, other, SetRule(wantsPartner: false), size, limit, key, otherKey)
    }
}

/// Two streams combined window by window; made by `join`, `intersect` and `except`.
@frozen
public struct WindowedJoin<
    First: EventStream,
    Second: EventStream,
    Key: Hashable & Sendable,
    Rule: WindowRule
>: WatermarkWaiting where Rule.Left == First.Element, Rule.Right == Second.Element {
    public typealias Element = Rule.Output

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let rule: Rule
    @usableFromInline let size: Int64
    @usableFromInline let limit: Int
    @usableFromInline let firstKey: @Sendable (First.Element) -> Key
    @usableFromInline let secondKey: @Sendable (Second.Element) -> Key

    /// The elements of windows that were closed.
    public let late: SideOutput<Either<First.Element, Second.Element>>

    /// The elements that found no room.
    public let refused: SideOutput<Either<First.Element, Second.Element>>

    public let stalls = SideOutput<WatermarkStall>()

    @inlinable
    init(
        _ first: First,
        _ second: Second,
        _ rule: Rule,
        _ size: Duration,
        _ limit: Int,
        _ firstKey: @escaping @Sendable (First.Element) -> Key,
        _ secondKey: @escaping @Sendable (Second.Element) -> Key
    ) {
        precondition(limit > 0, "WindowedJoin: limit must be positive, but is \(limit)")
        self.first = first
        self.second = second
        self.rule = rule
        self.size = Nanoseconds.positive(size, "a window")
        self.limit = limit
        self.firstKey = firstKey
        self.secondKey = secondKey
        late = SideOutput()
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let state = WindowedJoinState(rule, size, limit, firstKey, secondKey, late, refused, stalls, sink)
        let junction = Junction(state, inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, LeftPort())),
            second.attach(junction.input(1, RightPort()))
        )
    }
}
