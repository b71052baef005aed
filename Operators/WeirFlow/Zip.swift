public import WeirCore

/// Why an operator of this module ends a stream.
public enum FlowError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More elements wait than the limit allows.
    case overflow(limit: Int)
    /// No element arrived within the duration.
    case timeout(Duration)

    public var description: String {
        switch self {
        case .overflow(let limit): "more than \(limit) elements are waiting"
        case .timeout(let duration): "no element arrived for \(duration)"
        }
    }
}

extension EventStream {
    /// Pairs the first element of this stream with the first of another, the second with the second, and so on.
    ///
    ///     requests.zip(replies, overflowPolicy: .dropOldest, limit: 100)
    ///
    /// Emits a pair when its second element arrives, with the later of the two event times. Remembers the elements of
    /// one stream that wait for a partner, at most `limit`; those without room go to ``Zip/refused``, or fail the
    /// stream. Watermarks pass: the earlier one of the two streams. Finishes when a stream has finished and none of its
    /// elements waits; ends when one fails or is interrupted. Elements of the other that still wait go to
    /// ``Zip/refused``, too.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - policy: What happens to an element that finds no room; what is given up goes to ``Zip/refused``, and a failure
    ///     is ``FlowError/overflow(limit:)``.
    ///   - limit: How many elements may wait; positive.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func zip<Other: EventStream>(
        _ other: Other,
        overflowPolicy policy: LimitPolicy = .fail,
        limit: Int = 1 << 20
    ) -> Zip<Self, Other> {
        precondition(limit > 0, "zip: limit must be positive, but is \(limit)")
        return Zip(self, other, limit, policy)
    }
}

/// The elements of two streams, pair by pair; made by `zip(_:overflowPolicy:limit:)`.
@frozen
public struct Zip<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = (First.Element, Second.Element)

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let limit: Int
    @usableFromInline let policy: LimitPolicy

    /// The elements that found no room to wait, or no partner before the end.
    public let refused: SideOutput<Either<First.Element, Second.Element>>

    @inlinable
    init(_ first: First, _ second: Second, _ limit: Int, _ policy: LimitPolicy) {
        self.first = first
        self.second = second
        self.limit = limit
        self.policy = policy
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        let state = ZipState<First.Element, Second.Element, S>(limit, policy, refused, own, sink)
        let junction = Junction(state, inputs: 2)
        return own.set(
            junction.subscription(
                first.attach(junction.input(0, LeftPort())),
                second.attach(junction.input(1, RightPort()))
            )
        )
    }
}

/// Remembers the elements of one input that wait for those of the other.
@frozen
@usableFromInline
struct ZipState<Left: Sendable, Right: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (Left, Right) {
    @usableFromInline let limit: Int
    @usableFromInline let policy: LimitPolicy
    @usableFromInline let refused: SideOutput<Either<Left, Right>>
    @usableFromInline let own: DeferredSubscription
    // All elements are of one input.
    @usableFromInline var waiting = Deque<(signal: Either<Left, Right>, time: Timestamp)>()
    @usableFromInline var hasFinished = [false, false]
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ limit: Int,
        _ policy: LimitPolicy,
        _ refused: SideOutput<Either<Left, Right>>,
        _ own: DeferredSubscription,
        _ downstream: consuming Downstream
    ) {
        self.limit = limit
        self.policy = policy
        self.refused = refused
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Left, Right>, from input: Int, at time: Timestamp) {
        guard !isFinished else { return }
        guard let partner = waiting.first else {
            wait(signal, time)
            return
        }
        switch (signal, partner.signal) {
        case (.first(let left), .second(let right)), (.second(let right), .first(let left)):
            _ = waiting.popFirst()
            downstream.receive((left, right), at: max(time, partner.time))
            if waiting.count == 0, hasFinished[1 - input] { finish(.finished) }
        case (.first, .first), (.second, .second):
            wait(signal, time)
        }
    }

    @inlinable
    mutating func wait(_ signal: Either<Left, Right>, _ time: Timestamp) {
        if waiting.count >= limit {
            switch policy {
            case .dropNewest:
                refused.send(signal, at: time)
                return
            case .dropOldest:
                // More than one where the state is of a pipeline with a greater limit.
                while waiting.count >= limit, let oldest = waiting.popFirst() {
                    refused.send(oldest.signal, at: oldest.time)
                }
            case .fail:
                refused.send(signal, at: time)
                finish(.failed(FlowError.overflow(limit: limit)))
                return
            }
        }
        waiting.append((signal, time))
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if !isFinished { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool {
        hasFinished[input] = true
        switch waiting.first?.signal {
        case .first: return input == 1
        case .second: return input == 0
        case nil: return true
        }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        while let alone = waiting.popFirst() { refused.send(alone.signal, at: alone.time) }
        waiting = Deque()
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("zip")
        try state.exchange(refused)
        try state.exchange(&waiting)
        try state.exchange(&hasFinished)
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
