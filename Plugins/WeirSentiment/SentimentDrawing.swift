internal import WeirRecords

/// What a report shows of sentiment: the sum of each brand, and the posts that moved it most.
final class SentimentDrawing: Sendable {
    private let lines: [String: ReportLine]
    private let posts: ReportRanking

    init(_ report: Report, brands: [Brand]) {
        let chart = report.chart("Sum of the scores")
        lines = Dictionary(
            brands.map { ($0.name, chart.line($0.name, isStepped: true)) },
            uniquingKeysWith: { first, _ in first }
        )
        posts = report.ranking("Top posts", columns: ["score", "text", "brand", "followers"])
    }

    func draw(_ score: BrandScore) {
        lines[score.brand]?.add(score.total, at: score.timestamp)
        guard let post = score.post, let value = score.score, value != 0 else { return }
        posts.add(weight: value.magnitude, at: score.timestamp) {
            let followers = Int(exactly: post.followers).map(String.init) ?? "\(post.followers)"
            return ["\((value * 100).rounded() / 100)", post.text, score.brand, followers]
        }
    }
}
