internal import WeirRecords

/// What a report shows of walking: speed and steps of each person, with the background blue while they walk and red
/// while they do not.
struct WalkDrawing: Sendable {
    private struct Charts: Sendable {
        let speedChart, stepsChart: ReportChart
        let speed, steps: ReportLine
    }

    private let charts: ReportCharts<Charts>

    init(_ report: Report, groups: SymbolTable?) {
        charts = ReportCharts(on: report) { report, group in
            let name = groups.map { ": " + $0.name(of: group) } ?? ""
            let speedChart = report.chart("Speed" + name, unit: "m/s")
            let stepsChart = report.chart("Steps" + name)
            return Charts(
                speedChart: speedChart,
                stepsChart: stepsChart,
                speed: speedChart.line("speed"),
                steps: stepsChart.line("steps")
            )
        }
    }

    /// A sink that draws the steps.
    func sink() -> ReportSink<Movement> {
        ReportSink { [self] movement, time in
            guard let steps = movement.steps else { return }
            charts(of: movement.group)?.steps.add(steps, at: time)
        }
    }

    /// The charts of a group; none for one in the place of another, which has charts of its own name.
    private func charts(of group: Symbol) -> Charts? { group.generation == 0 ? charts[group.index] : nil }

    /// Draws what was found out at a time: the speed, and whether the person walks.
    func draw(_ gait: Gait, isChange: Bool) {
        guard let charts = charts(of: gait.group) else { return }
        charts.speed.add(gait.speed, at: gait.timestamp)
        guard isChange else { return }
        let (label, look) = gait.isWalking ? ("walking", ReportChart.Look.good) : ("not walking", .bad)
        for chart in [charts.speedChart, charts.stepsChart] { chart.startBand(label, at: gait.timestamp, look: look) }
    }
}
