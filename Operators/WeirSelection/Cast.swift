public import WeirCore

extension EventStream {
    /// Emits the elements of a type, as elements of that type.
    ///
    ///     let quakes = signals.cast(to: Quake.self)
    ///     quakes.refused.count  // the signals that were no quakes
    ///
    /// Emits an element when it arrives, with its time. Remembers nothing. Elements of another type go to the stream's
    /// side output ``Cast/refused``. Watermarks and the completion pass.
    ///
    /// - Parameter type: The type to cast to.
    /// - Returns: The elements that are of the type.
    /// - Complexity: O(1) per element: one dynamic cast, which may allocate when a value is put into or taken out of an
    ///   existential.
    @inlinable
    public func cast<Output: Sendable>(to type: Output.Type) -> Cast<Self, Output> {
        Cast(self)
    }
}

/// The elements of a stream that are of a type; made by `cast(to:)`.
@frozen
public struct Cast<Upstream: EventStream, Element: Sendable>: EventStream {
    @usableFromInline let upstream: Upstream

    /// The elements that are of another type.
    public let refused: SideOutput<Upstream.Element>

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(CastSink(refused, sink))
    }
}

extension Cast: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements of a type.
@frozen
@usableFromInline
struct CastSink<Input: Sendable, Downstream: Sink>: Sink {
    @usableFromInline let refused: SideOutput<Input>
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ refused: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        if let output = element as? Downstream.Input {
            downstream.receive(output, at: time)
        } else {
            refused.send(element, at: time)
        }
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
        try state.begin("cast")
        try state.exchange(refused)
        try downstream.exchangeState(&state)
    }
}
