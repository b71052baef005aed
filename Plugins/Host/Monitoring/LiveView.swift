internal import WeirCore

/// What a live display shows, as text: made of reports, a size and keys, so that a test can make it too.
struct LiveView {
    /// What the rows are sorted by.
    enum Order: String, CaseIterable {
        case name, rate, matches, delay, pending
    }

    /// The numbers of a pipeline over the last minute.
    private struct History {
        var last: StatusReport
        var lastTime: Timestamp
        /// How many events and matches there were a second, youngest last.
        var rates: [Double] = []
        var matchRates: [Double] = []
    }

    private var histories: [String: History] = [:]
    private var reports: [StatusReport] = []
    private(set) var order = Order.name
    private(set) var isPaused = false

    private let title: String

    /// How many rates are kept.
    private static let depth = 60

    init(title: String) {
        self.title = title
    }

    /// Takes the numbers of a moment.
    mutating func update(_ reports: [StatusReport], at now: Timestamp) {
        guard !isPaused else { return }
        self.reports = reports
        for report in reports {
            guard var history = histories[report.name] else {
                histories[report.name] = History(last: report, lastTime: now)
                continue
            }
            let seconds = max(0.001, Double((now - history.lastTime).wholeNanoseconds) / 1e9)
            history.rates.append(max(0, report.events - history.last.events) / seconds)
            history.matchRates.append(max(0, report.matches - history.last.matches) / seconds)
            if history.rates.count > Self.depth { history.rates.removeFirst() }
            if history.matchRates.count > Self.depth { history.matchRates.removeFirst() }
            history.last = report
            history.lastTime = now
            histories[report.name] = history
        }
        let names = Set(reports.map(\.name))
        histories = histories.filter { names.contains($0.key) }
    }

    /// Follows a key.
    ///
    /// - Returns: Whether to go on.
    mutating func press(_ key: Character) -> Bool {
        switch key {
        case "q", "Q": return false
        case "p", " ": isPaused.toggle()
        case "s":
            let all = Order.allCases
            order = all[((all.firstIndex(of: order) ?? 0) + 1) % all.count]
        default: break
        }
        return true
    }

    private static let columns: [(title: String, width: Int)] = [
        ("STATE", 9), ("IN/S", 11), ("OUT/S", 9), ("P50", 9), ("P99", 9), ("PENDING", 9), ("REJECTED", 9),
        ("DROPPED", 9),
        ("WATERMARK", 20),
    ]

    /// The screen.
    ///
    /// - Parameters:
    ///   - columns: How wide it is.
    ///   - rows: How high it is.
    ///   - isColoured: Whether it may have colours.
    /// - Returns: Text that replaces what was shown.
    func screen(columns: Int, rows: Int, isColoured: Bool) -> String {
        let nameWidth = max(8, min(24, reports.map(\.name.count).max() ?? 0)) + 2
        var lines = [
            "\(title)  sort: \(order.rawValue)\(isPaused ? "  paused" : "")",
            pad("PIPELINE", nameWidth)
                + Self.columns.map { String(repeating: " ", count: max(1, $0.width - $0.title.count)) + $0.title }
                .joined()
                + "  LAST MINUTE",
        ]
        for report in sorted() {
            let history = histories[report.name]
            let watermark = report.watermark.map {
                Timestamp(nanosecondsSinceEpoch: Int64($0) * 1_000_000_000).text
            }
            let cells = [
                report.state,
                Quantity.short(history?.rates.last ?? 0), Quantity.short(history?.matchRates.last ?? 0),
                report.median == 0 ? "-" : Quantity.duration(Int64(report.median)),
                report.tail == 0 ? "-" : Quantity.duration(Int64(report.tail)),
                Quantity.short(report.pending), Quantity.short(report.rejected),
                Quantity.short(report.counts.reduce(0) { $0 + $1.value }),
                watermark.map { String($0.prefix(19)) } ?? "-",
            ]
            var line = pad(report.name, nameWidth)
            for (cell, column) in zip(cells, Self.columns) {
                line += String(repeating: " ", count: max(1, column.width - cell.count)) + cell
            }
            lines.append(line + "  " + Sparkline.text(history?.rates ?? [], width: max(0, columns - line.count - 2)))
            for count in report.counts where count.value > 0 {
                lines.append("    \(Quantity.grouped(UInt64(count.value))) \(count.name)")
            }
        }
        lines = Array(lines.prefix(max(1, rows - 1)))
        lines += Array(repeating: "", count: max(0, rows - 1 - lines.count))
        lines.append("q quit   p pause   s sort")
        var text = "\u{1B}[H"
        for (index, line) in lines.enumerated() {
            let isHeading = isColoured && (index == 0 || index == lines.count - 1)
            text += (isHeading ? "\u{1B}[1m" : "") + String(line.prefix(columns)) + (isHeading ? "\u{1B}[0m" : "")
            text += "\u{1B}[K" + (index == lines.count - 1 ? "" : "\r\n")
        }
        return text
    }

    private func sorted() -> [StatusReport] {
        func key(_ report: StatusReport) -> Double {
            switch order {
            case .name: 0
            case .rate: histories[report.name]?.rates.last ?? 0
            case .matches: report.matches
            case .delay: report.tail
            case .pending: report.pending
            }
        }
        return reports.sorted { (-key($0), $0.name) < (-key($1), $1.name) }
    }

    private func pad(_ text: String, _ width: Int) -> String {
        let cut = text.count >= width ? text.prefix(width - 2) + "…" : text[...]
        return cut + String(repeating: " ", count: width - cut.count)
    }
}

/// A row of small bars.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// Bars between zero and the greatest value.
    ///
    /// - Parameters:
    ///   - values: Not negative; the last ones are shown where there is no room for all.
    ///   - width: How many bars there may be.
    /// - Returns: The bars.
    static func text(_ values: [Double], width: Int) -> String {
        let shown = values.suffix(max(0, width))
        guard let greatest = shown.max(), greatest > 0 else { return String(repeating: "▁", count: shown.count) }
        return String(shown.map { bars[min(7, Int($0 / greatest * 7.999))] })
    }
}
