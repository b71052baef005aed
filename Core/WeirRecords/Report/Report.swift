public import WeirCore

/// What a run shows to people afterwards: charts, and the matches on them.
///
/// A plugin that finds one in its ``MatchOutput/report`` draws what helps to understand its matches:
///
///     if let report = output.report {
///         let chart = report.chart("Acceleration", unit: "g")
///         let line = chart.line("x")
///         readings.attach(ReportSink { reading, time in line.add(reading.x, at: time) })
///     }
///
/// Memory is bounded: lines keep minima and maxima of stretches that grow with the input, and everything else has a limit
/// beyond which it is only counted.
///
/// Thread safety: any thread.
public final class Report: Sendable {
    /// How much a report keeps.
    public enum Limit {
        /// Charts.
        public static let charts = 24
        /// Lines of a chart.
        public static let lines = 12
        /// Stretches of a line.
        public static let stretches = 1_024
        /// Marks of a chart, and bands of a chart; of more, a sample spread evenly over all is kept.
        public static let marks = 2_000
        /// Matches, and their bytes in all.
        public static let matches = 1_000, matchBytes = 128 << 10
        /// Rankings, and rows of a ranking.
        public static let rankings = 4, rows = 20
    }

    /// A match, as it was written.
    public struct Match: Sendable {
        /// Its event time; `nil` if unknown.
        public let time: Timestamp?

        /// The line of JSON, without its line feed.
        public let line: [UInt8]
    }

    /// How much of the input is drawn, such as how many of the recordings.
    public struct Coverage: Sendable, Hashable {
        /// What is counted, as a plural.
        public let name: String

        /// How many of them are drawn.
        public let drawn: Int

        /// How many there are.
        public let total: Int
    }

    private struct State {
        var coverages: [Coverage] = []
        var charts: [ReportChart] = []
        var refusedCharts = 0
        var rankings: [ReportRanking] = []
        var matches: [Match] = []
        var matchBytes = 0
        var matchCount: UInt64 = 0
    }

    private let state = Locked(State())

    /// Creates an empty report.
    public init() {}

    /// Adds a chart.
    ///
    /// - Parameters:
    ///   - title: What it shows.
    ///   - unit: The unit of its values; empty where they have none.
    /// - Returns: The chart; beyond ``Limit/charts`` one that is not shown.
    public func chart(_ title: String, unit: String = "") -> ReportChart {
        let chart = ReportChart(title: title, unit: unit)
        state.withLock { state in
            if state.charts.count < Limit.charts {
                state.charts.append(chart)
            } else {
                state.refusedCharts += 1
            }
        }
        return chart
    }

    /// Adds a ranking.
    ///
    /// - Parameters:
    ///   - title: What it shows.
    ///   - columns: The names of its columns.
    /// - Returns: The ranking; beyond ``Limit/rankings`` one that is not shown.
    public func ranking(_ title: String, columns: [String]) -> ReportRanking {
        let ranking = ReportRanking(title: title, columns: columns)
        state.withLock { state in
            if state.rankings.count < Limit.rankings { state.rankings.append(ranking) }
        }
        return ranking
    }

    /// The rankings, in the order in which they were added.
    public var rankings: [ReportRanking] { state.withLock { $0.rankings } }

    /// The charts, in the order in which they were added.
    public var charts: [ReportChart] { state.withLock { $0.charts } }

    /// How many charts found no room.
    public var refusedChartCount: Int { state.withLock { $0.refusedCharts } }

    /// Sets how much of the input is drawn.
    ///
    /// - Parameters:
    ///   - name: What is counted, as a plural, such as `recordings`; a later call of the same name takes the place of
    ///     an earlier one.
    ///   - drawn: How many of them are drawn.
    ///   - total: How many there are.
    public func cover(_ name: String, drawn: Int, of total: Int) {
        state.withLock { state in
            let coverage = Coverage(name: name, drawn: drawn, total: total)
            if let index = state.coverages.firstIndex(where: { $0.name == name }) {
                state.coverages[index] = coverage
            } else if state.coverages.count < Limit.charts {
                state.coverages.append(coverage)
            }
        }
    }

    /// What ``cover(_:drawn:of:)`` was told, in the order of the names.
    public var coverages: [Coverage] { state.withLock { $0.coverages } }

    /// The first matches, in the order in which they were written.
    public var matches: [Match] { state.withLock { $0.matches } }

    /// How many matches there were in all.
    public var matchCount: UInt64 { state.withLock { $0.matchCount } }

    /// How many bytes a page writes for a byte of a match: it escapes what ends a text of JSON, or begins a tag.
    private static func size(inPage byte: UInt8) -> Int {
        switch byte {
        case ..<0x20, UInt8(ascii: "<"): 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        default: 1
        }
    }

    /// Adds a match.
    ///
    /// - Parameters:
    ///   - line: The line of JSON, without its line feed.
    ///   - time: Its event time, where it is known.
    public func addMatch(_ line: [UInt8], at time: Timestamp?) {
        addMatch(at: time) { line }
    }

    /// Adds a match.
    ///
    /// - Parameters:
    ///   - time: Its event time, where it is known.
    ///   - line: Makes the line of JSON, without its line feed; called where there may be room for it.
    func addMatch(at time: Timestamp?, _ line: () -> [UInt8]) {
        state.withLock { state in
            state.matchCount += 1
            // The first matches that there is room for: none after one that there was none for.
            guard state.matches.count < Limit.matches, state.matchBytes < Limit.matchBytes else { return }
            let line = line()
            state.matchBytes += line.reduce(0) { $0 + Self.size(inPage: $1) }
            guard state.matchBytes <= Limit.matchBytes else { return }
            state.matches.append(Match(time: time, line: line))
        }
    }
}
