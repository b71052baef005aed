internal import WeirCore
internal import WeirRecords

/// What a report shows of shakes: the three axes of each group, with the shakes marked.
struct ShakeDrawing: Sendable {
    private struct Chart: Sendable {
        let chart: ReportChart
        let x, y, z: ReportLine
    }

    private let charts: ReportCharts<Chart>

    init(_ report: Report, unit: AccelerationUnit, groups: SymbolTable?) {
        charts = ReportCharts(on: report) { report, group in
            let name = groups.map { ": " + $0.name(of: group) } ?? ""
            let chart = report.chart("Acceleration" + name, unit: unit.rawValue)
            return Chart(chart: chart, x: chart.line("x"), y: chart.line("y"), z: chart.line("z"))
        }
    }

    /// A sink that draws the readings.
    func sink() -> ReportSink<Reading> {
        ReportSink { [self] reading, time in
            guard let chart = chart(of: reading.group) else { return }
            chart.x.add(reading.x, at: time)
            chart.y.add(reading.y, at: time)
            chart.z.add(reading.z, at: time)
        }
    }

    func mark(_ shake: Shake) {
        chart(of: shake.current.group)?.chart.mark("shake on \(shake.axis.rawValue)", at: shake.timestamp)
    }

    /// The chart of a group; none for one in the place of another, which has a chart of its own name.
    private func chart(of group: Symbol) -> Chart? { group.generation == 0 ? charts[group.index] : nil }
}
