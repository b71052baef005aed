import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirQueries
import WeirRecords

/// Random plans over random events, against the plainest way to compute them.
@Suite
struct RandomQueries {
    /// What a case is made of.
    struct Maker {
        var random: SeededGenerator

        mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

        static let names = ["t", "n", "k", "j"]

        mutating func single(_ field: Int) -> QueryValue {
            switch field {
            case 0: .text(["a", "b", "c", "d"][below(4)])
            case 1: chance(80) ? .integer(Int64(below(5)) - 1) : .real(Double(below(4)) + 0.5)
            case 2: .text(["u", "v", "w"][below(3)])
            default: chance(50) ? .integer(Int64(below(3))) : .text(["0", "1"][below(2)])
            }
        }

        mutating func value(_ field: Int) -> QueryValue {
            switch below(12) {
            case 0: .missing
            case 1: .list((0..<below(4)).map { _ in chance(15) ? .missing : single(field) })
            default: single(field)
            }
        }

        mutating func events() -> [NaiveQuery.Event] {
            var time: Int64 = 0
            return (0..<below(14)).map { _ in
                time += Int64([0, 1, 1, 2, 3, 7][below(6)])
                let category: QueryValue = chance(90) ? .text(["p", "q"][below(2)]) : .missing
                return NaiveQuery.Event(time: time, category: category, values: (0..<4).map { value($0) })
            }
        }

        mutating func term(_ depth: Int) -> QueryTerm {
            if depth > 0, chance(50) {
                switch below(3) {
                case 0: return .not(term(depth - 1))
                case 1: return .binary(.and, term(depth - 1), term(depth - 1))
                default: return .binary(.or, term(depth - 1), term(depth - 1))
                }
            }
            let comparisons: [QueryTerm.Operation] = [
                .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
            ]
            let field = below(4)
            switch below(5) {
            case 0: return .isMissing(.field(field))
            case 1: return .isAny(.field(field), (0...below(3)).map { _ in single(field) }, ignoringCase: false)
            case 2: return .binary(comparisons[below(6)], .field(field), .field(below(4)))
            case 3:
                let sum = QueryTerm.binary([.sum, .difference, .product][below(3)], .field(1), .constant(single(1)))
                return .binary(comparisons[below(6)], sum, .constant(single(1)))
            default: return .binary(comparisons[below(6)], .field(field), .constant(single(field)))
            }
        }

        mutating func step(_ keys: [QueryPlan.Key], canMiss: Bool) -> QueryPlan.Step {
            QueryPlan.Step(
                category: chance(40) ? ["p", "q"][below(2)] : nil,
                condition: chance(70) ? term(2) : nil,
                keys: keys,
                runs: chance(15) ? 2 : 1,
                isMissing: canMiss && chance(30)
            )
        }

        mutating func plan() -> QueryPlan {
            let fields = Self.names.map { QueryPlan.Field($0) }
            if chance(15) { return QueryPlan(fields: fields, situation: .event(step([], canMiss: false))) }
            let count = below(3)
            let optional = chance(30)
            func keys(_ first: Int) -> [QueryPlan.Key] {
                (0..<count).map { QueryPlan.Key(field: $0 == 0 ? first : 3, acceptsMissing: optional) }
            }
            let usual = chance(80)
            let canMiss = chance(40)
            var steps = (0..<2 + below(3)).map { _ in step(keys(usual || chance(60) ? 2 : 0), canMiss: canMiss) }
            if steps.allSatisfy(\.isMissing) { steps[below(steps.count)].isMissing = false }
            let until = chance(20) ? step(keys(2), canMiss: false) : nil
            let span: Int64? = canMiss || chance(60) ? Int64(below(12)) * 1_000_000 : nil
            let pipes: [QueryPlan.Pipe] = chance(90) ? [] : [chance(50) ? .head(1 + below(3)) : .tail(1 + below(3))]
            return QueryPlan(
                fields: fields,
                situation: .sequence(QueryPlan.Sequence(steps, until: until, maxSpan: span)),
                pipes: pipes
            )
        }
    }

    @Test(arguments: 0..<20)
    func agreeWithThePlainestWay(part: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let start = environment["WEIR_SEED"].flatMap(UInt64.init) ?? UInt64(part) * 1_000_000
        // 5,000 make 100,000 cases of the 20 parts.
        let count = environment["WEIR_CASES"].flatMap(UInt64.init) ?? 400
        for seed in start..<start + count {
            var maker = Maker(random: SeededGenerator(seed: seed))
            let plan = maker.plan()
            var events = maker.events()
            for index in events.indices { events[index].time *= 1_000_000 }
            let naive = NaiveQuery(plan: plan, events: events).matches()
            let found = try EngineRun(plan, events, capacity: 1 + maker.below(20)).matches
            guard found == naive else {
                Issue.record("seed \(seed): \(plan)\n\(events)\nfound \(found)\nnot   \(naive)")
                return
            }
        }
    }
}

/// What the engine makes of events that are given as JSON.
struct EngineRun {
    private(set) var matches: [NaiveQuery.Match] = []

    init(_ plan: QueryPlan, _ events: [NaiveQuery.Event], capacity: Int) throws {
        let plugin = QueryPlugin([QueryRule(name: "r", plan: plan)], over: Self.schema)
        matches = try Self.lines(plugin, events, capacity: capacity).map { try Self.match($0) }
    }

    static let schema = QuerySchema(categoryFields: ["c"], timeField: "time")

    /// What a plugin writes.
    static func lines(
        _ plugin: QueryPlugin,
        options: [String: String] = [:],
        _ events: [NaiveQuery.Event],
        capacity: Int
    ) throws -> [String] {
        let given = options.merging(["time-unit": "ns"]) { $1 }
        let output = MatchOutput()
        let consumer = try plugin.start(OptionValues(plugin.options, given: given), output: output)
        let text = Self.text(events)
        var reader = RecordReader(
            ByteSource(Array(text.utf8)),
            format: JSONLinesFormat(),
            schema: consumer.schema,
            batchCapacity: capacity
        )
        while try reader.next({ batch in
            consumer.receive(&batch)
            #expect(batch.rejections.isEmpty)
        }) {}
        consumer.finish(.finished)
        var lines: [UInt8] = []
        output.take { bytes in for index in bytes.indices { lines.append(bytes[index]) } }
        return lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Events as lines of JSON.
    static func text(_ events: [NaiveQuery.Event]) -> String {
        var text = ""
        for (index, event) in events.enumerated() {
            text += "{\"id\":\(index),\"time\":\(event.time)"
            if event.category != .missing { text += ",\"c\":\(Self.json(event.category))" }
            for (name, value) in zip(RandomQueries.Maker.names, event.values) where value != .missing {
                text += ",\"\(name)\":\(Self.json(value))"
            }
            text += "}\n"
        }
        return text
    }

    static func json(_ value: QueryValue) -> String {
        switch value {
        case .missing: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        case .list(let values): "[\(values.map(json).joined(separator: ","))]"
        }
    }

    /// The identifiers of the events, and the time, of a line.
    private static func match(_ line: String) throws -> NaiveQuery.Match {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        let events = object["events"] as? [Any] ?? []
        return NaiveQuery.Match(
            time: object["time"] as? Int64 ?? 0,
            events: events.map { ($0 as? [String: Any]).map { $0["id"] as? Int ?? -1 } }
        )
    }
}
