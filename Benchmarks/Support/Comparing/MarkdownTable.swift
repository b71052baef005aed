/// Comparisons as a table, in Markdown that can also be read as it is.
public struct MarkdownTable: CustomStringConvertible {
    private let rows: [[String]]

    /// Creates a table with a row for each comparison.
    public init(_ comparisons: [Comparison]) {
        let header = ["what", "median", "min–max", "unit", "beside", "ratio", "min–max", "goal", ""]
        rows = [header] + comparisons.map(Self.cells(of:))
    }

    private static func cells(of comparison: Comparison) -> [String] {
        let (value, ratio) = (comparison.value, comparison.ratio)
        return [
            comparison.workload.name,
            value.map { short($0.median) } ?? "",
            value.map { "\(short($0.least))–\(short($0.greatest))" } ?? "",
            comparison.workload.unit.symbol,
            comparison.workload.limit ?? "",
            ratio.map { short($0.median) } ?? "",
            ratio.map { "\(short($0.least))–\(short($0.greatest))" } ?? "",
            comparison.workload.goal.map(text(of:)) ?? "",
            verdict(on: comparison),
        ]
    }

    private static func verdict(on comparison: Comparison) -> String {
        if let failure = comparison.failure { return "FAILED: \(failure)" }
        return comparison.meetsGoal.map { $0 ? "met" : "MISSED" } ?? ""
    }

    private static func text(of goal: Workload.Goal) -> String {
        switch goal {
        case .ratio(let greatest): "≤ \(short(greatest)) ×"
        case .atLeast(let least): "≥ \(short(least))"
        case .atMost(let greatest): "≤ \(short(greatest))"
        }
    }

    /// A number with three significant digits, or as it is when it is whole.
    private static func short(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 99.95, value != value.rounded() else {
            return value.isFinite ? String(Int(value.rounded())) : "\(value)"
        }
        var unit = 10
        while unit < 10_000, (value.magnitude * Double(unit)).rounded() < 100 { unit *= 10 }
        let scaled = Int((value.magnitude * Double(unit)).rounded())
        let decimals = String(unit + scaled % unit).dropFirst()
        return "\(value < 0 ? "-" : "")\(scaled / unit).\(decimals)"
    }

    public var description: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| \(cells.joined(separator: " | ")) |"
        }
        lines.insert("|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined(), at: 1)
        return lines.joined(separator: "\n")
    }
}
