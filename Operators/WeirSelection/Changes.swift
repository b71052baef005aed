public import WeirCore

extension EventStream {
    /// Drops consecutive elements with equal keys.
    ///
    ///     readings.changes(of: \.station)
    ///     readings.changes(of: { $0.celsius.rounded() })
    ///
    /// Emits the first element, and each that differs from its predecessor, when it arrives, with its time. Remembers
    /// the value of one element. Watermarks and the completion pass.
    ///
    /// - Parameter value: What to compare, as a key path or a function; called once for each element.
    /// - Returns: The elements whose value differs from that of their predecessor.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func changes<Value: Equatable & Sendable>(
        of value: @escaping @Sendable (Element) -> Value
    ) -> Changes<Self, Value> {
        Changes(self, value)
    }
}

extension EventStream where Element: Equatable {
    /// Drops consecutive equal elements.
    ///
    ///     states.changes()
    ///
    /// Emits the first element, and each that differs from its predecessor, when it arrives, with its time. Remembers
    /// one element. Watermarks and the completion pass.
    ///
    /// - Returns: The elements without their repetitions.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func changes() -> Changes<Self, Element> {
        Changes(self) { $0 }
    }
}

/// The elements of a stream whose key differs from that of their predecessor; made by `changes`.
@frozen
public struct Changes<Upstream: EventStream, Value: Equatable & Sendable>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let value: @Sendable (Element) -> Value

    @inlinable
    init(_ upstream: Upstream, _ value: @escaping @Sendable (Element) -> Value) {
        self.upstream = upstream
        self.value = value
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ChangesSink(value, sink))
    }
}

extension Changes: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements whose key differs from that of their predecessor.
@frozen
@usableFromInline
struct ChangesSink<Value: Equatable & Sendable, Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let value: @Sendable (Input) -> Value
    @usableFromInline var previous: Value?
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ value: @escaping @Sendable (Input) -> Value, _ downstream: consuming Downstream) {
        self.value = value
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let current = value(element)
        guard current != previous else { return }
        previous = current
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        previous = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("changes")
        try state.exchange(&previous)
        try downstream.exchangeState(&state)
    }
}
