/// Where a workload stands in a chart of cost per element against the size of something.
public struct ChartPoint: Sendable, Hashable, Codable {
    /// What grows along the horizontal axis, such as "keys"; a chart of its own for each.
    public let axis: String

    /// Which of the chart's lines the point belongs to, such as "Weir".
    public let series: String

    /// How many there are; above zero, since the axes are logarithmic.
    public let size: Double

    /// Creates a point.
    ///
    /// - Parameters:
    ///   - axis: What grows along the horizontal axis.
    ///   - series: Which of the chart's lines the point belongs to.
    ///   - size: How many there are; above zero.
    public init(_ axis: String, _ series: String, _ size: Double) {
        precondition(size > 0, "a logarithmic axis has no place for \(size)")
        self.axis = axis
        self.series = series
        self.size = size
    }
}
