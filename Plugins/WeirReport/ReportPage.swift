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

    /// How many points all lines of a page have together, so that it stays below half a megabyte.
    private static let pointLimit = 16_000

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
        return template[..<place.lowerBound] + data() + template[place.upperBound...]
    }

    private func data() -> [UInt8] {
        let charts = report.charts
        let lineCount = charts.reduce(rate == nil ? 0 : 1) { $0 + $1.lines.count }
        let pointLimit = Self.pointLimit / max(1, lineCount)
        var json = JSONText()
        json.object { json in
            json.member("title", title)
            json.array("facts", facts) { json, fact in
                json.array([fact.value, fact.name]) { json, text in json.value(text) }
            }
            json.array("charts", charts.map(Optional.some) + (rate == nil ? [] : [nil])) { json, chart in
                if let chart {
                    write(chart, pointLimit, to: &json)
                } else {
                    writeRate(pointLimit, to: &json)
                }
            }
            json.array("matches", report.matches) { json, match in
                json.object { json in
                    json.member("t", match.time.map(Self.milliseconds))
                    json.member("line", raw: match.line)
                }
            }
            json.member("matchCount", Double(report.matchCount))
            json.array("rejections", rejections) { json, rejection in
                json.array([String(rejection.line), rejection.reason]) { json, text in json.value(text) }
            }
            json.member("rejectedCount", Double(rejectedCount))
        }
        return json.bytes
    }

    private static func milliseconds(_ time: Timestamp) -> Double {
        Double(time.nanosecondsSinceEpoch) / 1e6
    }

    private func write(_ chart: ReportChart, _ pointLimit: Int, to json: inout JSONText) {
        json.object { json in
            json.member("title", chart.title)
            json.member("unit", chart.unit)
            json.member("refused", Double(chart.refusedCount))
            json.array("lines", chart.lines) { json, line in write(line, pointLimit, to: &json) }
            json.array("marks", chart.marks) { json, mark in
                json.mixedArray { json in
                    json.value(Self.milliseconds(mark.time))
                    json.value(mark.label)
                    json.value(mark.look.rawValue)
                }
            }
            json.array("bands", chart.bands) { json, band in
                json.mixedArray { json in
                    json.value(Self.milliseconds(band.start))
                    json.value(Self.milliseconds(band.end))
                    json.value(band.label)
                    json.value(band.look.rawValue)
                }
            }
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
            json.member("name", line.name)
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
