public import WeirCore

extension EventStream {
    /// Puts the elements of two streams into one, for patterns of events of two types.
    ///
    ///     let unpaid = Pattern<Either<Order, Payment>>
    ///         .first { if case .first = $0 { true } else { false } }
    ///         .notFollowedBy { event, order in event.pays(order) }
    ///         .within(.seconds(3600))
    ///     orders.alongside(payments).matches(of: unpaid, PatternSettings(order: .byWatermark))
    ///
    /// Emits an element when it arrives, with its time; two streams rarely come in the order of their times together, so
    /// patterns wait for watermarks. Remembers nothing but how far each stream is: the watermark is the earlier of both.
    /// The completion passes when both streams have finished, a failure at once. For more than two streams, put together
    /// what was put together.
    ///
    /// - Parameter other: The other stream.
    /// - Returns: The elements of both.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func alongside<Other: EventStream>(_ other: Other) -> Alongside<Self, Other> {
        Alongside(self, other)
    }
}

/// The elements of two streams; made by `alongside`.
@frozen
public struct Alongside<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = Either<First.Element, Second.Element>

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
        let junction = Junction(AlongsideState(sink), inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, LeftPort<First.Element, Second.Element>())),
            second.attach(junction.input(1, RightPort<First.Element, Second.Element>()))
        )
    }
}

/// Hands on the elements of two streams.
@frozen
public struct AlongsideState<Downstream: Sink>: JunctionState {
    public typealias Signal = Downstream.Input

    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        downstream.receive(signal, at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }
}
