internal import WeirCore

/// What a report shows of fraud: a timeline of the amounts of each suspicious card, from its first suspicion on.
final class FraudDrawing: Sendable {
    private final class Timeline: Sendable {
        let chart: ReportChart
        let amounts: ReportLine
        /// Up to when purchases are drawn.
        let drawn = Locked(Timestamp.distantPast)

        init(chart: ReportChart, amounts: ReportLine) {
            self.chart = chart
            self.amounts = amounts
        }
    }

    private struct State {
        /// By the card's index.
        var timelines: [Int: Timeline] = [:]
    }

    private let report: Report
    private let cards: SymbolTable
    private let state = Locked(State())

    init(_ report: Report, cards: SymbolTable) {
        self.report = report
        self.cards = cards
    }

    /// A sink that draws the purchases of cards that are suspicious already.
    func sink() -> ReportSink<Purchase> {
        ReportSink { [self] purchase, _ in
            guard let timeline = state.withLock({ $0.timelines[purchase.card.index] }) else { return }
            draw(purchase, on: timeline)
        }
    }

    func mark(_ suspicion: Suspicion) {
        guard let card = suspicion.purchases.last?.card else { return }
        let timeline = state.withLock { state -> Timeline? in
            if let timeline = state.timelines[card.index] { return timeline }
            guard state.timelines.count < Report.Limit.charts else { return nil }
            let chart = report.chart("Card " + cards.name(of: card))
            let timeline = Timeline(chart: chart, amounts: chart.line("amount", isStepped: true))
            state.timelines[card.index] = timeline
            return timeline
        }
        guard let timeline else { return }
        for purchase in suspicion.purchases { draw(purchase, on: timeline) }
        timeline.chart.mark(suspicion.rule.rawValue, at: suspicion.timestamp, look: .bad)
    }

    private func draw(_ purchase: Purchase, on timeline: Timeline) {
        timeline.drawn.withLock { drawn in
            guard purchase.timestamp > drawn else { return }
            drawn = purchase.timestamp
            timeline.amounts.add(purchase.amount, at: purchase.timestamp)
        }
    }
}
