public import WeirCore

/// Counts the elements.
@frozen
public struct CountSink<Input: Sendable>: Sink {
    @usableFromInline let result: TallyResult
    @usableFromInline var count = 0

    /// Creates a sink.
    ///
    /// - Parameter result: Where the count is left at the end, without a sum.
    @inlinable
    public init(_ result: TallyResult) {
        self.result = result
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        count += 1
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finish(_ completion: Completion) {
        result.tally = Tally(count: count)
    }
}
