import Foundation
import Testing
import WeirCore

@testable import weir

/// The parts of displays and styles that a run cannot show.
@Suite struct ViewTests {
    private func report(_ name: String, events: UInt64, pending: Int = 0) -> StatusReport {
        let status = PipelineStatus(name: name)
        status.update { numbers in
            numbers.phase = .running
            numbers.tally.events = events
            numbers.pending = pending
        }
        return StatusReport(status)
    }

    private func seconds(_ count: Int64) -> Timestamp { Timestamp(secondsSinceEpoch: count) }

    @Test func theLiveViewShowsRatesAndFollowsKeys() {
        var view = LiveView(title: "weir top")
        view.update([report("a", events: 0), report("b", events: 0)], at: seconds(0))
        view.update([report("a", events: 10), report("b", events: 3000)], at: seconds(2))
        let rows = view.screen(columns: 120, rows: 10, isColoured: false).components(separatedBy: "\r\n")
        #expect(rows.count == 10)
        #expect(rows.contains { $0.hasPrefix("a ") && $0.contains(" 5 ") })
        #expect(rows.contains { $0.hasPrefix("b ") && $0.contains(" 1.5k ") })
        let goesOn = view.press("s")
        #expect(goesOn && view.order == .rate)
        #expect(view.screen(columns: 120, rows: 10, isColoured: false).split(separator: "\r\n")[2].contains("1.5k"))
        let paused = view.press("p")
        #expect(paused && view.isPaused)
        view.update([report("a", events: 99_999)], at: seconds(3))
        let frozen = view.screen(columns: 120, rows: 10, isColoured: false)
        #expect(frozen.contains("paused") && frozen.contains(" 1.5k "))
        let quits = view.press("q")
        #expect(!quits)
    }

    @Test func theLiveViewTellsWhatFailsAndIsDropped() {
        let status = PipelineStatus(name: "a\u{1B}[2J")
        status.update { numbers in
            numbers.phase = .waiting(until: .epoch)
            numbers.lastError = "cannot open 'x'"
            numbers.counts = [("late", 7), ("never", 0)]
            numbers.watermark = .epoch
        }
        status.ask { 12 }
        var view = LiveView(title: "weir top")
        view.update([StatusReport(status)], at: seconds(0))
        let wide = view.screen(columns: 160, rows: 8, isColoured: true).components(separatedBy: "\r\n")
        #expect(wide[2].contains("\u{1B}[31ma?[2J"))
        #expect(wide[2].contains(" waiting ") && wide[2].contains(" 12 ") && wide[2].contains("1970-01-01T00:00:00"))
        #expect(wide[3].contains("  cannot open 'x'") && wide[4].hasPrefix("  7 late"))
        let narrow = view.screen(columns: 60, rows: 8, isColoured: false).components(separatedBy: "\r\n")
        #expect(narrow[3].hasPrefix("  watermark 1970-01-01T00:00:00"))
        // Too low for more than the row itself.
        let low = view.screen(columns: 60, rows: 4, isColoured: false).components(separatedBy: "\r\n")
        #expect(low[2].hasPrefix("a?[2J") && low[3].hasPrefix("q quit"))
        view.update((0..<9).map { report("p\($0)", events: 0) }, at: seconds(1))
        let many = view.screen(columns: 80, rows: 8, isColoured: false).components(separatedBy: "\r\n")
        #expect(many[6].hasPrefix("… and 5 more"))
    }

