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
        var refusedLines = 0
        var marks: [Mark] = []
        var refusedMarks = 0
        var bands: [Band] = []
        var openBand: (start: Timestamp, label: String, look: Look)?
        var refusedBands = 0
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
            if state.lines.count < Report.Limit.lines {
                state.lines.append(line)
            } else {
                state.refusedLines += 1
            }
        }
        return line
    }

    /// Marks a point in time.
    ///
    /// - Parameters:
    ///   - label: What it is.
    ///   - time: When.
    ///   - look: How it looks.
    public func mark(_ label: String, at time: Timestamp, look: Look = .found) {
        state.withLock { state in
            if state.marks.count < Report.Limit.marks {
                state.marks.append(Mark(time: time, label: label, look: look))
            } else {
                state.refusedMarks += 1
            }
        }
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
        if state.bands.count < Report.Limit.marks {
            state.bands.append(Band(start: band.start, end: max(time, band.start), label: band.label, look: band.look))
        } else {
            state.refusedBands += 1
        }
    }

    /// The lines, in the order in which they were added.
    public var lines: [ReportLine] { state.withLock { $0.lines } }

    /// The first marks.
    public var marks: [Mark] { state.withLock { $0.marks } }

    /// The first bands; one that was not ended lasts to the youngest value or mark.
    public var bands: [Band] {
        let end = youngest
        return state.withLock { state in
            var copy = state
            if let end { Self.closeBand(of: &copy, at: end) }
            return copy.bands
        }
    }

    /// How many lines, marks and bands found no room.
    public var refusedCount: Int {
        state.withLock { state in
            let isLastRefused = state.openBand != nil && state.bands.count >= Report.Limit.marks
            return state.refusedLines + state.refusedMarks + state.refusedBands + (isLastRefused ? 1 : 0)
        }
    }

    private var youngest: Timestamp? {
        let values = lines.compactMap(\.youngest)
        return (values + marks.map(\.time)).max()
    }
}
