public import WeirCore

extension EventStream {
    /// Emits the results whose value satisfies a condition: a detection by an aggregate.
    ///
    ///     readings.tumbling(.seconds(1)).mean(of: \.celsius).having { $0 > 30 }
    ///
    /// Emits a result when it arrives, with its time. Where windows emit early or late results, each is tested by
    /// itself, so a result that is dropped does not retract an earlier one. Remembers nothing. Watermarks and the
    /// completion pass.
    ///
    /// - Parameter condition: Called once for each result, with its value.
    /// - Returns: The results that satisfy it.
    /// - Complexity: O(1) per result, without allocation.
    @inlinable
    public func having<Value>(@ConditionBuilder _ condition: @escaping @Sendable (Value) -> Bool) -> Having<Self, Value>
    where Element == WindowResult<Value> {
        Having(self, condition)
    }
}

/// The results of windows whose value satisfies a condition; made by `having`.
@frozen
public struct Having<Upstream: EventStream, Value: Sendable>: EventStream
where Upstream.Element == WindowResult<Value> {
    public typealias Element = WindowResult<Value>

    @usableFromInline let upstream: Upstream
    @usableFromInline let condition: @Sendable (Value) -> Bool

    @inlinable
    init(_ upstream: Upstream, _ condition: @escaping @Sendable (Value) -> Bool) {
        self.upstream = upstream
        self.condition = condition
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(HavingSink(condition, sink))
    }
}

extension Having: GroupableStream where Upstream: GroupableStream {}

/// Forwards the results whose value satisfies a condition.
@frozen
@usableFromInline
struct HavingSink<Value: Sendable, Downstream: Sink>: Sink where Downstream.Input == WindowResult<Value> {
    @usableFromInline typealias Input = WindowResult<Value>

    @usableFromInline let condition: @Sendable (Value) -> Bool
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ condition: @escaping @Sendable (Value) -> Bool, _ downstream: consuming Downstream) {
        self.condition = condition
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if condition(element.value) { downstream.receive(element, at: time) }
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
