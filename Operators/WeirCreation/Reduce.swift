public import WeirCore

extension EventStream {
    /// Combines all elements into one value, which it emits at the end.
    ///
    ///     readings.reduce(into: 0) { sum, reading in sum += reading.celsius }
    ///
    /// Emits the value when the stream has finished, at the time of the youngest element or the last watermark,
    /// whichever is later; nothing when it broke off. Remembers the value. Watermarks pass, the completion after the
    /// value.
    ///
    /// - Parameters:
    ///   - initial: The value of a stream without elements.
    ///   - combine: Combines the value with an element.
    /// - Returns: A stream of one value.
    /// - Complexity: The cost of `combine` per element.
    @inlinable
    public func reduce<Value: Sendable>(
        into initial: Value,
        _ combine: @escaping @Sendable (inout Value, Element) -> Void
    ) -> Reduce<Self, Value> {
        Reduce(self, initial, combine)
    }
}

/// All elements of a stream, combined; made by `reduce`.
@frozen
public struct Reduce<Upstream: EventStream, Value: Sendable>: EventStream {
    public typealias Element = Value

    @usableFromInline let upstream: Upstream
    @usableFromInline let initial: Value
    @usableFromInline let combine: @Sendable (inout Value, Upstream.Element) -> Void

    @inlinable
    init(
        _ upstream: Upstream,
        _ initial: Value,
        _ combine: @escaping @Sendable (inout Value, Upstream.Element) -> Void
    ) {
        self.upstream = upstream
        self.initial = initial
        self.combine = combine
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Value {
        upstream.attach(ReduceSink(initial, combine, sink))
    }
}

extension Reduce: GroupableStream where Upstream: GroupableStream {}

/// Combines the elements, and forwards the result at the completion.
@frozen
@usableFromInline
struct ReduceSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline let combine: @Sendable (inout Downstream.Input, Input) -> Void
    @usableFromInline var value: Downstream.Input?
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ initial: Downstream.Input,
        _ combine: @escaping @Sendable (inout Downstream.Input, Input) -> Void,
        _ downstream: consuming Downstream
    ) {
        self.combine = combine
        value = initial
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        // Moved out of the property while it changes: a second reference would copy an array.
        guard var current = value.take() else { return }
        combine(&current, copy element)
        value = current
        self.time = max(self.time, time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        time = max(time, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, let value { downstream.receive(value, at: time) }
        value = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("reduce")
        try state.exchange(&value)
        try state.exchange(&time)
        try downstream.exchangeState(&state)
    }
}
