internal import WeirCore

/// A chart of each group, made when its first element comes, for the first groups only; how many groups that leaves out
/// is on the report too.
///
/// Thread safety: any thread.
public final class ReportCharts<Drawing: Sendable>: Sendable {
    private struct State {
        var drawings: [Drawing?] = []
        var groupCount = 0
        var drawnCount = 0
    }

    private let report: Report
    private let name: String
    private let make: @Sendable (_ report: Report, _ group: Int) -> Drawing
    private let state = Locked(State())

    /// Makes charts on a report.
    ///
    /// - Parameters:
    ///   - report: Where to draw.
    ///   - name: What the groups are, as a plural.
    ///   - make: Makes the charts of a group, by the group's index.
    public init(
        on report: Report,
        of name: String = "recordings",
        make: @escaping @Sendable (_ report: Report, _ group: Int) -> Drawing
    ) {
        self.report = report
        self.name = name
        self.make = make
    }

    /// What to draw a group on.
    ///
    /// - Parameter group: The group's index; groups are numbered from zero.
    /// - Returns: `nil` for groups beyond ``Report/Limit/charts``.
    /// - Complexity: O(1).
    public subscript(group: Int) -> Drawing? {
        state.withLock { state in
            if group >= state.groupCount {
                state.groupCount = group + 1
                report.cover(name, drawn: state.drawnCount, of: state.groupCount)
            }
            guard group < Report.Limit.charts else { return nil }
            while state.drawings.count <= group { state.drawings.append(nil) }
            if let drawing = state.drawings[group] { return drawing }
            let refused = report.refusedChartCount
            let drawing = make(report, group)
            // A group has one chart or several; one that lacks a chart does not count as drawn.
            if report.refusedChartCount == refused { state.drawnCount += 1 }
            report.cover(name, drawn: state.drawnCount, of: state.groupCount)
            state.drawings[group] = drawing
            return drawing
        }
    }
}
