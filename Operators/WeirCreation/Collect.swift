public import WeirCore

extension EventStream {
    /// Emits all elements in one array at the end.
    ///
    ///     readings.collect(limit: 10_000)
    ///
    /// Emits the elements in the order of arrival when the stream has finished, at the time of the youngest or the last
    /// watermark, whichever is later; nothing when it broke off. Remembers the first `limit` elements; the others go to
    /// ``Collect/refused``. Watermarks pass, the completion after the array.
    ///
    /// - Parameter limit: How many elements to remember; positive.
    /// - Returns: A stream of one array.
    /// - Complexity: O(1) amortised per element.
    @inlinable
    public func collect(limit: Int = 1 << 20) -> Collect<Self> {
        precondition(limit > 0, "collect: limit must be positive, but is \(limit)")
        return Collect(self, limit)
    }
}

/// All elements of a stream in one array; made by `collect`.
@frozen
public struct Collect<Upstream: EventStream>: EventStream {
    public typealias Element = [Upstream.Element]

    /// The elements that the limit left no room for.
    public let refused = SideOutput<Upstream.Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let limit: Int

    @inlinable
    init(_ upstream: Upstream, _ limit: Int) {
        self.upstream = upstream
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(CollectSink(limit, refused, sink))
    }
}

extension Collect: GroupableStream where Upstream: GroupableStream {}

/// Keeps the elements, and forwards them at the completion.
@frozen
@usableFromInline
struct CollectSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == [Input] {
    @usableFromInline let limit: Int
    @usableFromInline let refused: SideOutput<Input>
    @usableFromInline var elements: [Input] = []
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ limit: Int, _ refused: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.limit = limit
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        self.time = max(self.time, time)
        if elements.count < limit {
            elements.append(copy element)
        } else {
            refused.send(copy element, at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        time = max(time, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { downstream.receive(elements, at: time) }
        elements = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("collect")
        try state.exchange(&elements)
        try state.exchange(&time)
        try state.exchange(refused)
        try downstream.exchangeState(&state)
    }
}
