public import WeirCore

/// What a `zip` does with an element that finds no room.
public enum ZipOverflow: Sendable, Hashable {
    /// Puts it aside.
    case dropNewest
    /// Puts the one aside that has waited longest, and keeps it.
    case dropOldest
    /// Fails the stream with ``FlowError/overflow(limit:)``.
    case fail
}

/// Why an operator of this module ends a stream.
public enum FlowError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More elements had to wait than the operator may remember.
    case overflow(limit: Int)
    /// No element came for so long.
    case timeout(Duration)

    public var description: String {
        switch self {
        case .overflow(let limit): "more than \(limit) elements had to wait"
        case .timeout(let duration): "no element came for \(duration)"
        }
    }
}

extension EventStream {
    /// Pairs the first element of this stream with the first of another, the second with the second, and so on.
    ///
    ///     requests.zip(replies, limit: 100, onOverflow: .dropOldest)
    ///
    /// Emits a pair when its second element arrives, with the later of the two event times. Remembers the elements of
    /// one stream that wait for a partner, at most `limit`; those without room go to ``Zip/refused``, or fail the
    /// stream. Watermarks pass: the earlier one of the two streams. Finishes when a stream has finished of which no
    /// element waits; fails when one fails. What waits of the other then goes to ``Zip/refused``, too.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - limit: How many elements may wait; positive.
    ///   - policy: What happens to an element that finds no room.
    /// - Returns: The pairs, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func zip<Other: EventStream>(
        _ other: Other,
        limit: Int,
        onOverflow policy: ZipOverflow = .fail
    ) -> Zip<Self, Other> {
        precondition(limit > 0, "a zip needs room for an element, not for \(limit)")
        return Zip(self, other, limit, policy)
    }
}

/// The elements of two streams, pair by pair; made by `zip(_:limit:onOverflow:)`.
@frozen
public struct Zip<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = (First.Element, Second.Element)

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let limit: Int
    @usableFromInline let policy: ZipOverflow

    /// The elements that found no room to wait, or no partner before the end.
    public let refused: SideOutput<Either<First.Element, Second.Element>>

    @inlinable
    init(_ first: First, _ second: Second, _ limit: Int, _ policy: ZipOverflow) {
        self.first = first
        self.second = second
        self.limit = limit
        self.policy = policy
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = LateSubscription()
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
public struct ZipState<Left: Sendable, Right: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (Left, Right) {
    @usableFromInline let limit: Int
    @usableFromInline let policy: ZipOverflow
    @usableFromInline let refused: SideOutput<Either<Left, Right>>
    @usableFromInline let own: LateSubscription
    // All of one input.
    @usableFromInline var waiting = Queue<(signal: Either<Left, Right>, time: Timestamp)>()
    @usableFromInline var hasFinished = [false, false]
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ limit: Int,
        _ policy: ZipOverflow,
        _ refused: SideOutput<Either<Left, Right>>,
        _ own: LateSubscription,
        _ downstream: consuming Downstream
    ) {
        self.limit = limit
        self.policy = policy
        self.refused = refused
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ signal: Either<Left, Right>, from input: Int, at time: Timestamp) {
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
        if waiting.count == limit {
            switch policy {
            case .dropNewest:
                refused.send(signal, at: time)
                return
            case .dropOldest:
                if let oldest = waiting.popFirst() { refused.send(oldest.signal, at: oldest.time) }
            case .fail:
                refused.send(signal, at: time)
                finish(.failed(FlowError.overflow(limit: limit)))
                return
            }
        }
        waiting.append((signal, time))
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        if !isFinished { downstream.advance(to: watermark) }
    }

    @inlinable
    public mutating func finishInput(_ input: Int) -> Bool {
        hasFinished[input] = true
        switch waiting.first?.signal {
        case .first: return input == 1
        case .second: return input == 0
        case nil: return true
        }
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        while let alone = waiting.popFirst() { refused.send(alone.signal, at: alone.time) }
        waiting = Queue()
        downstream.finish(completion)
        own.cancel()
    }
}
