public import WeirCore

/// The things that matter most of many, such as the posts that moved a sum most.
///
/// Thread safety: any thread.
public final class ReportRanking: Sendable {
    /// A thing, and how much it matters.
    public struct Row: Sendable {
        /// How much it matters.
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

    /// Adds a thing, if it matters enough.
    ///
    /// - Parameters:
    ///   - weight: How much it matters; of things that matter the same the first ones stay. NaN matters not at all.
    ///   - time: When it happened.
    ///   - cells: Makes a text for each column; called only where the thing stays for now.
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
