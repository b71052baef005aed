public import WeirCore

/// Counts the elements and remembers the last.
@frozen
public struct LastValueSink: Sink {
    @usableFromInline let result: TallyResult
    @usableFromInline var tally = Tally()

    /// Creates a sink.
    ///
    /// - Parameter result: Where the count and the last element are left at the end, the element as the sum.
    @inlinable
    public init(_ result: TallyResult) {
        self.result = result
    }

    @inlinable
    public mutating func receive(_ element: borrowing Double, at time: Timestamp) {
        tally.count += 1
        tally.sum = copy element
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}
