import Testing
import WeirCore
import WeirRecords
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
        #expect(chart.lineCount == Report.Limit.lines + 1)
        #expect(chart.marks.count == Report.Limit.marks / 2 + 1, "neighbours are joined when there are too many")
        #expect(chart.markCount == Report.Limit.marks + 2)
        #expect((Report.Limit.marks / 2...Report.Limit.marks).contains(chart.bands.count))
        #expect(chart.bandCount == Report.Limit.marks + 2, "the last one is still open")
    }

    /// As many marks in each tenth of the time, and both kinds of marks that alternate.
    @Test func manyMarksAreSampledEvenly() {
        for count in [1, 2_000, 2_001, 30_000, 123_457] {
            let chart = Report().chart("")
            for number in 0..<count { chart.mark(number % 2 == 0 ? "even" : "odd", at: second(number)) }
            let marks = chart.marks
            #expect(chart.markCount == count)
            #expect(marks.count <= Report.Limit.marks)
            #expect(marks.count >= min(count, Report.Limit.marks / 2))
            #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.time < $1.time })
            guard count > Report.Limit.marks else { continue }
            var tenths = [Int](repeating: 0, count: 10)
            for mark in marks {
                let number = Int(mark.time.nanosecondsSinceEpoch / 1_000_000_000)
                tenths[10 * number / count] += 1
            }
            #expect(tenths.allSatisfy { abs($0 - marks.count / 10) <= 2 }, "\(tenths)")
            let evenShare = Double(marks.count { $0.label == "even" }) / Double(marks.count)
            #expect((0.4...0.6).contains(evenShare))
        }
    }

    /// Also where values are joined into stretches: a gap is as long as it was.
    @Test(arguments: [20, 5_000, 60_000])
    func aLineIsCutAtItsGaps(count: Int) throws {
        for seed in 0..<10 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let line = ReportLine(name: "x")
            let stepped = ReportLine(name: "x", isStepped: true)
            let afterGap = Set((0..<3).map { _ in Int.random(in: 8..<count, using: &generator) })
            var now = 0
            var starts: [Int] = []
            for number in 0..<count {
                // Gaps of 11 s and more, and intervals of up to 2 s, which are none.
                now +=
                    afterGap.contains(number)
                    ? Int.random(in: 21...400, using: &generator) : Int.random(in: 1...2, using: &generator)
                if afterGap.contains(number) { starts.append(now) }
                line.add(Double(number % 7), at: second(now))
                stepped.add(Double(number % 7), at: second(now))
            }
            let pieces = line.pieces()
            #expect(pieces.flatMap { $0 } == line.points(), "seed \(seed)")
            #expect(pieces.allSatisfy { !$0.isEmpty }, "seed \(seed)")
            // Two gaps that are close to each other may be in one stretch, and a piece may begin a few values later.
            #expect(pieces.count <= starts.count + 1, "seed \(seed)")
            if count <= 2 * Report.Limit.stretches {
                let found = pieces.dropFirst().map { Int($0[0].time.nanosecondsSinceEpoch / 1_000_000_000) }
                #expect(found == starts, "seed \(seed)")
            } else {
                #expect(pieces.count > 1, "seed \(seed)")
            }
            #expect(stepped.pieces().count == 1, "seed \(seed): a value holds until the next")
        }
    }

    @Test func fewValuesAndEqualTimesHaveNoGaps() {
        let few = ReportLine(name: "x")
        for time in [1, 2, 3, 900] { few.add(1, at: second(time)) }
        #expect(few.pieces().count == 1)
        let equal = ReportLine(name: "x")
        for _ in 0..<100 { equal.add(1, at: second(1)) }
        #expect(equal.pieces().count == 1)
        #expect(ReportLine(name: "x").pieces() == [[]])
        let wide = ReportLine(name: "x")
        for _ in 0..<9 {
            wide.add(1, at: .distantPast)
            wide.add(1, at: .distantFuture)
        }
        #expect(wide.pieces().flatMap { $0 }.count == wide.points().count)
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
        #expect(report.coverages.map { [$0.drawn, $0.total] } == [[2, 3]])
        #expect(charts[Report.Limit.charts] == nil)
        #expect(report.coverages.map { [$0.drawn, $0.total] } == [[2, Report.Limit.charts + 1]])
        #expect(report.charts.map(\.title) == ["2", "0"])
    }
}
