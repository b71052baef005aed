public import WeirCore

/// A chart over event time: lines, and marks and bands on them.
///
/// Thread safety: any thread.
public final class ReportChart: Sendable {
    /// How a mark or band looks.
    public enum Look: String, Sendable {
        /// Something was found.
        case found
        /// Good: blue.
        case good
        /// Bad: red.
        case bad
    }

    /// A point in time that matters.
    public struct Mark: Sendable {
        public let time: Timestamp
        public let label: String
        public let look: Look
    }

    /// A stretch of time that matters.
    public struct Band: Sendable {
        public let start, end: Timestamp
        public let label: String
        public let look: Look
    }

    private struct State {
        var lines: [ReportLine] = []
        var lineCount = 0
        var marks = EvenSample<Mark>(limit: Report.Limit.marks)
        var bands = EvenSample<Band>(limit: Report.Limit.marks)
        var openBand: (start: Timestamp, label: String, look: Look)?
    }

    /// What the chart shows.
    public let title: String

    /// The unit of its values; empty where they have none.
    public let unit: String

    private let state = Locked(State())

    init(title: String, unit: String) {
        self.title = title
        self.unit = unit
    }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - name: What it shows.
    ///   - isStepped: Whether a value holds until the next, rather than changing evenly towards it.
    /// - Returns: The line; beyond ``Report/Limit/lines`` one that is not shown.
    public func line(_ name: String, isStepped: Bool = false) -> ReportLine {
        let line = ReportLine(name: name, isStepped: isStepped)
        state.withLock { state in
            state.lineCount += 1
            if state.lines.count < Report.Limit.lines { state.lines.append(line) }
        }
        return line
    }

    /// Marks a point in time.
    ///
    /// - Parameters:
    ///   - label: What it is; its part before a colon is its kind, which has a colour and a shape of its own.
    ///   - time: When.
    ///   - look: How it looks.
    public func mark(_ label: String, at time: Timestamp, look: Look = .found) {
        state.withLock { $0.marks.add(Mark(time: time, label: label, look: look)) }
    }

    /// Starts a band, which lasts until the next one starts, or the chart ends.
    ///
    /// - Parameters:
    ///   - label: What holds from now on.
    ///   - time: From when on.
    ///   - look: How it looks.
    public func startBand(_ label: String, at time: Timestamp, look: Look) {
        state.withLock { state in
            Self.closeBand(of: &state, at: time)
            state.openBand = (time, label, look)
        }
    }

    private static func closeBand(of state: inout State, at time: Timestamp) {
        guard let band = state.openBand else { return }
        state.bands.add(Band(start: band.start, end: max(time, band.start), label: band.label, look: band.look))
    }

    /// The lines, in the order in which they were added.
    public var lines: [ReportLine] { state.withLock { $0.lines } }

    /// The marks; of more than ``Report/Limit/marks`` a sample that is spread evenly over all of them.
    public var marks: [Mark] { state.withLock { $0.marks.elements } }

    /// The bands, sampled like the marks; one that was not ended lasts to the youngest value or mark.
    public var bands: [Band] {
        let end = youngest
        return state.withLock { state in
            var copy = state
            if let end { Self.closeBand(of: &copy, at: end) }
            return copy.bands.elements
        }
    }

    /// How many lines were added.
    public var lineCount: Int { state.withLock { $0.lineCount } }

    /// How many marks were added.
    public var markCount: Int { state.withLock { $0.marks.count } }

    /// How many bands were started.
    public var bandCount: Int { state.withLock { $0.bands.count + ($0.openBand == nil ? 0 : 1) } }

    private var youngest: Timestamp? {
        let values = lines.compactMap(\.youngest)
        return (values + marks.map(\.time)).max()
    }
}
