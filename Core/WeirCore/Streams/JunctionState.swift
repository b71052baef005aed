/// What an operator with several inputs does and remembers; driven by a ``Junction``.
///
/// Like a sink, it is a value that one thread at a time works on, and holds the sink behind it as a value.
public protocol JunctionState: Sendable {
    /// An element of any of the inputs; for two inputs of different types an ``Either``.
    associatedtype Signal: Sendable

    /// Takes an element.
    ///
    /// - Parameters:
    ///   - signal: The element.
    ///   - input: The position of the input that it came from.
    ///   - time: The element's event time.
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp)

    /// Called when no input will send an element older than `watermark` any more.
    ///
    /// - Parameter watermark: The earliest of the watermarks of the inputs that have not finished; after the last one.
    mutating func advance(to watermark: Timestamp)

    /// Called with one input's watermark, before that of all inputs; the default does nothing.
    ///
    /// - Parameters:
    ///   - input: The position of the input.
    ///   - watermark: The input's watermark; after its last one.
    mutating func advance(_ input: Int, to watermark: Timestamp)

    /// Called when all inputs that have not finished have become idle, and when one of them no longer is; the default does
    /// nothing.
    ///
    /// - Parameter isIdle: Whether the streams behind need not wait for this one.
    mutating func setIdle(_ isIdle: Bool)

    /// Called when an input has finished; by default the stream goes on.
    ///
    /// - Parameter input: The position of the input.
    /// - Returns: Whether that ends the whole stream: then ``finish(_:)`` is next.
    mutating func finishInput(_ input: Int) -> Bool

    /// Called once at the end of the stream: all inputs have finished, or one has failed.
    ///
    /// - Parameter completion: How it ended.
    mutating func finish(_ completion: Completion)

    /// Saves what the operator remembers, or gives it back, and passes the call on to the sink behind it; see
    /// ``Sink/exchangeState(_:)``.
    ///
    /// - Parameter state: Takes the fields, and says what goes on.
    /// - Throws: What `state` throws.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension JunctionState {
    @inlinable
    public mutating func advance(_ input: Int, to watermark: Timestamp) {}

    @inlinable
    public mutating func setIdle(_ isIdle: Bool) {}

    @inlinable
    public mutating func finishInput(_ input: Int) -> Bool { false }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        throw .unsaveable(operator: TypeLayout.baseName(Self.self))
    }
}