    @Test func theLiveViewFitsAnySize() {
        var view = LiveView(title: "weir top")
        view.update((0..<30).map { report("pipeline-with-a-long-name-\($0)", events: 5) }, at: seconds(0))
        for columns in [1, 7, 40, 80, 300] {
            for rows in [1, 2, 5, 24, 100] {
                let lines = view.screen(columns: columns, rows: rows, isColoured: false)
                    .replacingOccurrences(of: "\u{1B}[H", with: "")
                    .replacingOccurrences(of: "\u{1B}[K", with: "")
                    .components(separatedBy: "\r\n")
                #expect(lines.count == max(rows, 2) || rows == 1)
                for line in lines { #expect(line.count <= columns) }
            }
        }
    }

    @Test func reportsComeBackFromTheirText() throws {
        let status = PipelineStatus(name: "a \"quoted\"\\ name\n")
        status.update { numbers in
            numbers.tally.events = 12
            numbers.matches = 3
            numbers.watermark = Timestamp(secondsSinceEpoch: 5)
            numbers.delays.add(nanoseconds: 1000, count: 4)
            numbers.counts = [("lost", 2), ("lost", 3), ("many", .max), ("many", .max)]
            numbers.lastError = "it \u{1} broke"
        }
        let text = StatusReport.text([status])
        let read = try #require(StatusReport.read(text))
        #expect(read.first?.name == status.name)
        #expect(read.first?.events == 12 && read.first?.matches == 3 && read.first?.watermark == 5)
        #expect(read.first?.counts.map(\.value) == [5, 1e18])
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(StatusReport.read("error: what?") == nil)
    }

    @Test func whatAnotherProgramSaysIsShownWhateverItIs() throws {
        let text = """
            {"pipelines": [{"name": "a\\u009bb", "events": 1e308, "matches": -1e300, "delay_p50_ns": 1e300,
            "delay_p99_ns": -1, "watermark_s": 1e300, "partial_matches": -1e300, "counts": {"lost": 1e300}}]}
            """
        let reports = try #require(StatusReport.read(text))
        var view = LiveView(title: "top")
        for second in 0..<3 { view.update(reports, at: Timestamp(secondsSinceEpoch: Int64(second))) }
        let screen = view.screen(columns: 200, rows: 20, isColoured: false)
        #expect(screen.contains("a?b") && !screen.contains("\u{9B}"))
        #expect(screen.contains("1,000,000,000,000,000,000 lost"))
    }

    @Test func whatAGroupCountsIsNotDropped() throws {
        let text = #"{"pipelines": [{"name": "a", "counts": {"lost outputs": 2}, "group": {"commits": 41}}]}"#
        let reports = try #require(StatusReport.read(text))
        var view = LiveView(title: "top")
        view.update(reports, at: Timestamp(secondsSinceEpoch: 0))
        let lines = view.screen(columns: 200, rows: 20, isColoured: false).components(separatedBy: "\r\n")
        let heading = try #require(lines.first { $0.contains("DROPPED") })
        let row = try #require(lines.first { $0.contains("a ") && !$0.contains("DROPPED") && $0.contains(" 2") })
        let end = try #require(heading.range(of: "DROPPED")).upperBound.utf16Offset(in: heading)
        #expect(row.prefix(end).hasSuffix(" 2"), "\(lines)")
        #expect(lines.contains { $0.contains("41 commits") } && lines.contains { $0.contains("2 lost outputs") })
    }

    @Test func shareOfDelaysIsKnownToAFifth() {
        for seed in 1...20 {
            var random = SeededGenerator(seed: UInt64(seed))
            var histogram = DelayHistogram()
            var all: [Int64] = []
            for _ in 0..<500 {
                let nanoseconds = Int64(1) << Int64(random.next() % 40) + Int64(random.next() % 1000)
                histogram.add(nanoseconds: nanoseconds, count: 1)
                all.append(nanoseconds)
            }
            all.sort()
            for share in [0.01, 0.5, 0.9, 0.99, 1] {
                let exact = all[Int((500 * share).rounded(.up)) - 1]
                let found = histogram.quantile(share)
                #expect(found >= exact && Double(found) <= Double(exact) * 1.26 + 4, "seed \(seed)")
            }
        }
        #expect(DelayHistogram().quantile(0.5) == 0)
    }

    @Test func sparklinesReachFromZeroToTheGreatest() {
        #expect(Sparkline.text([0, 1, 2, 4], width: 10) == "▁▂▄█")
        #expect(Sparkline.text([1, 2, 3], width: 2) == "▆█")
        #expect(Sparkline.text([0, 0], width: 9) == "▁▁")
        #expect(Sparkline.text([], width: 9) == "")
        #expect(Sparkline.text([1], width: 0) == "")
    }
}
