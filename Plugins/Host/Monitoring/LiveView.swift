internal import WeirCore
internal import WeirRecords

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

    /// A column of the table.
    private struct Column: Sendable {
        let title: String
        /// How wide it is, with the gap before it.
        let width: Int
        /// The columns of the lowest ranks are shown where there is no room for all.
        let rank: Int
        let cell: @Sendable (StatusReport, History?) -> String

        init(
            _ title: String,
            _ width: Int,
            rank: Int,
            _ cell: @escaping @Sendable (StatusReport, History?) -> String
        ) {
            self.title = title
            self.width = width
            self.rank = rank
            self.cell = cell
        }
    }

    /// How a line of the screen looks.
    private enum Style {
        case plain, heading, alarm
    }

    private typealias Line = (text: String, style: Style)

    private var histories: [String: History] = [:]
    private var reports: [StatusReport] = []
    private(set) var order = Order.name
    private(set) var isPaused = false

    private let title: String

    /// How many rates are kept.
    private static let depth = 60

    /// A time of the table, to the second.
    private static let timeWidth = 19

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

    private static let columns = [
        Column("STATE", 9, rank: 0) { report, _ in report.state },
        Column("IN/S", 7, rank: 1) { _, history in Quantity.short(history?.rates.last ?? 0) },
        Column("OUT/S", 7, rank: 2) { _, history in Quantity.short(history?.matchRates.last ?? 0) },
        Column("P50", 7, rank: 8) { report, _ in delay(report.median) },
        Column("P99", 7, rank: 3) { report, _ in delay(report.tail) },
        Column("PENDING", 8, rank: 4) { report, _ in Quantity.short(report.pending) },
        Column("PARTIAL", 8, rank: 5) { report, _ in report.partialMatches.map(Quantity.short) ?? "-" },
        Column("REJECTED", 9, rank: 6) { report, _ in Quantity.short(report.rejected) },
        Column("DROPPED", 8, rank: 7) { report, _ in Quantity.short(report.counts.reduce(0) { $0 + $1.value }) },
        Column("EVENTS", 8, rank: 10) { report, _ in Quantity.short(report.events) },
        Column("MATCHES", 8, rank: 9) { report, _ in Quantity.short(report.matches) },
    ]

    /// The columns that eighty characters have room for, beside a short name.
    private static let usualWidth = columns.filter { $0.rank < 9 }.reduce(0) { $0 + $1.width }

    private static func delay(_ nanoseconds: Double) -> String {
        nanoseconds == 0 ? "-" : String(Quantity.duration(Int64(nanoseconds)).filter { $0 != " " })
    }

    /// The screen.
    ///
    /// - Parameters:
    ///   - columns: How wide it is.
    ///   - rows: How high it is.
    ///   - isColoured: Whether it may have colours.
    /// - Returns: Text that replaces what was shown.
    func screen(columns: Int, rows: Int, isColoured: Bool) -> String {
        let keys = "q quit  p \(isPaused ? "go on, paused" : "pause")  s sort: \(order.rawValue)"
        var lines: [Line] = [(title, .heading)] + table(columns: columns, rows: rows - 2)
        lines = Array(lines.prefix(max(1, rows - 1)))
        lines += Array(repeating: ("", .plain), count: max(0, rows - 1 - lines.count))
        lines.append((keys, .heading))
        var text = "\u{1B}[H"
        for (index, line) in lines.enumerated() {
            let shown = Self.cut(line.text, to: columns)
            switch line.style {
            case .heading where isColoured: text += "\u{1B}[1m\(shown)\u{1B}[0m"
            case .alarm where isColoured: text += "\u{1B}[31m\(shown)\u{1B}[0m"
            default: text += shown
            }
            // Behind a line that fills the row the cursor still stands on its last character.
            if shown.count < columns { text += "\u{1B}[K" }
            if index < lines.count - 1 { text += "\r\n" }
        }
        return text
    }

    /// A row for each pipeline, and what else there is room for.
    private func table(columns: Int, rows: Int) -> [Line] {
        let longest = min(24, max(8, reports.map(\.name.count).max() ?? 0))
        let nameWidth = min(longest, max(9, columns - Self.usualWidth - 1)) + 1
        var room = columns - nameWidth
        var shown: Set<Int> = []
        for (index, column) in Self.columns.enumerated().sorted(by: { $0.element.rank < $1.element.rank }) {
            guard column.width <= room else { break }
            shown.insert(index)
            room -= column.width
        }
        let chosen = Self.columns.indices.filter(shown.contains).map { Self.columns[$0] }
        let hasTime = room >= Self.timeWidth + 2
        if hasTime { room -= Self.timeWidth + 2 }
        let barCount = room >= 13 ? min(Self.depth, room - 2) : 0
        var heading = Self.pad("PIPELINE", nameWidth) + chosen.map { Self.right($0.title, $0.width) }.joined()
        if hasTime { heading += Self.right("WATERMARK", Self.timeWidth + 2) }
        if barCount > 0 { heading += "  LAST MINUTE" }

        let sorted = sorted()
        var blocks: [[Line]] = sorted.map { report in
            let history = histories[report.name]
            var line = Self.pad(report.name, nameWidth)
            for column in chosen { line += Self.right(column.cell(report, history), column.width) }
            if hasTime { line += Self.right(Self.time(report) ?? "-", Self.timeWidth + 2) }
            if barCount > 0 { line += "  " + Sparkline.text(history?.rates ?? [], width: barCount) }
            return [(line, report.isInTrouble ? .alarm : .plain)]
        }
        if !hasTime || barCount == 0 {
            Self.append(
                sorted.map { report in
                    var line = "  "
                    if !hasTime { line += (columns < 60 ? "" : "watermark ") + (Self.time(report) ?? "-") + "  " }
                    if barCount == 0 {
                        let rates = histories[report.name]?.rates ?? []
                        line += Sparkline.text(rates, width: columns - line.count - 1)
                    }
                    return [(line, .plain)]
                },
                to: &blocks,
                rows: rows - 1
            )
        }
        Self.append(
            sorted.map { report in
                var lines: [Line] = report.lastError.map { [("  \($0)", .alarm)] } ?? []
                for count in report.group + report.counts where count.value > 0 {
                    lines.append(("  \(Quantity.grouped(UInt64(count.value))) \(count.name)", .plain))
                }
                return lines
            },
            to: &blocks,
            rows: rows - 1
        )
        var lines = blocks.flatMap(\.self)
        let most = max(0, rows - 1)
        if lines.count > most, most > 0 {
            lines = Array(lines.prefix(most - 1)) + [("… and \(lines.count - most + 1) more", .plain)]
        }
        return [(heading, .heading)] + lines
    }

    /// Adds lines to the blocks, if there is room for all of them.
    private static func append(_ more: [[Line]], to blocks: inout [[Line]], rows: Int) {
        guard blocks.joined().count + more.joined().count <= rows else { return }
        for index in blocks.indices { blocks[index] += more[index] }
    }

    private static func time(_ report: StatusReport) -> String? {
        report.watermark.map {
            String(Timestamp(nanosecondsSinceEpoch: Int64($0) * 1_000_000_000).description.prefix(timeWidth))
        }
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

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        let cut = cut(text, to: width - 1)
        return cut + String(repeating: " ", count: max(0, width - cut.count))
    }

    /// The start of a text, without characters that would do something to a terminal.
    private static func cut(_ text: String, to width: Int) -> String {
        let shown = text.count > width ? text.prefix(max(0, width - 1)) + "…" : text[...]
        return String(
            shown.prefix(max(0, width)).map { $0.unicodeScalars.contains(where: Excerpt.isActive) ? "?" : $0 }
        )
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
