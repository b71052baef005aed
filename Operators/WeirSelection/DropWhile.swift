public import WeirCore

extension EventStream {
    /// Drops the elements before the first one that does not satisfy a condition.
    ///
    ///     readings.drop(while: { $0.celsius < 30 })
    ///
    /// Emits that element and every later one when it arrives, with its time. Remembers whether it has arrived.
    /// Watermarks and the completion pass.
    ///
    /// - Parameter condition: Called once for each element up to the first that fails.
    /// - Returns: The first element that fails, and all after it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func drop(@ConditionBuilder while condition: @escaping @Sendable (Element) -> Bool) -> DropWhile<Self> {
        DropWhile(self, condition)
    }
}

/// The elements of a stream from the first one on that fails a condition; made by `drop(while:)`.
@frozen
public struct DropWhile<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let condition: @Sendable (Element) -> Bool

    @inlinable
    init(_ upstream: Upstream, _ condition: @escaping @Sendable (Element) -> Bool) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(DropWhileSink(condition, sink))
    }
}

extension DropWhile: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements from the first one on that fails a condition.
@frozen
@usableFromInline
struct DropWhileSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let condition: @Sendable (Input) -> Bool
    @usableFromInline var isDropping = true
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: @escaping @Sendable (Input) -> Bool, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if isDropping {
            guard !condition(element) else { return }
            isDropping = false
        }
        downstream.receive(element, at: time)
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
        try state.begin("drop(while:)")
        try state.exchange(&isDropping)
        try downstream.exchangeState(&state)
    }
}
