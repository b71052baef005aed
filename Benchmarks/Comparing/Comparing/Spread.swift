/// The middle and the ends of some values.
public struct Spread: Sendable {
    public let median: Double
    public let least: Double
    public let greatest: Double

    /// Creates the spread of some values.
    ///
    /// - Parameter values: At least one.
    public init(of values: [Double]) {
        precondition(!values.isEmpty, "no values have no spread")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = sorted[0]
        greatest = sorted[sorted.count - 1]
    }
}
