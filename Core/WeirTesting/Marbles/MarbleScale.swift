public import WeirCore

/// The event times of the columns of a marble diagram.
public struct MarbleScale: Sendable, Hashable {
    /// The time of the first column.
    public var start: Timestamp

    /// How much later the next column is.
    public var step: Duration

    /// Creates a scale.
    ///
    /// - Parameters:
    ///   - start: The time of the first column.
    ///   - step: How much later the next column is; at least a nanosecond.
    public init(from start: Timestamp = .epoch, step: Duration = .seconds(1)) {
        precondition(step.wholeNanoseconds > 0, "the columns of a diagram need a duration between them, not \(step)")
        self.start = start
        self.step = step
    }

    /// The time of a column.
    ///
    /// - Parameters:
    ///   - column: The column, from 0; negative ones are before the start.
    ///   - nanoseconds: How much later than the column.
    /// - Returns: The time; the first or the last one where it would be beyond the range of times.
    public func time(of column: Int, plus nanoseconds: Int64 = 0) -> Timestamp {
        start.shifted(byNanoseconds: Nanoseconds.product(Int64(column), step.wholeNanoseconds))
            .shifted(byNanoseconds: nanoseconds)
    }

    /// The column that is nearest to a time, and how much later the time is; `nil` where it is out of all range.
    func column(of time: Timestamp) -> (column: Int, plus: Int64)? {
        let step = step.wholeNanoseconds
        let (distance, overflow) = time.nanosecondsSinceEpoch.subtractingReportingOverflow(start.nanosecondsSinceEpoch)
        guard !overflow, distance.magnitude < .max / 4 else { return nil }
        var (column, rest) = distance.quotientAndRemainder(dividingBy: step)
        if rest.magnitude > step.magnitude / 2 {
            let sign = rest.signum()
            column += sign
            rest -= sign * step
        }
        return (Int(column), rest)
    }
}
