internal import Comparing

/// Charts of nanoseconds per event against the size of something, both on logarithmic axes, as one SVG.
///
/// Readable on light and on dark pages: the picture brings its own background, and follows what the reader prefers.
public struct Picture: CustomStringConvertible {
    private let charts: [Chart]
    private let note: String

    /// Draws the rows that have a place in a chart; those without a figure are left out.
    ///
    /// - Parameters:
    ///   - rows: The rows; charts and lines come in the order of their first points.
    ///   - note: What they were measured on.
    public init(_ rows: [Row], note: String) {
        self.note = note
        let points = rows.compactMap { row in
            row.point.flatMap { point in row.median.map { (point, $0, row.min ?? $0, row.max ?? $0) } }
        }
        var charts: [Chart] = []
        for (point, median, least, greatest) in points where median > 0 && least > 0 {
            let chart = charts.firstIndex { $0.axis == point.axis } ?? charts.endIndex
            if chart == charts.endIndex { charts.append(Chart(axis: point.axis)) }
            let mark = Chart.Mark(size: point.size, median: median, least: least, greatest: greatest)
            charts[chart].add(mark, to: point.series)
        }
        self.charts = charts
    }

    private static let columns = 2
    private static let head = 82.0

    public var description: String {
        let rowCount = (charts.count + Self.columns - 1) / Self.columns
        let width = Double(Self.columns) * Chart.width
        let height = Self.head + Double(rowCount) * Chart.height
        let panels = charts.enumerated().map { index, chart in
            let (row, column) = index.quotientAndRemainder(dividingBy: Self.columns)
            let (x, y) = (Double(column) * Chart.width, Self.head + Double(row) * Chart.height)
            return #"<g transform="translate(\#(number(x)) \#(number(y)))">"# + "\n\(chart)\n</g>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
            width="\(number(width))" height="\(number(height))" role="img" aria-label="Nanoseconds per event">
            <style>\(Self.style)</style>
            <rect class="page" width="100%" height="100%"/>
            <text class="title" x="24" y="30">Nanoseconds per event</text>
            <text class="note" x="24" y="50">Both axes are logarithmic, less is better; \
            a point is the median of the rounds, the bar their range.</text>
            <text class="note" x="24" y="67">\(escaped(note))</text>
            \(panels.joined(separator: "\n"))
            </svg>

            """
    }

    /// The colours of the lines keep apart for those who do not see all of them, and so do their marks.
    private static let style = """

        :root { --page: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #d9dee3;
          --weir: #0550ae; --limit: #7a828b; --peer0: #c4432b; --peer1: #8a4fbf; --peer2: #9a6700; }
        @media (prefers-color-scheme: dark) { :root { --page: #0d1117; --ink: #e6edf3; --faint: #9198a1; --grid: #2b323b;
          --weir: #6cb6ff; --limit: #8b949e; --peer0: #ff8f75; --peer1: #d2a8ff; --peer2: #e3b341; } }
        .page { fill: var(--page) }
        text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--faint) }
        .title { font-size: 17px; font-weight: 600; fill: var(--ink) }
        .axis { font-size: 14px; font-weight: 600; fill: var(--ink) }
        .name { fill: var(--ink) }
        .end { text-anchor: end } .middle { text-anchor: middle }
        .grid { stroke: var(--grid); stroke-width: 1; fill: none }
        .line { fill: none; stroke-width: 2 } .bar { stroke-width: 1.5; opacity: .55 }
        .weir { stroke: var(--weir); --own: var(--weir) } .weir.line { stroke-width: 3 }
        .limit { stroke: var(--limit); --own: var(--limit) } .limit.line { stroke-dasharray: 6 4 }
        .peer0 { stroke: var(--peer0); --own: var(--peer0) } .peer1 { stroke: var(--peer1); --own: var(--peer1) }
        .peer2 { stroke: var(--peer2); --own: var(--peer2) }
        .mark { fill: var(--own); stroke: none }

        """
}
