public import Comparing
public import Foundation

/// What is known about one workload after a run: a line of the tables, an object of the JSON, a point of the charts.
public struct Row: Codable, Sendable, Equatable {
    public let suite: String
    public let name: String
    public let unit: String

    /// Whether this is another library's way of doing the work that `limit` names.
    public let isPeer: Bool

    /// In the unit; `nil` for what failed, as `min` and `max` are.
    public let median: Double?
    public let min: Double?
    public let max: Double?

    /// The name of the row that this one is divided by.
    public let limit: String?

    /// The cost divided by that of the limit, in the same round.
    public let ratio: Ratio?

    /// What others take for the same work, divided by this row, by their names.
    public let peers: [String: Ratio]

    /// Such as "≤ 2.50 ×", where there is one.
    public let goal: String?

    /// `nil` without a goal.
    public let meetsGoal: Bool?

    /// Whether the result was what it must be in every round.
    public let checksumOK: Bool
    public let failure: String?

    /// How many rounds counted.
    public let rounds: Int
    public let point: ChartPoint?

    /// Costs divided by others.
    public struct Ratio: Codable, Sendable, Equatable {
        public let median: Double
        public let min: Double
        public let max: Double

        init(_ spread: Spread) {
            (median, min, max) = (spread.median, spread.least, spread.greatest)
        }
    }
}

extension Row {
    /// The rows of a suite.
    ///
    /// - Parameters:
    ///   - comparisons: What its workloads came to.
    ///   - suite: Its name.
    /// - Returns: A row for each, in the same order.
    public static func rows(of comparisons: [Comparison], in suite: String) -> [Row] {
        comparisons.map { comparison in
            let name = comparison.workload.name
            let peers = comparisons.filter { $0.workload.isPeer && $0.workload.limit == name }
            return Row(suite, comparison, beside: peers)
        }
    }

    private init(_ suite: String, _ comparison: Comparison, beside peers: [Comparison]) {
        let workload = comparison.workload
        self.init(
            suite: suite,
            name: workload.name,
            unit: workload.unit.symbol,
            isPeer: workload.isPeer,
            median: comparison.value?.median,
            min: comparison.value?.least,
            max: comparison.value?.greatest,
            limit: workload.limit,
            ratio: comparison.ratio.map { Ratio($0) },
            peers: Dictionary(
                uniqueKeysWithValues: peers.compactMap { peer in peer.ratio.map { (peer.workload.name, Ratio($0)) } }
            ),
            goal: workload.goal.map(Self.text(of:)),
            meetsGoal: comparison.meetsGoal,
            checksumOK: comparison.failure == nil,
            failure: comparison.failure,
            rounds: comparison.rounds,
            point: workload.point
        )
    }

    /// The row of a suite that came to no end.
    ///
    /// - Parameters:
    ///   - suite: Its name.
    ///   - reason: What happened to it.
    public init(failureOf suite: String, _ reason: String) {
        self.init(
            suite: suite,
            name: "the whole suite",
            unit: "",
            isPeer: false,
            median: nil,
            min: nil,
            max: nil,
            limit: nil,
            ratio: nil,
            peers: [:],
            goal: nil,
            meetsGoal: nil,
            checksumOK: false,
            failure: reason,
            rounds: 0,
            point: nil
        )
    }

    private static func text(of goal: Workload.Goal) -> String {
        switch goal {
        case .ratio(let greatest): "≤ \(short(greatest)) ×"
        case .atLeast(let least): "≥ \(short(least))"
        case .atMost(let greatest): "≤ \(short(greatest))"
        }
    }
}

extension Row {
    /// The rows as an array of objects, the keys in alphabetical order; what does not apply is left out.
    ///
    /// - Parameter rows: The rows.
    /// - Returns: The text.
    /// - Throws: When a row cannot be written.
    public static func json(_ rows: [Row]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }

    /// Reads rows that ``json(_:)`` has written.
    ///
    /// - Parameter data: The text in UTF-8.
    /// - Returns: The rows.
    /// - Throws: When the text is something else.
    public static func rows(fromJSON data: Data) throws -> [Row] {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return try decoder.decode([Row].self, from: data)
    }
}
