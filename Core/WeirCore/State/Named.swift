extension EventStream {
    /// Names what follows in checkpoints, so that it is found again in a pipeline that has changed.
    ///
    ///     readings.named("count").scan(into: 0) { count, _ in count += 1 }
    ///
    /// Operators of one kind are told apart by their order otherwise: a second `scan` before the first would get its state.
    /// Emits every element when it arrives, with its time. Remembers nothing. Watermarks and the completion pass.
    ///
    /// - Parameter name: Different from those of the other parts of the pipeline.
    /// - Returns: The same elements.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func named(_ name: String) -> Named<Self> {
        Named(self, name)
    }
}

/// A stream behind which everything has a name in checkpoints; made by `named`.
@frozen
public struct Named<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let name: String

    @inlinable
    init(_ upstream: Upstream, _ name: String) {
        self.upstream = upstream
        self.name = name
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(NamedSink(name, sink))
    }
}

extension Named: GroupableStream where Upstream: GroupableStream {}

/// Passes everything on, under a name.
@frozen
@usableFromInline
struct NamedSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let name: String
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ name: String, _ downstream: consuming Downstream) {
        self.name = name
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
        downstream.finish(completion)
    }

    @inlinable var wantsPrefetch: Bool { downstream.wantsPrefetch }

    @inlinable
    func prefetch(for element: borrowing Input, isNear: Bool) {
        downstream.prefetch(for: element, isNear: isNear)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.named(name) { state throws(StateError) in try downstream.exchangeState(&state) }
    }
}
