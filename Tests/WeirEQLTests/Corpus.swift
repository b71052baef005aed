import Foundation
import TestPlugins
import WeirEQL
import WeirQueries
import WeirRecords

/// A case of the corpora: a query, events, and what comes of it.
struct CorpusCase {
    let id: String
    var query: String
    let tags: Set<String>
    let divergences: Set<String>
    let dialect: String
    let idField: String
    var events: [[String: Any]]
    let expected: Any

    /// The identifiers of the events of each match, with -1 for a missing event; `nil` where nothing of that kind is expected.
    var matches: [[Int]]? {
        if let matches = expected as? [[Int]] { return matches }
        return (expected as? [String: Any])?["matches"] as? [[Int]]
    }

    var expectsError: Bool { (expected as? [String: Any])?["error"] != nil }

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - data: The events that rows name.
    init(_ row: [String: Any], _ data: [String: Any] = [:]) {
        id = row["id"] as? String ?? ""
        query = row["query"] as? String ?? ""
        tags = Set(row["tags"] as? [String] ?? [])
        divergences = Set(row["es_divergence"] as? [String] ?? [])
        dialect = row["dialect"] as? String ?? ""
        idField = row["id_field"] as? String ?? "id"
        expected = row["expect"] ?? row["expected"] ?? [:]
        let named = (row["data"] as? String).flatMap { data[$0] as? [[String: Any]] }
        let all = named ?? row["events"] as? [[String: Any]] ?? []
        // Samples have no times; those of other events are not in order everywhere.
        let timed = all.enumerated().map { index, event in
            event["timestamp"] == nil ? event.merging(["timestamp": index]) { first, _ in first } : event
        }
        events = timed.enumerated().sorted { left, right in
            (Self.time(left.element), left.offset) < (Self.time(right.element), right.offset)
        }.map(\.element)
    }

    private static func time(_ event: [String: Any]) -> Int { event["timestamp"] as? Int ?? 0 }

    /// The folders with corpora: the shared one, and the one that the environment names.
    static var folders: [String] {
        let named = ProcessInfo.processInfo.environment["WEIR_EQL_CORPUS"].map { [$0] } ?? []
        return (["../shared/corpora/eql"] + named).filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// The cases of a file of all folders.
    static func all(in file: String) throws -> [CorpusCase] {
        try folders.flatMap { folder -> [CorpusCase] in
            let data = (try? object(at: "\(folder)/elasticsearch-qa-data.json")) ?? [:]
            guard let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) else { return [] }
            return try text.split(separator: "\n").map { line in
                CorpusCase(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:], data)
            }
        }
    }

    private static func object(at path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// What Weir makes of the case.
    ///
    /// - Parameter fields: The types of some fields.
    /// - Returns: Each match as an object.
    /// - Throws: What the language or the reader throws, and ``CorpusError`` where a record was refused.
    func run(_ fields: [String: QuerySchema.FieldType] = [:]) throws -> [[String: Any]] {
        try run(try EQL().compile(query, against: Self.schema(fields)), fields)
    }

    /// What is known of the events of all cases.
    static func schema(_ fields: [String: QuerySchema.FieldType] = [:]) -> QuerySchema {
        QuerySchema(fields: fields.mapValues { .some($0) }, categoryFields: ["event_type"], timeField: "timestamp")
    }

    /// What Weir makes of another plan over the events of the case.
    func run(_ plan: QueryPlan, _ fields: [String: QuerySchema.FieldType] = [:]) throws -> [[String: Any]] {
        let schema = Self.schema(fields)
        let plugin = EQL().makePlugin([QueryRule(name: "rule", plan: plan)], over: schema)
        let lines = try events.map { try JSONSerialization.data(withJSONObject: $0) }
        let run = try PluginRun(plugin, jsonLines: lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined())
        guard run.rejections.isEmpty else { throw CorpusError(reasons: run.reasons) }
        return try run.lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }

    /// The identifiers of the events of matches.
    func identifiers(_ matches: [[String: Any]]) -> [[Int]] {
        matches.map { match in
            (match["events"] as? [Any] ?? []).map { event in
                (event as? [String: Any]).map { $0[idField] as? Int ?? 0 } ?? -1
            }
        }
    }
}

struct CorpusError: Error {
    let reasons: [String]
}
