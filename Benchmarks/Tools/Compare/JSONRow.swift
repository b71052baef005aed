internal import Comparing
internal import Foundation

/// A row of the tables, for programs.
struct JSONRow: Encodable {
    let suite: String
    let name: String
    let unit: String
    let isPeer: Bool
    let median: Double?
    let min: Double?
    let max: Double?

    /// The name of the row that this one is divided by.
    let limit: String?
    let ratio: Ratio?

    /// What others take for the same work, divided by this row.
    let peers: [String: Ratio]

    /// `nil` without a goal.
    let meetsGoal: Bool?

    /// Whether the result was what it must be in every round.
    let checksumOK: Bool
    let failure: String?

    struct Ratio: Encodable {
        let median: Double
        let min: Double
        let max: Double

        init(_ spread: Spread) {
            (median, min, max) = (spread.median, spread.least, spread.greatest)
        }
    }

    init(_ suite: String, _ comparison: Comparison, among comparisons: [Comparison]) {
        let workload = comparison.workload
        self.suite = suite
        name = workload.name
        unit = workload.unit.symbol
        isPeer = workload.isPeer
        median = comparison.value?.median
        min = comparison.value?.least
        max = comparison.value?.greatest
        limit = workload.limit
        ratio = comparison.ratio.map { Ratio($0) }
        let peers = comparisons.filter { $0.workload.isPeer && $0.workload.limit == workload.name }
        self.peers = Dictionary(
            uniqueKeysWithValues: peers.compactMap { peer in peer.ratio.map { (peer.workload.name, Ratio($0)) } }
        )
        meetsGoal = comparison.meetsGoal
        checksumOK = comparison.failure == nil
        failure = comparison.failure
    }

    /// The rows as an array of objects, the keys in alphabetical order; what does not apply is left out.
    static func text(of rows: [JSONRow]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }
}
