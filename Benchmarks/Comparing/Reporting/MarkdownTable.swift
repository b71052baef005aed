/// Rows as a table, in Markdown that can also be read as it is.
public struct MarkdownTable: CustomStringConvertible {
    private let rows: [[String]]

    /// Creates a table.
    public init(_ rows: [Row]) {
        let header = ["what", "median", "min–max", "unit", "beside", "ratio", "min–max", "goal", ""]
        self.rows = [header] + rows.map(Self.cells(of:))
    }

    private static func cells(of row: Row) -> [String] {
        [
            row.isPeer ? "*\(row.name)*" : row.name,
            row.median.map(short) ?? "",
            range(row.min, row.max),
            row.unit,
            row.limit ?? "",
            row.ratio.map { short($0.median) } ?? "",
            range(row.ratio?.min, row.ratio?.max),
            row.goal ?? "",
            row.failure.map { "FAILED: \($0)" } ?? row.meetsGoal.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }

    private static func range(_ least: Double?, _ greatest: Double?) -> String {
        guard let least, let greatest else { return "" }
        return "\(short(least))–\(short(greatest))"
    }

    public var description: String {
        let escaped = rows.map { row in
            row.map { String($0.split(separator: "\n").joined(separator: " ")).replacing("|", with: "\\|") }
        }
        let widths = (escaped.first ?? []).indices.map { column in escaped.map { $0[column].count }.max() ?? 0 }
        var lines = escaped.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| \(cells.joined(separator: " | ")) |"
        }
        lines.insert("|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined(), at: 1)
        return lines.joined(separator: "\n")
    }
}
