/// What a measured value counts.
public enum Unit: Sendable, Hashable {
    /// Nanoseconds per element.
    case nanosecondsPerElement
    /// Millions of elements per second, measured as nanoseconds per element.
    case millionsPerSecond
    /// Something that is counted as it is, such as bytes.
    case plain(String)

    /// The unit's symbol.
    public var symbol: String {
        switch self {
        case .nanosecondsPerElement: "ns"
        case .millionsPerSecond: "M/s"
        case .plain(let symbol): symbol
        }
    }

    /// The value to show for a cost.
    ///
    /// - Parameter cost: What the workload measured: less is better, whatever the unit.
    /// - Returns: The cost in this unit.
    public func value(ofCost cost: Double) -> Double {
        switch self {
        case .millionsPerSecond: 1000 / cost
        case .nanosecondsPerElement, .plain: cost
        }
    }
}
