internal import WeirCore
internal import WeirRecords

/// What a report shows of fraud: all suspicions, and a timeline of the amounts of each of the first suspicious cards, from
/// its first suspicion on.
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
        /// Made with the first suspicion.
        var all: ReportChart?
        /// By the card's name: the place in the table may become another card's.
        var timelines: [String: Timeline] = [:]
        /// Suspicious cards without a timeline, by index; as many as the plugin can tell apart at most.
        var others: Set<Int> = []
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
            let card = cards.name(of: purchase.card)
            guard let timeline = state.withLock({ $0.timelines[card] }) else { return }
            draw(purchase, on: timeline)
        }
    }

    func mark(_ suspicion: Suspicion) {
        let card = suspicion.card
        let timeline = state.withLock { state -> Timeline? in
            let all = state.all ?? report.chart("All suspicions")
            state.all = all
            all.mark(suspicion.rule.rawValue, at: suspicion.timestamp, look: .bad)
            if let timeline = state.timelines[card] { return timeline }
            // One chart is that of all suspicions.
            guard state.timelines.count < Report.Limit.charts - 1 else {
                if let index = suspicion.purchases.last?.card.index { state.others.insert(index) }
                cover(state)
                return nil
            }
            let chart = report.chart("Card " + card)
            let timeline = Timeline(chart: chart, amounts: chart.line("amount", isStepped: true))
            state.timelines[card] = timeline
            cover(state)
            return timeline
        }
        guard let timeline else { return }
        for purchase in suspicion.purchases { draw(purchase, on: timeline) }
        timeline.chart.mark(suspicion.rule.rawValue, at: suspicion.timestamp, look: .bad)
    }

    private func cover(_ state: State) {
        let drawn = state.timelines.count
        report.cover("suspicious cards", drawn: drawn, of: drawn + state.others.count)
    }

    private func draw(_ purchase: Purchase, on timeline: Timeline) {
        timeline.drawn.withLock { drawn in
            guard purchase.timestamp > drawn else { return }
            drawn = purchase.timestamp
            timeline.amounts.add(purchase.amount, at: purchase.timestamp)
        }
    }
}
