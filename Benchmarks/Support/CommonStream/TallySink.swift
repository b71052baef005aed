public import WeirCore

/// Counts the elements and sums them up.
@frozen
public struct TallySink<Input: Tallied>: Sink {
    @usableFromInline let result: TallyResult
    @usableFromInline var tally = Tally()

    /// Creates a sink.
    ///
    /// - Parameter result: Where the tally is left at the end.
    @inlinable
    public init(_ result: TallyResult) {
        self.result = result
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        tally.add(element.number)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}
