public import WeirCore

/// An element of a stream, or its end, as a value; made by `materialize`.
@frozen
public enum StreamNotification<Element: Sendable>: Sendable {
    /// An element.
    case element(Element)
    /// The end.
    case completion(Completion)
}

extension EventStream {
    /// Turns the elements and the end of the stream into values.
    ///
    ///     lines.materialize().subscribe { notification in
    ///         if case .completion(.failed(let error)) = notification { print("broke off:", error) }
    ///     }
    ///
    /// Emits each element when it arrives, with its time, and the completion as an element, at the time of the youngest
    /// element or the last watermark, whichever is later; then it finishes, also where the stream failed. Remembers one
    /// time. Watermarks pass.
    ///
    /// - Returns: The elements and the completion as elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func materialize() -> Materialize<Self> {
        Materialize(self)
    }

    /// Turns values that say what happens back into elements and an end.
    ///
    ///     lines.materialize().delay(by: .seconds(1)).dematerialize()
    ///
    /// Emits each element when it arrives, with its time. Ends as the first completion among the values says, and detaches.
    /// Remembers whether it has ended. Watermarks pass until then; the completion of the stream passes when it comes before.
    ///
    /// - Returns: The elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func dematerialize<Value: Sendable>() -> Dematerialize<Self, Value>
    where Element == StreamNotification<Value> {
        Dematerialize(self)
    }
}

/// The elements and the end of a stream as values; made by `materialize`.
@frozen
public struct Materialize<Upstream: EventStream>: EventStream {
    public typealias Element = StreamNotification<Upstream.Element>

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(MaterializeSink(sink))
    }
}

extension Materialize: GroupableStream where Upstream: GroupableStream {}

/// Elements and an end that were values; made by `dematerialize`.
@frozen
public struct Dematerialize<Upstream: EventStream, Value: Sendable>: EventStream
where Upstream.Element == StreamNotification<Value> {
    public typealias Element = Value

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Value {
        let own = DeferredSubscription()
        return own.set(upstream.attach(DematerializeSink(own, sink)))
    }
}

extension Dematerialize: GroupableStream where Upstream: GroupableStream {}

/// Forwards elements and the end as values.
@frozen
@usableFromInline
struct MaterializeSink<Input: Sendable, Downstream: Sink>: Sink
where Downstream.Input == StreamNotification<Input> {
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        self.time = max(self.time, time)
        downstream.receive(.element(copy element), at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        time = max(time, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.receive(.completion(completion), at: time)
        downstream.finish(.finished)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("materialize")
        try state.exchange(&time)
        try downstream.exchangeState(&state)
    }
}

/// Forwards values as elements and the end.
@frozen
@usableFromInline
struct DematerializeSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = StreamNotification<Downstream.Input>

    @usableFromInline let own: DeferredSubscription
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        switch copy element {
        case .element(let value): downstream.receive(value, at: time)
        case .completion(let completion): finish(completion)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if !isFinished { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("dematerialize")
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }
}
