internal import WeirCore

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
        ReportSink { [charts] reading, time in
            guard let chart = charts[reading.group.index] else { return }
            chart.x.add(reading.x, at: time)
            chart.y.add(reading.y, at: time)
            chart.z.add(reading.z, at: time)
        }
    }

    func mark(_ shake: Shake) {
        charts[shake.current.group.index]?.chart.mark("shake on \(shake.axis.rawValue)", at: shake.timestamp)
    }
}
