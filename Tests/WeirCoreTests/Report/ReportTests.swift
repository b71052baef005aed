import Testing
import WeirCore
import WeirTesting

@Suite struct ReportTests {
    private func second(_ number: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(number)) }

    /// Whatever is left out, the extremes of each stretch are there, at their times.
    @Test func aLineKeepsItsExtremes() {
        for seed in 0..<30 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let line = ReportLine(name: "x")
            let count = Int.random(in: 0..<20_000, using: &generator)
            var added: [Double] = []
            for number in 0..<count {
                let value = Double.random(in: -1...1, using: &generator)
                line.add(value, at: second(number))
                added.append(value)
            }
            line.add(.nan, at: second(count))
            line.add(-.infinity, at: second(count))
            for limit in [2, 100, .max] {
                let points = line.points(limit: limit)
                let isRight =
                    points.allSatisfy { added[Int($0.time.nanosecondsSinceEpoch / 1_000_000_000)] == $0.value }
                    && zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time }
                    && points.map(\.value).max() == added.max()
                    && points.map(\.value).min() == added.min()
                    && points.count <= min(limit, 4 * Report.Limit.stretches)
                #expect(isRight, "seed \(seed), \(count) values, limit \(limit)")
            }
            #expect(line.count == UInt64(count))
        }
    }

    @Test func whatFindsNoRoomIsCounted() {
        let report = Report()
        for _ in 0..<Report.Limit.charts + 3 { _ = report.chart("") }
        #expect(report.charts.count == Report.Limit.charts)
        #expect(report.refusedChartCount == 3)
        for number in 0..<Report.Limit.matches + 5 { report.addMatch([UInt8(number % 256)], at: nil) }
        #expect(report.matches.count == Report.Limit.matches)
        #expect(report.matchCount == UInt64(Report.Limit.matches + 5))
        let chart = report.charts[0]
        for _ in 0..<Report.Limit.lines + 1 { _ = chart.line("") }
        for number in 0..<Report.Limit.marks + 2 {
            chart.mark("", at: second(number))
            chart.startBand("", at: second(number), look: .good)
        }
        #expect(chart.lines.count == Report.Limit.lines)
        #expect(chart.marks.count == Report.Limit.marks)
        // The last band is still open, and has no room either.
        #expect(chart.bands.count == Report.Limit.marks)
        #expect(chart.refusedCount == 1 + 2 + 2)
    }

    @Test func aBandLastsUntilTheNextOrTheYoungestValue() {
        let report = Report()
        let chart = report.chart("")
        let line = chart.line("")
        chart.startBand("walk", at: second(1), look: .good)
        #expect(chart.bands.isEmpty, "nothing says how long it lasts")
        line.add(1, at: second(5))
        #expect(chart.bands.map(\.end) == [second(5)])
        chart.startBand("stop", at: second(7), look: .bad)
        #expect(chart.bands.map(\.label) == ["walk", "stop"])
        #expect(chart.bands.map(\.start) == [second(1), second(7)])
        #expect(chart.bands.map(\.end) == [second(7), second(7)])
        chart.mark("!", at: second(9))
        #expect(chart.bands.map(\.end) == [second(7), second(9)])
    }

    @Test func aChartIsMadeForEachOfTheFirstGroups() {
        let report = Report()
        let charts = ReportCharts(on: report) { report, group in report.chart("\(group)") }
        #expect(charts[2]?.title == "2")
        #expect(charts[0]?.title == "0")
        #expect(charts[2] === report.charts[0])
        #expect(charts[Report.Limit.charts] == nil)
        #expect(report.charts.map(\.title) == ["2", "0"])
    }
}
