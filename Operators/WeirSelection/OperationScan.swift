public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Folds the elements into a running value with an operation on two values, and emits it after each.
    ///
    ///     amounts.scan(into: 0.0, with: BinaryOperations.Sum.self)
    ///
    /// Equivalent to the form with a closure, without a call per element. Emits when an element arrives, with the
    /// element's time. Remembers the running value. Watermarks and the completion pass.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - operation: Takes the running value, on the left, and an element.
    /// - Returns: The running values.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func scan<Operation: BinaryOperation>(
        into initial: Element,
        with operation: Operation.Type
    ) -> OperationScan<Self, Operation> where Operation.Operand == Element, Operation.Result == Element {
        OperationScan(self, initial)
    }
}

/// The running values of a fold over a stream; made by `scan` with an operation.
@frozen
public struct OperationScan<Upstream: EventStream, Operation: BinaryOperation>: EventStream
where Operation.Operand == Upstream.Element, Operation.Result == Upstream.Element {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let initial: Element

    @inlinable
    init(_ upstream: Upstream, _ initial: Element) {
        self.upstream = upstream
        self.initial = initial
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(OperationScanSink<Operation, S>(initial, sink))
    }
}

extension OperationScan: GroupableStream where Upstream: GroupableStream {}

/// Forwards the running value of a fold.
@frozen
@usableFromInline
struct OperationScanSink<Operation: BinaryOperation, Downstream: Sink>: Sink
where Operation.Operand == Downstream.Input, Operation.Result == Downstream.Input {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var value: Input
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Input, _ downstream: consuming Downstream) {
        value = initial
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        value = Operation.apply(value, copy element)
        downstream.receive(value, at: time)
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
        try state.begin("scan")
        try state.exchange(&value)
        try downstream.exchangeState(&state)
    }
}
