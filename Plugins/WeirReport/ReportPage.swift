internal import WeirCore
public import WeirRecords

/// A report as one HTML page that needs nothing else: no network, no other file.
public struct ReportPage: Sendable {
    /// What the page is called.
    public var title: String

    /// What people should see first: a value, and what it is.
    public var facts: [(value: String, name: String)] = []

    /// What the page is about, such as the inputs and the options: a name, and its value.
    public var about: [(name: String, value: String)] = []

    /// The first rejected lines, and why.
    public var rejections: [(line: UInt64, reason: String)] = []

    /// How many lines were rejected.
    public var rejectedCount: UInt64 = 0

    /// How many events were read per second, by the seconds since the start of the run.
    public var rate: ReportLine?

    private let report: Report

    /// What the parts of a page take at most, so that it stays below half a megabyte.
    private enum Budget {
        static let page = 490_000
        static let marks = 90_000
        static let rejections = 24_000
        /// A point takes at most so much: a time, a value, two commas, and its number where a gap is before it.
        static let point = 50
        /// A name, and a text of the input, as JSON.
        static let name = 120, text = 600
        static let rankings = 48_000
    }

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - title: What the page is called.
    ///   - report: What it shows.
    public init(title: String, of report: Report) {
        self.title = title
        self.report = report
    }

    /// The page in UTF-8.
    ///
    /// - Complexity: O(1): what a report keeps is limited.
    public func html() -> [UInt8] {
        let template = PackageResources.report_html
        guard let place = template.firstRange(of: Array("@DATA@".utf8)) else {
            preconditionFailure("the page's template has no place for the data")
        }
        return template[..<place.lowerBound] + data(Budget.page - template.count) + template[place.upperBound...]
    }

    private func data(_ budget: Int) -> [UInt8] {
        let charts = report.charts
        let signs = signs(of: charts)
        var json = JSONWriter()
        json.object { json in
            json.member("title", Self.clipped(title))
            json.member("facts", facts) { json, fact in
                json.array([fact.value, fact.name]) { json, text in json.value(Self.clipped(text)) }
            }
            json.member("about", about) { json, item in
                json.array([Self.clipped(item.name), Self.clipped(item.value, Budget.text)]) { json, text in
                    json.value(text)
                }
            }
            json.member("coverages", report.coverages) { json, coverage in
                json.object { json in
                    json.member("name", Self.clipped(coverage.name))
                    json.member("drawn", coverage.drawn)
                    json.member("total", coverage.total)
                }
            }
            json.member("refusedCharts", report.refusedChartCount)
            json.member("matches", report.matches) { json, match in
                json.object { json in
                    json.name("t")
                    if let time = match.time { json.value(milliseconds: time) } else { json.value(json: "null".utf8) }
                    // As a text: a library may call anything a match, and the page has to be JSON all the same.
                    json.member("line", String(decoding: match.line, as: UTF8.self))
                }
            }
            json.member("matchCount", report.matchCount)
            var room = Budget.rankings
            json.member("rankings", report.rankings) { json, ranking in write(ranking, &room, to: &json) }
            room = Budget.rejections
            json.member("rejections", rejections) { json, rejection in
                let reason = Self.clipped(rejection.reason, Budget.text)
                room -= reason.utf8.count
                guard room > 0 else { return }
                json.array([String(rejection.line), reason]) { json, text in json.value(text) }
            }
            json.member("rejectedCount", rejectedCount)
            // The lines get what is left.
            let lineCount = charts.reduce(1) { $0 + $1.lines.count }
            let used = Self.escapingMarkup(json.bytes).count + signs.reduce(0) { $0 + $1.marks.count + $1.bands.count }
            let names = (Budget.name + 60) * (lineCount + 2 * charts.count)
            let pointLimit = max(0, budget - used - names) / Budget.point / lineCount
            json.member("charts", charts.indices.map(Optional.some) + (rate == nil ? [] : [nil])) { json, index in
                if let index {
                    write(charts[index], signs[index], pointLimit, to: &json)
                } else {
                    writeRate(pointLimit, to: &json)
                }
            }
        }
        return Self.escapingMarkup(json.bytes)
    }

    /// An array of values that are JSON already.
    private static func list(_ elements: [[UInt8]]) -> [UInt8] {
        var json = JSONWriter()
        json.array(elements) { json, element in json.value(json: element) }
        return json.bytes
    }

    /// JSON as it may stand inside of a page, where `</script` would end it, and `<!--` begin a comment.
    private static func escapingMarkup(_ json: [UInt8]) -> [UInt8] {
        Array(
            json.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
                .joined(separator: "\\u003c".utf8)
        )
    }

    /// A text, cut off where it would take more than `limit` bytes in the page.
    private static func clipped(_ text: String, _ limit: Int = Budget.name) -> String {
        var size = 0
        for index in text.unicodeScalars.indices {
            let scalar = text.unicodeScalars[index]
            // As it is escaped.
            size += scalar == "<" || scalar.value < 0x20 ? 6 : scalar == "\"" || scalar == "\\" ? 2 : UTF8.width(scalar)
            if size > limit { return text[..<index] + "…" }
        }
        return text
    }

    /// The marks and bands of a chart as JSON.
    private struct Signs {
        var marks = ReportPage.list([])
        var bands = ReportPage.list([])
    }

