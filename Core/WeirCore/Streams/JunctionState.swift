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

    /// Takes note that no input will send an element older than `watermark`.
    ///
    /// - Parameter watermark: The earliest of the watermarks of the inputs that have not finished; after the last one.
    mutating func advance(to watermark: Timestamp)

    /// Takes note of one input's watermark, before that of all; does nothing unless the operator says otherwise.
    ///
    /// - Parameters:
    ///   - input: The position of the input.
    ///   - watermark: The input's watermark; after its last one.
    mutating func advance(_ input: Int, to watermark: Timestamp)

    /// Takes note that an input has said everything; goes on unless the operator says otherwise.
    ///
    /// - Parameter input: The position of the input.
    /// - Returns: Whether that ends the whole stream: then ``finish(_:)`` is next.
    mutating func finishInput(_ input: Int) -> Bool

    /// Takes note that nothing follows: all inputs have finished, or one has failed.
    ///
    /// - Parameter completion: How it ended.
    mutating func finish(_ completion: Completion)
}

extension JunctionState {
    @inlinable
    public mutating func advance(_ input: Int, to watermark: Timestamp) {}

    @inlinable
    public mutating func finishInput(_ input: Int) -> Bool { false }
}
