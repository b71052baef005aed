/// A sink behind closures that were formed where its type was known.
///
/// For operators that keep many sinks of a type that they do not know, such as one pipeline per key.
public final class SinkHandle<Input: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: a handle belongs to one operator, which is driven by one thread at a time; the
    // sink that the closures work on is itself `Sendable`.

    @usableFromInline let receiveElement: (Input, Timestamp) -> Void

    /// Takes a watermark.
    public let advance: (Timestamp) -> Void

    /// Takes the end of the stream.
    public let finish: (Completion) -> Void

    @usableFromInline let exchange: (inout StateExchange) throws(StateError) -> Void

    /// Puts a sink behind closures, to be used by one thread at a time, like the sink itself.
    ///
    /// - Parameter sink: The sink.
    @inlinable
    public init<S: Sink>(_ sink: consuming S) where S.Input == Input {
        let box = SharedCell(driven: sink)
        receiveElement = { element, time in unsafe box.pointer.pointee.receive(element, at: time) }
        advance = { watermark in unsafe box.pointer.pointee.advance(to: watermark) }
        finish = { completion in unsafe box.pointer.pointee.finish(completion) }
        exchange = { state throws(StateError) in unsafe try box.pointer.pointee.exchangeState(&state) }
    }

    /// The closures of a handle, made together so that they can share what is not `Sendable`.
    package typealias Closures = (
        receive: (Input, Timestamp) -> Void, advance: (Timestamp) -> Void, finish: (Completion) -> Void,
        exchange: (inout StateExchange) throws(StateError) -> Void
    )

    /// Creates a handle of closures that share state which is confined to them.
    ///
    /// - Parameter make: Makes the closures and their state; it captures nothing that is not `Sendable`, so no other
    ///   code can refer to the state.
    package init(confining make: @Sendable () -> Closures) {
        (receiveElement, advance, finish, exchange) = make()
    }

    /// Takes one element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    @inlinable
    public func receive(_ element: Input, _ time: Timestamp) {
        // The caller holds the handle; called as a property, the closure would be retained and released each time.
        unsafe Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef { $0.receiveElement(element, time) }
    }

    /// Saves the state of the sink, or gives it back.
    ///
    /// - Parameter state: Takes the fields.
    /// - Throws: What the sink throws.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try exchange(&state)
    }
}
