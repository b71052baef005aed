import Foundation
import Testing
import WeirCore
import WeirQueries
import WeirRecords

/// What is said of the partial matches of random plans, against the matches of the engine and the plainest way to count.
@Suite
struct RandomNearMatches {
    /// A partial match as it was written.
    struct Near {
        let ending: String
        let ids: [Int]
        /// The place in the plan of the step that lacks an event, and what came closest.
        let step: Int?
        let closest: Int?
        let failed: [String]
        /// The event that ended it.
        let by: Int?

        init(_ line: String) throws {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            func id(_ any: Any?) -> Int? { ((any as? [String: Any])?["event"] as? [String: Any])?["id"] as? Int }
            ending = try #require(object["ending"] as? String)
            ids = try #require(object["events"] as? [Any]).compactMap { id($0) }
            let missed = try #require(object["missed"] as? [[String: Any]]).first
            step = (missed?["step"] as? Int).map { $0 - 1 }
            closest = id(missed?["closest"])
            let conditions = (missed?["closest"] as? [String: Any])?["failed"] as? [[String: Any]]
            failed = conditions?.compactMap { $0["condition"] as? String } ?? []
            by = id(object["by"])
        }
    }

    @Test(arguments: 0..<10)
    func areWhatTheEngineDecides(part: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let start = environment["WEIR_SEED"].flatMap(UInt64.init) ?? UInt64(part) * 1_000_000
        let count = environment["WEIR_CASES"].flatMap(UInt64.init) ?? 200
        for seed in start..<start + count {
            var maker = RandomQueries.Maker(random: SeededGenerator(seed: seed))
            var plan = maker.plan()
            plan.pipes = []
            var events = maker.events()
            for index in events.indices { events[index].time *= 1_000_000 }
            let capacity = 1 + maker.below(20)
            do {
                try Self.check(plan, events, capacity)
            } catch {
                Issue.record("seed \(seed): \(plan)\n\(events)\n\(error)")
                return
            }
        }
    }

    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private static func check(_ plan: QueryPlan, _ events: [NaiveQuery.Event], _ capacity: Int) throws {
        func require(_ condition: Bool, _ words: @autoclosure () -> String) throws {
            if !condition { throw Difference(description: words()) }
        }
        let naive = NaiveQuery(plan: plan, events: events)
        let plugin = QueryPlugin([QueryRule(name: "r", plan: plan)], over: EngineRun.schema).explainingNearMatches()
        let lines = try EngineRun.lines(
            plugin,
            options: ["near": "10000", "output": "json"],
            events,
            capacity: capacity
        )
        let near = try lines.map { try Near($0) }
        let matches = try EngineRun(plan, events, capacity: capacity).matches.map { $0.events.compactMap(\.self) }
        let complete = near.filter { $0.ending == "complete" }.map(\.ids)
        try require(
            complete.sorted { $0.lexicographicallyPrecedes($1) }
                == matches.sorted { $0.lexicographicallyPrecedes($1) },
            "complete \(complete), matches \(matches)"
        )
        let title = try EngineRun.lines(plugin, events, capacity: capacity)[0]
        try checkCounts(plan, naive, title, matches.count, require)
        guard case .sequence(let sequence) = plan.situation else { return }
        for near in near {
            guard let step = near.step else { continue }
            try checkClosest(near, sequence.steps[step], sequence, naive, require)
        }
    }

    typealias Requirement = (Bool, @autoclosure () -> String) throws -> Void

    /// Each partial match that begins ends once, as a match or for one reason.
    private static func checkCounts(
        _ plan: QueryPlan,
        _ naive: NaiveQuery,
        _ title: String,
        _ matchCount: Int,
        _ require: Requirement
    ) throws {
        func numbers(_ text: Substring) -> [Int] {
            text.split { !$0.isNumber }.compactMap { Int($0) }
        }
        guard case .sequence(let sequence) = plan.situation, let first = sequence.steps.first(where: { !$0.isMissing })
        else { return }
        let begun = naive.events.indices.filter { naive.satisfies($0, first) }
            .reduce(0) { $0 + naive.keys($1, first).count }
        let head = title.prefix { $0 != "(" }
        // Of 'r: no match, 3 partial matches'.
        let counts = numbers(head.hasPrefix("r: no match") ? "0 " + head.dropFirst(11) : head)
        let partial = counts.count > 1 ? counts[1] : 0
        try require(counts[0] == matchCount && partial + matchCount == begun, "\(title), but \(begun) began")
        let reasons = title.dropFirst(head.count).prefix { $0 != ")" }
        try require(numbers(reasons).reduce(0, +) == partial, "the reasons of \(title)")
    }

    /// The event that came closest is the one with the fewest failing parts, which fail.
    private static func checkClosest(
        _ near: Near,
        _ step: QueryPlan.Step,
        _ sequence: QueryPlan.Sequence,
        _ naive: NaiveQuery,
        _ require: Requirement
    ) throws {
        guard let first = near.ids.first, let last = near.ids.last else { return }
        let stages = sequence.steps.filter { !$0.isMissing }
        let keys = Set(naive.keys(first, stages[0]))
        guard keys.count == 1 else { return }
        let end = sequence.maxSpan.map { naive.events[first].time + $0 } ?? .max
        let others = (last + 1..<max(last + 1, near.by ?? naive.events.count)).filter { index in
            naive.events[index].time <= end && !keys.isDisjoint(with: naive.keys(index, step))
        }
        let fewest = others.map { Self.failing(naive, $0, step) }.min()
        try require(
            fewest == (near.closest == nil ? nil : near.failed.count),
            "\(near), of \(others) at least \(fewest ?? -1)"
        )
        guard let closest = near.closest else { return }
        let parts = step.condition.map { Self.parts($0, naive.plan) } ?? [:]
        for failed in near.failed {
            if let category = step.category, failed == "category == \"\(category)\"" {
                let values = naive.all(naive.events[closest].category)
                try require(!values.contains(.text(category)), "\(failed) of \(closest)")
            } else if let term = parts[failed] {
                let truth = naive.truth(naive.value(term, naive.events[closest]))
                try require(truth != true, "\(failed) of \(closest)")
            } else {
                try require(failed.contains(" or "), "\(failed) is no part of the condition")
            }
        }
    }

    /// How many parts of a condition would have to be different.
    private static func failing(_ naive: NaiveQuery, _ index: Int, _ step: QueryPlan.Step) -> Int {
        let event = naive.events[index]
        func failing(_ term: QueryTerm, _ wanted: Bool) -> Int {
            switch term {
            case .not(let inner): failing(inner, !wanted)
            case .binary(.and, let left, let right):
                wanted ? failing(left, true) + failing(right, true) : min(failing(left, false), failing(right, false))
            case .binary(.or, let left, let right):
                wanted ? min(failing(left, true), failing(right, true)) : failing(left, false) + failing(right, false)
            default: naive.truth(naive.value(term, event)) == wanted ? 0 : 1
            }
        }
        var count = step.condition.map { failing($0, true) } ?? 0
        if let category = step.category, !naive.all(event.category).contains(.text(category)) { count += 1 }
        return count
    }

    /// The parts of a condition and their opposites, by their texts.
    private static func parts(_ term: QueryTerm, _ plan: QueryPlan) -> [String: QueryTerm] {
        switch term {
        case .not(let inner): return parts(inner, plan)
        case .binary(.and, let left, let right), .binary(.or, let left, let right):
            return parts(left, plan).merging(parts(right, plan)) { $1 }
        default: return [plan.text(of: term): term, plan.text(of: .not(term)): .not(term)]
        }
    }
}
