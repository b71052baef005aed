public import WeirCore

extension EventStream {
    /// Pairs each element with the elements of another stream that have the same key and are close in event time.
    ///
    ///     orders.join(payments, within: .seconds(30), limit: 100_000, by: \.id, and: \.orderID)
    ///
    /// Emits each pair whose times differ by at most `distance` exactly once, when its second element arrives, with the
    /// later of the two times; an element meets those that came before it in the order of their arrival. Finishes when
    /// both streams have, ends when one fails or is interrupted. Watermarks pass: the earlier one of the two streams.
    ///
    /// Remembers the elements of each stream until the watermark is more than `distance` ahead of them; behind one that
    /// is still remembered, until there are twice as many as before, or `limit`. An element that finds `limit` elements
    /// of its stream remembered still meets the others' but is not remembered itself; it goes to
    /// ``IntervalJoin/refused``. Elements older than the watermark go to ``IntervalJoin/late``, and join nothing.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - distance: How far apart two times may be, both ends included; not negative.
    ///   - limit: How many elements of each stream to remember; positive.
    ///   - key: The key of an element of this stream.
    ///   - otherKey: The key of an element of the other stream.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: One hash look-up per element, and O(1) for each remembered element of its key; no allocation once
    ///   the memory has grown.
    @inlinable
    public func join<Other: EventStream, Key: Hashable & Sendable>(
        _ other: Other,
        within distance: Duration,
        limit: Int = 1 << 20,
        by key: @escaping @Sendable (Element) -> Key,
        and otherKey: @escaping @Sendable (Other.Element) -> Key
    ) -> IntervalJoin<Self, Other, Key> {
        precondition(distance >= .zero, "join: distance must not be negative, but is \(distance)")
        return IntervalJoin(self, other, .zero - distance, distance, limit, key, otherKey)
    }

    /// Pairs each element with the elements of another stream that have the same key and follow it at a distance.
    ///
    ///     orders.join(payments, from: .zero, to: .seconds(10), by: \.id, and: \.orderID)
    ///
    /// Like `join(_:within:limit:by:and:)`, for pairs in which the other stream's element is younger by at least
    /// `shortest` and at most `longest`. An element is remembered until the watermark has passed all that it can meet:
    /// here those of this stream for `longest`, those of the other only if `shortest` is negative.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - shortest: How much younger the other stream's element is at least; negative if it may be older.
    ///   - longest: How much younger it is at most; not less than `shortest`. Both ends are included.
    ///   - limit: How many elements of each stream to remember; positive.
    ///   - key: The key of an element of this stream.
    ///   - otherKey: The key of an element of the other stream.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: One hash look-up per element, and O(1) for each remembered element of its key; no allocation once
    ///   the memory has grown.
    @inlinable
    public func join<Other: EventStream, Key: Hashable & Sendable>(
        _ other: Other,
        from shortest: Duration,
        to longest: Duration,
        limit: Int = 1 << 20,
        by key: @escaping @Sendable (Element) -> Key,
        and otherKey: @escaping @Sendable (Other.Element) -> Key
    ) -> IntervalJoin<Self, Other, Key> {
        precondition(shortest <= longest, "join: from must not be more than to, but \(shortest) is more than that")
        return IntervalJoin(self, other, shortest, longest, limit, key, otherKey)
    }
}

/// The pairs of two streams that have the same key and are close in time; made by `join(_:within:limit:by:and:)`
/// and `join(_:from:to:limit:by:and:)`.
@frozen
public struct IntervalJoin<First: EventStream, Second: EventStream, Key: Hashable & Sendable>:
    WatermarkWaiting
{
    public typealias Element = (First.Element, Second.Element)

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let shortest: Int64
    @usableFromInline let longest: Int64
    @usableFromInline let limit: Int
    @usableFromInline let firstKey: @Sendable (First.Element) -> Key
    @usableFromInline let secondKey: @Sendable (Second.Element) -> Key

    /// The elements that came after the watermark.
    public let late: SideOutput<Either<First.Element, Second.Element>>

    /// The elements that found no room.
    public let refused: SideOutput<Either<First.Element, Second.Element>>

    public let stalls = SideOutput<WatermarkStall>()

    @inlinable
    init(
        _ first: First,
        _ second: Second,
        _ shortest: Duration,
        _ longest: Duration,
        _ limit: Int,
        _ firstKey: @escaping @Sendable (First.Element) -> Key,
        _ secondKey: @escaping @Sendable (Second.Element) -> Key
    ) {
        precondition(limit > 0, "join: limit must be positive, but is \(limit)")
        self.first = first
        self.second = second
        // Of numbers that can be negated.
        self.shortest = max(shortest.wholeNanoseconds, -.max)
        self.longest = max(longest.wholeNanoseconds, -.max)
        self.limit = limit
        self.firstKey = firstKey
        self.secondKey = secondKey
        late = SideOutput()
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let state = IntervalJoinState(shortest, longest, limit, firstKey, secondKey, late, refused, stalls, sink)
        let junction = Junction(state, inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, LeftPort())),
            second.attach(junction.input(1, RightPort()))
        )
    }
}

