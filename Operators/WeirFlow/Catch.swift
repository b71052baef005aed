public import WeirCore

extension EventStream {
    /// Continues with another stream when this one fails.
    ///
    ///     live.catch { error in fallback(for: error) }
    ///
    /// Emits the elements of this stream, and after a failure those of the stream that `handler` returns for it, when
    /// they arrive, with their times. Remembers the last watermark; watermarks of the other stream that are not later
    /// are dropped. The end and an interruption pass, and so does a failure of the other stream.
    ///
    /// A checkpoint knows which stream it is at; where it is restored after a failure, `handler` is called with an error that
    /// has only the description of the first one.
    ///
    /// - Parameter handler: Called at most once for each sink, on the thread on which the stream fails.
    /// - Returns: The elements of the stream, and of the one that replaces it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func `catch`<Other: EventStream>(
        _ handler: @escaping @Sendable (any Error) -> Other
    ) -> Catch<Self, Other> where Other.Element == Element {
        Catch(self, isOfType: false) { handler($0) }
    }

    /// Continues with another stream when this one fails with an error of a type.
    ///
    ///     live.catch(FlowError.self) { error in fallback(for: error) }
    ///
    /// Failures of other types pass. The rest is as for ``catch(_:)``, but no checkpoint can be made of what follows a
    /// failure: the error is not saved.
    ///
    /// - Parameters:
    ///   - type: The type of the errors.
    ///   - handler: Called at most once for each sink, on the thread on which the stream fails.
    /// - Returns: The elements of the stream, and of the one that replaces it.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func `catch`<Failure: Error, Other: EventStream>(
        _ type: Failure.Type,
        _ handler: @escaping @Sendable (Failure) -> Other
    ) -> Catch<Self, Other> where Other.Element == Element {
        Catch(self, isOfType: true) { error in (error as? Failure).map(handler) }
    }
}

/// A stream that another one replaces when it fails; made by `catch`.
@frozen
public struct Catch<First: EventStream, Second: EventStream>: EventStream where First.Element == Second.Element {
    public typealias Element = First.Element

    @usableFromInline let first: First
    // Whether `handler` looks at the type of the error.
    @usableFromInline let isOfType: Bool
    @usableFromInline let handler: @Sendable (any Error) -> Second?

    @inlinable
    init(_ first: First, isOfType: Bool, _ handler: @escaping @Sendable (any Error) -> Second?) {
        self.first = first
        self.isOfType = isOfType
        self.handler = handler
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let chain = SubscriptionChain()
        let sink = CatchSink(isOfType, handler, chain, sink)
        chain.attachFirst { first.attach(sink) }
        return chain.subscription()
    }
}

/// Switches to another stream at a failure.
@frozen
@usableFromInline
struct CatchSink<Next: EventStream, Downstream: Sink>: Sink where Next.Element == Downstream.Input {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let isOfType: Bool
    @usableFromInline let handler: @Sendable (any Error) -> Next?
    @usableFromInline let chain: SubscriptionChain
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream?

    @inlinable
    init(
        _ isOfType: Bool,
        _ handler: @escaping @Sendable (any Error) -> Next?,
        _ chain: SubscriptionChain,
        _ downstream: consuming Downstream
    ) {
        self.isOfType = isOfType
        self.handler = handler
        self.chain = chain
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream?.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream?.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard var downstream = downstream.take() else { return }
        switch completion {
        case .finished, .interrupted:
            downstream.finish(completion)
        case .failed(let error):
            guard !chain.isCancelled else { return }
            if let other = handler(error) {
                let name = isOfType ? "catch(_:_:), after a failure," : nil
                chain.goOn(because: .failed("\(error)")) {
                    other.attach(LaterSink(watermark, chain, downstream, unsaveable: name))
                }
            } else {
                downstream.finish(completion)
            }
        }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // One that looks at the type has not been saved after a failure.
        if !isOfType, let error = state.takeError() {
            finish(.failed(error))
            return
        }
        try state.begin("catch")
        try state.exchange(&watermark)
        try downstream?.exchangeState(&state)
    }
}
