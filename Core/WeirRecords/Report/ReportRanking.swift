public import WeirCore

/// The entries of the greatest weight, such as the posts that moved a sum most.
///
/// Thread safety: any thread.
public final class ReportRanking: Sendable {
    /// An entry, and its weight.
    public struct Row: Sendable {
        /// How much the entry matters.
        public let weight: Double

        /// When it happened.
        public let time: Timestamp

        /// A text for each column.
        public let cells: [String]
    }

    /// What the ranking shows.
    public let title: String

    /// The names of the columns.
    public let columns: [String]

    private let state = Locked<[Row]>([])

    init(title: String, columns: [String]) {
        self.title = title
        self.columns = columns
    }

    /// Adds an entry, if its weight is great enough.
    ///
    /// - Parameters:
    ///   - weight: How much the entry matters; of equal weights the first ones stay. NaN is never added.
    ///   - time: When it happened.
    ///   - cells: Makes a text for each column; called only where the entry is kept for now.
    /// - Complexity: O(1) for most; O(``Report/Limit/rows``) for what stays.
    public func add(weight: Double, at time: Timestamp, cells: () -> [String]) {
        let isOfUse = state.withLock { rows in
            guard !weight.isNaN else { return false }
            return rows.count < Report.Limit.rows || rows[rows.count - 1].weight < weight
        }
        guard isOfUse else { return }
        let row = Row(weight: weight, time: time, cells: cells())
        state.withLock { rows in
            let place = rows.firstIndex { $0.weight < weight } ?? rows.count
            rows.insert(row, at: place)
            if rows.count > Report.Limit.rows { rows.removeLast() }
        }
    }

    /// What matters most, the most important first.
    public var rows: [Row] { state.withLock { $0 } }
}
