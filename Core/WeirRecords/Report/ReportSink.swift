public import WeirCore

/// Draws each element on a report.
public struct ReportSink<Input: Sendable>: Sink {
    private let draw: @Sendable (Input, Timestamp) -> Void

    /// Creates a sink to attach beside the plugin's own pipeline.
    ///
    /// - Parameter draw: Called for each element with its time.
    public init(_ draw: @escaping @Sendable (_ element: Input, _ time: Timestamp) -> Void) {
        self.draw = draw
    }

    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        draw(copy element, time)
    }

    public mutating func advance(to watermark: Timestamp) {}

    public mutating func finish(_ completion: Completion) {}

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
