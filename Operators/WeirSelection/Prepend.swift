public import WeirCore

extension EventStream {
    /// Begins with other elements.
    ///
    ///     readings.prepend([.zero]) { _ in start }
    ///
    /// Emits the given elements, with their times, when the first signal of the stream comes, before that; then the
    /// elements of the stream, when they arrive. So they come on the thread of the stream, and once, also after a restart.
    /// `Values(...).concat(stream)` emits them while a sink is being attached. Remembers whether they were emitted.
    /// Watermarks and the completion pass; a stream without elements has the given ones.
    ///
    /// - Parameters:
    ///   - elements: The elements, in the order to emit them in.
    ///   - time: The event time of an element; called once for each.
    /// - Returns: The given elements and those of the stream.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func prepend(_ elements: [Element], at time: (Element) -> Timestamp) -> Prepend<Self> {
        Prepend(self, elements.map { ($0, time($0)) })
    }

    /// Goes on with other elements at the end.
    ///
    ///     readings.append([.zero]) { _ in now }
    ///
    /// Emits the elements of the stream when they arrive, and the given ones, with their times, when it has finished; not
    /// when it broke off. Remembers nothing. Watermarks pass, and the completion after the elements.
    ///
    /// - Parameters:
    ///   - elements: The elements, in the order to emit them in.
    ///   - time: The event time of an element; called once for each.
    /// - Returns: The elements of the stream and the given ones.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func append(_ elements: [Element], at time: (Element) -> Timestamp) -> Append<Self> {
        Append(self, elements.map { ($0, time($0)) })
    }
}

extension EventStream where Element: Event {
    /// Begins with other events.
    ///
    ///     readings.prepend(.zero)
    ///
    /// As `prepend(_:at:)`, with the times of the events.
    ///
    /// - Parameter events: The events, in the order to emit them in.
    /// - Returns: The given events and those of the stream.
    /// - Complexity: O(1) per event, without allocation.
    @inlinable
    public func prepend(_ events: Element...) -> Prepend<Self> {
        prepend(events) { $0.timestamp }
    }

    /// Goes on with other events at the end.
    ///
    ///     readings.append(.zero)
    ///
    /// As `append(_:at:)`, with the times of the events.
    ///
    /// - Parameter events: The events, in the order to emit them in.
    /// - Returns: The events of the stream and the given ones.
    /// - Complexity: O(1) per event, without allocation.
    @inlinable
    public func append(_ events: Element...) -> Append<Self> {
        append(events) { $0.timestamp }
    }
}

/// Given elements and then those of a stream; made by `prepend`.
@frozen
public struct Prepend<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let elements: [(Element, Timestamp)]

    @inlinable
    init(_ upstream: Upstream, _ elements: [(Element, Timestamp)]) {
        self.upstream = upstream
        self.elements = elements
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(PrependSink(elements, sink))
    }
}

extension Prepend: GroupableStream where Upstream: GroupableStream {}

/// The elements of a stream and then given ones; made by `append`.
@frozen
public struct Append<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let elements: [(Element, Timestamp)]

    @inlinable
    init(_ upstream: Upstream, _ elements: [(Element, Timestamp)]) {
        self.upstream = upstream
        self.elements = elements
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(AppendSink(elements, sink))
    }
}

extension Append: GroupableStream where Upstream: GroupableStream {}

/// Emits elements before the first signal.
@frozen
@usableFromInline
struct PrependSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let elements: [(Input, Timestamp)]
    @usableFromInline var hasBegun = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ elements: [(Input, Timestamp)], _ downstream: consuming Downstream) {
        self.elements = elements
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if !hasBegun { begin() }
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if !hasBegun { begin() }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if !hasBegun { begin() }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("prepend")
        try state.exchange(&hasBegun)
        try downstream.exchangeState(&state)
    }

    @inlinable
    @inline(never)
    mutating func begin() {
        hasBegun = true
        for (element, time) in elements { downstream.receive(element, at: time) }
    }
}

/// Emits elements before the end.
@frozen
@usableFromInline
struct AppendSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let elements: [(Input, Timestamp)]
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ elements: [(Input, Timestamp)], _ downstream: consuming Downstream) {
        self.elements = elements
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            for (element, time) in elements { downstream.receive(element, at: time) }
        }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
