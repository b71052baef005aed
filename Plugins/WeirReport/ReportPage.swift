public import WeirCore

/// A report as one HTML page that needs nothing else: no network, no other file.
public struct ReportPage: Sendable {
    /// What the page is called.
    public var title: String

    /// What people should see first: a value, and what it is.
    public var facts: [(value: String, name: String)] = []

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
        /// A point takes at most so much: a time, a value, and two commas.
        static let point = 44
        /// A name, and a text of somebody, as JSON.
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
        var json = JSONText()
        json.object { json in
            json.member("title", Self.clipped(title))
            json.array("facts", facts) { json, fact in
                json.array([fact.value, fact.name]) { json, text in json.value(Self.clipped(text)) }
            }
            json.array("matches", report.matches) { json, match in
                json.object { json in
                    json.member("t", match.time.map(Self.milliseconds))
                    json.member("line", raw: match.line)
                }
            }
            json.member("matchCount", Double(report.matchCount))
            var room = Budget.rankings
            json.array("rankings", report.rankings) { json, ranking in write(ranking, &room, to: &json) }
            room = Budget.rejections
            json.array("rejections", rejections) { json, rejection in
                let reason = Self.clipped(rejection.reason, Budget.text)
                room -= reason.utf8.count
                guard room > 0 else { return }
                json.array([String(rejection.line), reason]) { json, text in json.value(text) }
            }
            json.member("rejectedCount", Double(rejectedCount))
            // The lines get what is left.
            let lineCount = charts.reduce(1) { $0 + $1.lines.count }
            let used = json.bytes.count + signs.reduce(0) { $0 + $1.marks.count + $1.bands.count }
            let names = (Budget.name + 60) * (lineCount + 2 * charts.count)
            let pointLimit = max(0, budget - used - names) / Budget.point / lineCount
            json.array("charts", charts.indices.map(Optional.some) + (rate == nil ? [] : [nil])) { json, index in
                if let index {
                    write(charts[index], signs[index], pointLimit, to: &json)
                } else {
                    writeRate(pointLimit, to: &json)
                }
            }
        }
        return json.bytes
    }

    private static func milliseconds(_ time: Timestamp) -> Double {
        Double(time.nanosecondsSinceEpoch) / 1e6
    }

    /// A text, cut off where it would take more than so many bytes in the page.
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

    /// The marks and bands of a chart as JSON, and how many there was no room for.
    private struct Signs {
        var marks = JSONText.list([])
        var bands = JSONText.list([])
        var refused = 0
    }

    /// The marks and bands of charts; the room is shared evenly.
    private func signs(of charts: [ReportChart]) -> [Signs] {
        charts.map { chart in
            var room = Budget.marks / charts.count
            var refused = 0
            func list<Sign>(_ signs: [Sign], _ write: (inout JSONText, Sign) -> Void) -> [UInt8] {
                var all: [[UInt8]] = []
                for sign in signs {
                    var json = JSONText()
                    json.mixedArray { write(&$0, sign) }
                    room -= json.bytes.count
                    if room > 0 { all.append(json.bytes) } else { refused += 1 }
                }
                return JSONText.list(all)
            }
            let marks = list(chart.marks) { json, mark in
                json.value(Self.milliseconds(mark.time))
                json.value(Self.clipped(mark.label))
                json.value(mark.look.rawValue)
            }
            let bands = list(chart.bands) { json, band in
                json.value(Self.milliseconds(band.start))
                json.value(Self.milliseconds(band.end))
                json.value(Self.clipped(band.label))
                json.value(band.look.rawValue)
            }
            return Signs(marks: marks, bands: bands, refused: refused)
        }
    }

    private func write(_ chart: ReportChart, _ signs: Signs, _ pointLimit: Int, to json: inout JSONText) {
        json.object { json in
            json.member("title", Self.clipped(chart.title))
            json.member("unit", Self.clipped(chart.unit))
            json.member("refused", Double(chart.refusedCount + signs.refused))
            json.array("lines", chart.lines) { json, line in write(line, pointLimit, to: &json) }
            json.member("marks", raw: signs.marks)
            json.member("bands", raw: signs.bands)
        }
    }

    private func write(_ ranking: ReportRanking, _ room: inout Int, to json: inout JSONText) {
        var rows: [[UInt8]] = []
        for row in ranking.rows {
            var json = JSONText()
            json.object { json in
                json.member("t", Self.milliseconds(row.time))
                json.array("cells", row.cells) { json, cell in json.value(Self.clipped(cell, Budget.text)) }
            }
            room -= json.bytes.count
            if room > 0 { rows.append(json.bytes) }
        }
        json.object { json in
            json.member("title", Self.clipped(ranking.title))
            json.array("columns", ranking.columns) { json, name in json.value(Self.clipped(name)) }
            json.member("rows", raw: JSONText.list(rows))
        }
    }

    /// The chart of the rate, which is not over event time.
    private func writeRate(_ pointLimit: Int, to json: inout JSONText) {
        json.object { json in
            json.member("title", "Events read per second of the run")
            json.member("unit", "")
            json.member("clock", true)
            json.member("refused", 0)
            json.array("lines", rate.map { [$0] } ?? []) { json, line in write(line, pointLimit, to: &json) }
            json.array("marks", [String]()) { _, _ in }
            json.array("bands", [String]()) { _, _ in }
        }
    }

    private func write(_ line: ReportLine, _ pointLimit: Int, to json: inout JSONText) {
        let points = line.points(limit: pointLimit)
        json.object { json in
            json.member("name", Self.clipped(line.name))
            json.member("stepped", line.isStepped)
            json.array("t", points) { json, point in json.value(Self.milliseconds(point.time)) }
            json.array("v", points) { json, point in json.value(Self.rounded(point.value)) }
        }
    }

    /// The value with six significant digits, which is more than a screen can show.
    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.magnitude < 1e15, value.magnitude > 1e-12 else { return value }
        var scale = 1.0
        while value.magnitude * scale < 100_000 { scale *= 10 }
        return (value * scale).rounded() / scale
    }
}
