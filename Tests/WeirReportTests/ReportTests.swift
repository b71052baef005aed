import Foundation
import Testing
import WeirCore
import WeirReport

@Suite struct ReportTests {
    private func time(_ milliseconds: Int) -> Timestamp { .epoch + .milliseconds(milliseconds) }

    /// Whatever is thinned out, the least and the greatest value of the whole and of each stretch remain, at their times.
    @Test func thinningKeepsMinimaAndMaxima() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let count = [1, 2, 3, 100, 2_048, 2_049, 30_000][Int(random.next() % 7)]
            let values = (0..<count).map { _ in Double(random.next() % 1_000) * (random.next() % 500 == 0 ? 50 : 1) }
            let report = Report()
            let line = report.chart("c").line("l")
            for (index, value) in values.enumerated() { line.add(value, at: time(index)) }
            line.add(.nan, at: time(count))
            line.add(.infinity, at: time(count))
            for limit in [Int.max, 1_000, 16, 2] {
                let points = line.points(limit: limit)
                #expect(points.count <= max(2, min(limit, 2 * 2 * Report.Limit.stretches)), "seed \(seed)")
                #expect(points.map(\.value).min() == values.min(), "seed \(seed)")
                #expect(points.map(\.value).max() == values.max(), "seed \(seed)")
                #expect(zip(points, points.dropFirst()).allSatisfy { $0.time <= $1.time }, "seed \(seed)")
                for point in points {
                    let index = Int(point.time.nanosecondsSinceEpoch / 1_000_000)
                    #expect(values[index] == point.value, "seed \(seed)")
                }
                // The least of every stretch of the input that the points between two others stand for.
                let stretch = 4 * values.count / max(1, points.count) + 4
                for start in stride(from: 0, to: values.count, by: max(1, stretch)) {
                    let end = min(values.count, start + stretch)
                    let near = points.filter { $0.time >= time(start) && $0.time < time(end) }
                    if end - start == stretch { #expect(!near.isEmpty, "seed \(seed)") }
                }
            }
        }
    }

    @Test func aRankingKeepsWhatMattersMost() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let weights = (0..<Int(random.next() % 200)).map { _ in Double(random.next() % 50) }
            let ranking = Report().ranking("r", columns: ["number"])
            for (index, weight) in weights.enumerated() {
                ranking.add(weight: weight, at: time(index)) { ["\(index)"] }
                ranking.add(weight: .nan, at: time(index)) { ["nan"] }
            }
            let expected = weights.enumerated().sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
                .prefix(Report.Limit.rows)
            #expect(ranking.rows.map(\.cells) == expected.map { ["\($0.offset)"] }, "seed \(seed)")
        }
    }

    /// As much of everything as a report takes, all of it as long as it can be.
    @Test func aPageIsSmallWhateverItShows() throws {
        let report = Report()
        let name = String(repeating: "<ä", count: 2_000)
        for _ in 0..<Report.Limit.charts + 3 {
            let chart = report.chart(name, unit: name)
            for _ in 0..<Report.Limit.lines + 3 {
                let line = chart.line(name)
                for index in 0..<300 {
                    line.add(
                        -1.0 / 3.0 * 1e-300 * Double(index),
                        at: Timestamp(nanosecondsSinceEpoch: .max - 1 - Int64(index))
                    )
                }
            }
            for index in 0..<Report.Limit.marks + 3 {
                chart.mark(name, at: time(index))
                chart.startBand(name, at: time(index), look: .bad)
            }
        }
        for _ in 0..<9 {
            let ranking = report.ranking(name, columns: [name, name, name])
            for index in 0..<90 { ranking.add(weight: Double(index), at: time(index)) { [name, name, name] } }
        }
        for index in 0..<2_000 { report.addMatch(Array(#"{"text":"<<<<<<<<<<<<<<<<<<<<"}"#.utf8), at: time(index)) }
        report.addMatch(Array(#"{"text":"\#(name)\#(name)\#(name)"}"#.utf8), at: nil)
        var page = ReportPage(title: name, of: report)
        page.facts = [(name, name)]
        page.rejections = (0..<200).map { (UInt64($0), name) }
        page.rejectedCount = 5_000
        let html = page.html()
        #expect(html.count < 500_000)
        let text = String(decoding: html, as: UTF8.self)
        let start = try #require(text.firstRange(of: #"id="data">"#)?.upperBound)
        let end = try #require(text[start...].firstRange(of: "</script>")?.lowerBound)
        #expect(!text[start..<end].contains("<"))
        let data = try #require(JSONSerialization.jsonObject(with: Data(text[start..<end].utf8)) as? [String: Any])
        let charts = try #require(data["charts"] as? [[String: Any]])
        #expect(charts.count == Report.Limit.charts)
        // What there is no room for is counted.
        for chart in charts {
            let drawn = ["marks", "bands"].reduce(0) { $0 + ((chart[$1] as? [Any])?.count ?? 0) }
            #expect(drawn + (chart["refused"] as? Int ?? 0) == 2 * (Report.Limit.marks + 3) + 3)
        }
        #expect(data["matchCount"] as? Int == 2_001)
        #expect((data["matches"] as? [Any])?.isEmpty == false)
        #expect(data["rejectedCount"] as? Int == 5_000)
    }

    /// What an input says cannot become a part of the page's code.
    @Test func textsCannotLeaveTheData() {
        let report = Report()
        report.chart("</script><script>alert(1)</script>").mark("<!--", at: .epoch)
        report.addMatch(Array(#"{"a":"</script>"}"#.utf8), at: .epoch)
        let text = String(decoding: ReportPage(title: "</title>", of: report).html(), as: UTF8.self)
        #expect(text.ranges(of: "</script>").count == 2)
        #expect(!text.contains("<!--"))
        #expect(!text.contains("http://") || text.ranges(of: "http").count == 1, "only the name of the SVG namespace")
    }
}
