/// A chart of each group, made when its first element comes, for the first groups only.
///
/// Thread safety: any thread.
public final class ReportCharts<Drawing: Sendable>: Sendable {
    private let report: Report
    private let make: @Sendable (_ report: Report, _ group: Int) -> Drawing
    private let drawings = Locked<[Drawing?]>([])

    /// Makes charts on a report.
    ///
    /// - Parameters:
    ///   - report: Where to draw.
    ///   - make: Makes the chart of a group, by the group's index.
    public init(on report: Report, make: @escaping @Sendable (_ report: Report, _ group: Int) -> Drawing) {
        self.report = report
        self.make = make
    }

    /// What to draw a group on.
    ///
    /// - Parameter group: The group's index.
    /// - Returns: `nil` for groups beyond ``Report/Limit/charts``.
    /// - Complexity: O(1).
    public subscript(group: Int) -> Drawing? {
        guard group < Report.Limit.charts else { return nil }
        return drawings.withLock { drawings in
            while drawings.count <= group { drawings.append(nil) }
            if let drawing = drawings[group] { return drawing }
            let drawing = make(report, group)
            drawings[group] = drawing
            return drawing
        }
    }
}