    /// The marks and bands of charts; the room is shared evenly, and what there is no room for is left out evenly.
    private func signs(of charts: [ReportChart]) -> [Signs] {
        charts.map { chart in
            func list<Sign>(_ signs: [Sign], _ write: (inout JSONWriter, Sign) -> Void) -> [UInt8] {
                let all = signs.map { sign in
                    var json = JSONWriter()
                    json.array { write(&$0, sign) }
                    return Self.escapingMarkup(json.bytes)
                }
                return Self.list(Self.spread(all, room: Budget.marks / 2 / charts.count))
            }
            let marks = list(chart.marks) { json, mark in
                json.value(milliseconds: mark.time)
                json.value(Self.clipped(mark.label))
                json.value(mark.look.rawValue)
            }
            let bands = list(chart.bands) { json, band in
                json.value(milliseconds: band.start)
                json.value(milliseconds: band.end)
                json.value(Self.clipped(band.label))
                json.value(band.look.rawValue)
            }
            return Signs(marks: marks, bands: bands)
        }
    }

    /// As many texts as there is room for, spread evenly over all of them.
    private static func spread(_ texts: [[UInt8]], room: Int) -> [[UInt8]] {
        var random = SeededGenerator(seed: 1)
        var count = texts.count
        var kept = texts
        while kept.reduce(0, { $0 + $1.count + 1 }) > room {
            count = count * 9 / 10
            // One of each stretch, by chance: every n-th one would leave out what alternates.
            kept = (0..<count).map { number in
                let start = number * texts.count / count
                let end = (number + 1) * texts.count / count
                return texts[start + Int(random.next() % UInt64(end - start))]
            }
        }
        return kept
    }

    private func write(_ chart: ReportChart, _ signs: Signs, _ pointLimit: Int, to json: inout JSONWriter) {
        json.object { json in
            json.member("title", Self.clipped(chart.title))
            json.member("unit", Self.clipped(chart.unit))
            json.member("lineCount", chart.lineCount)
            json.member("markCount", chart.markCount)
            json.member("bandCount", chart.bandCount)
            json.member("lines", chart.lines) { json, line in write(line, line.pieces(limit: pointLimit), to: &json) }
            json.member("marks", json: signs.marks)
            json.member("bands", json: signs.bands)
        }
    }

    private func write(_ ranking: ReportRanking, _ room: inout Int, to json: inout JSONWriter) {
        var rows: [[UInt8]] = []
        for row in ranking.rows {
            var json = JSONWriter()
            json.object { json in
                json.name("t")
                json.value(milliseconds: row.time)
                json.member("cells", row.cells) { json, cell in json.value(Self.clipped(cell, Budget.text)) }
            }
            let text = Self.escapingMarkup(json.bytes)
            room -= text.count
            if room > 0 { rows.append(text) }
        }
        json.object { json in
            json.member("title", Self.clipped(ranking.title))
            json.member("columns", ranking.columns) { json, name in json.value(Self.clipped(name)) }
            json.member("rows", json: Self.list(rows))
        }
    }

    /// The chart of the rate, which is not over event time.
    private func writeRate(_ pointLimit: Int, to json: inout JSONWriter) {
        json.object { json in
            json.member("title", "Events read per second of the run")
            json.member("unit", "")
            json.member("clock", true)
            json.member("lineCount", 1)
            json.member("markCount", 0)
            json.member("bandCount", 0)
            json.member("lines", rate.map { [$0] } ?? []) { json, line in
                // A pause of the input is a low rate, and no gap.
                write(line, [line.points(limit: pointLimit)], to: &json)
            }
            json.member("marks", [String]()) { _, _ in }
            json.member("bands", [String]()) { _, _ in }
        }
    }

    private func write(_ line: ReportLine, _ pieces: [[ReportLine.Point]], to json: inout JSONWriter) {
        let points = pieces.flatMap { $0 }
        // Where a gap is before a point.
        var gaps: [Int] = []
        for piece in pieces.dropLast() { gaps.append((gaps.last ?? 0) + piece.count) }
        json.object { json in
            json.member("name", Self.clipped(line.name))
            json.member("stepped", line.isStepped)
            json.member("count", line.count)
            json.member("gaps", gaps) { json, index in json.value(index) }
            json.member("t", points) { json, point in json.value(milliseconds: point.time) }
            json.member("v", points) { json, point in json.value(shortest: Self.rounded(point.value)) }
        }
    }

    /// The value with six significant digits, which is more than a screen can show; so small that the difference of two
    /// values is a number too.
    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.magnitude > 1e-12 else { return value }
        guard value.magnitude < 1e300 else { return value < 0 ? -1e300 : 1e300 }
        var scale = 1.0
        if value.magnitude >= 1e6 {
            while value.magnitude / scale >= 1e6 { scale *= 10 }
            return (value / scale).rounded() * scale
        }
        while value.magnitude * scale < 100_000 { scale *= 10 }
        return (value * scale).rounded() / scale
    }
}

extension JSONWriter {
    /// Writes a number without the fraction where it is whole.
    fileprivate mutating func value(shortest number: Double) {
        if let whole = Int64(exactly: number) { value(whole) } else { value(number) }
    }

    fileprivate mutating func value(milliseconds time: Timestamp) {
        value(shortest: Double(time.nanosecondsSinceEpoch) / 1e6)
    }
}