/// Remembers what may still find a partner.
@frozen
@usableFromInline
struct IntervalJoinState<Left: Sendable, Right: Sendable, Key: Hashable & Sendable, Downstream: Sink>:
    JunctionState
where Downstream.Input == (Left, Right) {
    // How much younger the right element of a pair is.
    @usableFromInline let shortest: Int64
    @usableFromInline let longest: Int64
    @usableFromInline let limit: Int
    @usableFromInline let leftKey: @Sendable (Left) -> Key
    @usableFromInline let rightKey: @Sendable (Right) -> Key
    @usableFromInline let late: SideOutput<Either<Left, Right>>
    @usableFromInline let refused: SideOutput<Either<Left, Right>>
    @usableFromInline let stalls: SideOutput<WatermarkStall>
    @usableFromInline var keys = KeyNumbers<Key>()
    @usableFromInline var lefts = KeyedStore<Left>()
    @usableFromInline var rights = KeyedStore<Right>()
    @usableFromInline var watermark = Timestamp.distantPast
    // What is older meets nothing that is still to come.
    @usableFromInline var oldestLeft = Timestamp.distantPast
    @usableFromInline var oldestRight = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ shortest: Int64,
        _ longest: Int64,
        _ limit: Int,
        _ leftKey: @escaping @Sendable (Left) -> Key,
        _ rightKey: @escaping @Sendable (Right) -> Key,
        _ late: SideOutput<Either<Left, Right>>,
        _ refused: SideOutput<Either<Left, Right>>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.shortest = shortest
        self.longest = longest
        self.limit = limit
        self.leftKey = leftKey
        self.rightKey = rightKey
        self.late = late
        self.refused = refused
        self.stalls = stalls
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Left, Right>, from input: Int, at time: Timestamp) {
        guard time >= watermark else {
            late.send(signal, at: time)
            return
        }
        let key: Int
        let hasRoom: Bool
        switch signal {
        case .first(let left):
            key = keys.number(of: leftKey(left))
            let reach = time.shifted(byNanoseconds: shortest)...time.shifted(byNanoseconds: longest)
            Self.pair(left, time, with: rights, key, reach, &downstream) { ($0, $1) }
            guard time >= oldestLeft else { return }
            hasRoom = lefts.count < limit
            if hasRoom { lefts.append(left, time, key: key) } else { lefts.refusals += 1 }
        case .second(let right):
            key = keys.number(of: rightKey(right))
            let reach = time.shifted(byNanoseconds: -longest)...time.shifted(byNanoseconds: -shortest)
            Self.pair(right, time, with: lefts, key, reach, &downstream) { ($1, $0) }
            guard time >= oldestRight else { return }
            hasRoom = rights.count < limit
            if hasRoom { rights.append(right, time, key: key) } else { rights.refusals += 1 }
        }
        if watermark == .distantPast { noteStall(time) }
        guard hasRoom else { return refused.send(signal, at: time) }
        keys.use(key)
    }

    /// Tells that no watermark has come, when some hundred elements wait and event time has gone on by more than the reach.
    @inlinable
    @inline(never)
    func noteStall(_ now: Timestamp) {
        guard lefts.count + rights.count >= min(1024, limit), stalls.count == 0 else { return }
        let oldest = min(lefts.firstTime ?? now, rights.firstTime ?? now)
        let reach = max(longest, -shortest)
        guard now > oldest.shifted(byNanoseconds: reach) else { return }
        stalls.send(WatermarkStall(since: oldest, until: now), at: now)
    }

    /// Emits the pairs of an element with those of the other side that are within its reach.
    @inlinable
    @inline(__always)
    static func pair<Own, Other>(
        _ own: Own,
        _ time: Timestamp,
        with others: borrowing KeyedStore<Other>,
        _ key: Int,
        _ reach: ClosedRange<Timestamp>,
        _ downstream: inout Downstream,
        _ makePair: (Own, Other) -> (Left, Right)
    ) {
        var position = others.first(of: key)
        while position >= 0 {
            let other = others[position]
            if let element = other.element, reach.contains(other.time) {
                downstream.receive(makePair(own, element), at: max(time, other.time))
            }
            position = other.nextOfKey
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        oldestLeft = watermark.shifted(byNanoseconds: -longest)
        oldestRight = watermark.shifted(byNanoseconds: shortest)
        while let key = lefts.removeFirst(olderThan: oldestLeft) { keys.disuse(key) }
        while let key = rights.removeFirst(olderThan: oldestRight) { keys.disuse(key) }
        for key in lefts.removeHidden(olderThan: oldestLeft, limit: limit) { keys.disuse(key) }
        for key in rights.removeHidden(olderThan: oldestRight, limit: limit) { keys.disuse(key) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        keys = KeyNumbers()
        lefts = KeyedStore()
        rights = KeyedStore()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("join")
        try state.exchange(late)
        try state.exchange(refused)
        try state.exchange(stalls)
        try keys.exchangeState(&state)
        try state.exchange(&lefts)
        try state.exchange(&rights)
        try state.exchange(&watermark)
        try state.exchange(&oldestLeft)
        try state.exchange(&oldestRight)
        try downstream.exchangeState(&state)
    }
}
