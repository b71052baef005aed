internal import WeirCore

/// What a report shows of sentiment: the sum of each brand, and the posts that moved it most.
final class SentimentDrawing: Sendable {
    private let chart: ReportChart
    private let lines: [String: ReportLine]

    init(_ report: Report, brands: [Brand]) {
        let chart = report.chart("Sum of the scores")
        self.chart = chart
        lines = Dictionary(
            brands.map { ($0.name, chart.line($0.name, isStepped: true)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func draw(_ score: BrandScore) {
        lines[score.brand]?.add(score.total, at: score.timestamp)
    }
}
