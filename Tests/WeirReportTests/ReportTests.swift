import CWeirSockets
import Foundation
import Testing
import WeirCore
import WeirRecords
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
            #expect(drawn > 20)
            #expect(chart["markCount"] as? Int == Report.Limit.marks + 3)
            #expect(chart["bandCount"] as? Int == Report.Limit.marks + 3)
            #expect(chart["lineCount"] as? Int == Report.Limit.lines + 3)
        }
        #expect(data["matchCount"] as? Int == 2_001)
        #expect((data["matches"] as? [Any])?.isEmpty == false)
        #expect(data["rejectedCount"] as? Int == 5_000)
    }

    /// Marks reach from one end of the axis to the other, also where there is no room for all of them.
    @Test func marksAreLeftOutEvenly() throws {
        let report = Report()
        for _ in 0..<12 {
            let chart = report.chart("c")
            for index in 0..<10_000 { chart.mark(index % 2 == 0 ? "even" : "odd", at: time(index)) }
        }
        let charts = try #require(try data(of: ReportPage(title: "t", of: report))["charts"] as? [[String: Any]])
        for chart in charts {
            let marks = try #require(chart["marks"] as? [[Any]])
            let times = marks.compactMap { $0.first as? Double }
            #expect(chart["markCount"] as? Int == 10_000)
            #expect((60..<Report.Limit.marks / 2).contains(marks.count))
            for tenth in 0..<10 {
                let share = times.count { $0 >= Double(tenth) * 1_000 && $0 < Double(tenth + 1) * 1_000 }
                #expect(abs(share - marks.count / 10) <= 3, "\(share) of \(marks.count) in tenth \(tenth)")
            }
            #expect(Set(marks.compactMap { $0[1] as? String }) == ["even", "odd"])
        }
    }

    @Test func gapsAndWhatThePageIsAboutAreOnIt() throws {
        let report = Report()
        let line = report.chart("c").line("l")
        for index in 0..<100 { line.add(1, at: time(index < 60 ? index * 20 : index * 20 + 5_000)) }
        report.cover("recordings", drawn: 24, of: 103)
        var page = ReportPage(title: "t", of: report)
        page.about = [("Input", "</script>.csv")]
        let data = try self.data(of: page)
        let charts = try #require(data["charts"] as? [[String: Any]])
        let lines = try #require(charts[0]["lines"] as? [[String: Any]])
        #expect(lines[0]["gaps"] as? [Int] == [60])
        #expect(lines[0]["count"] as? Int == 100)
        #expect(data["about"] as? [[String]] == [["Input", "</script>.csv"]])
        let coverages = try #require(data["coverages"] as? [[String: Any]])
        #expect(coverages[0]["drawn"] as? Int == 24 && coverages[0]["total"] as? Int == 103)
    }

    private func data(of page: ReportPage) throws -> [String: Any] {
        let text = String(decoding: page.html(), as: UTF8.self)
        let start = try #require(text.firstRange(of: #"id="data">"#)?.upperBound)
        let end = try #require(text[start...].firstRange(of: "</script>")?.lowerBound)
        return try #require(JSONSerialization.jsonObject(with: Data(text[start..<end].utf8)) as? [String: Any])
    }

    /// The page allows its own script and style by their hashes, and nothing else.
    @Test func theSecurityPolicyAllowsThePageAlone() throws {
        let text = String(decoding: ReportPage(title: "t", of: Report()).html(), as: UTF8.self)
        for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
            let start = try #require(text.firstRange(of: "<\(tag)>")?.upperBound)
            let end = try #require(text[start...].firstRange(of: "</\(tag)>")?.lowerBound)
            let hash = try sha256(Array(text[start..<end].utf8))
            #expect(text.contains("\(directive) 'sha256-\(hash)';"), "write this hash into report.html: \(hash)")
        }
        #expect(text.contains("default-src 'none';"))
        #expect(!text.contains("unsafe-inline") && !text.contains(" style=") && !text.contains(" onclick="))
    }

    private func sha256(_ bytes: [UInt8]) throws -> String {
        var state = cweir_sha256_t()
        var hash = [UInt8](repeating: 0, count: 32)
        unsafe cweir_sha256_begin(&state)
        unsafe cweir_sha256_add(&state, bytes, bytes.count)
        unsafe cweir_sha256_end(&state, &hash)
        return Data(hash).base64EncodedString()
    }

    /// A library may call anything a match; the page is one all the same.
    @Test func matchesThatAreNoJSONAreOnThePage() throws {
        let report = Report()
        let lines = ["null", "not \"json\\", "[1]", #"{"toString":1,"__proto__":2}"#, "\u{1}\u{202E}</script>"]
        for line in lines { report.addMatch(Array(line.utf8), at: .epoch) }
        let data = try data(of: ReportPage(title: "t", of: report))
        let matches = try #require(data["matches"] as? [[String: Any]])
        #expect(matches.compactMap { $0["line"] as? String } == lines)
    }

    /// A page can tell the values of a line apart, and subtract them, however great they are.
    @Test func valuesHaveSixDigitsWhateverTheirSize() throws {
        let report = Report()
        let line = report.chart("c").line("l")
        let values = [1e16, 1e16 + 2, 1.7e308, -1.7e308, 1_234_567.8, 123.4567, 1e-20]
        for (index, value) in values.enumerated() { line.add(value, at: time(index)) }
        let data = try data(of: ReportPage(title: "t", of: report))
        let charts = try #require(data["charts"] as? [[String: Any]])
        let lines = try #require(charts[0]["lines"] as? [[String: Any]])
        #expect(lines[0]["v"] as? [Double] == [1e16, 1e16, 1e300, -1e300, 1_234_570, 123.457, 1e-20])
    }

    /// What an input says cannot become a part of the page's code.
    @Test func textsCannotLeaveTheData() {
        let report = Report()
        report.chart("</script><script>alert(1)</script>").mark("<!--", at: .epoch)
        report.addMatch(Array(#"{"a":"</script>"}"#.utf8), at: .epoch)
        let text = String(decoding: ReportPage(title: "</title>", of: report).html(), as: UTF8.self)
        #expect(text.ranges(of: "</script>").count == 2)
        #expect(!text.contains("<!--"))
        #expect(text.ranges(of: "://").count == 1, "only the name of the SVG namespace")
    }
}
