import Foundation
import TestPlugins
import TestStreams
import Testing
import WeirCore
import WeirFlow
import WeirFormats
import WeirRecords
import WeirSchemas
import WeirTesting

@testable import WeirQueries

/// What queries keep is saved, and given back to others.
@Suite
struct QueryStateTests {
    /// The plan of a random case, also with samples and all pipes.
    private static func plan(_ maker: inout RandomQueries.Maker) -> QueryPlan {
        var plan = maker.plan()
        if case .sequence(let sequence) = plan.situation, maker.chance(25) {
            plan.situation = .sample(
                sequence.steps.map { step in
                    var step = step
                    (step.isMissing, step.runs) = (false, 1)
                    return step
                }
            )
        }
        guard maker.chance(40) else { return plan }
        let term = QueryTerm.field(maker.below(4))
        plan.pipes = (0...maker.below(2)).map { _ in
            switch maker.below(5) {
            case 0: .head(1 + maker.below(4))
            case 1: .tail(1 + maker.below(3))
            case 2: .sort([term])
            case 3: .unique([term])
            default: .unique([.binary(.sum, .field(1), .constant(.integer(1))), term])
            }
        }
        if maker.chance(30) { plan.pipes.append(.count(maker.chance(50) ? [term] : [])) }
        return plan
    }

    /// Runs that are interrupted behind each record write what one writes that is not, whatever the sizes of batches are.
    @Test(arguments: 0..<20)
    func aQueryGoesOnFromEachRecord(part: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let start = environment["WEIR_SEED"].flatMap(UInt64.init) ?? UInt64(part) * 1_000_000
        let count = environment["WEIR_CASES"].flatMap(UInt64.init) ?? 25
        for seed in start..<start + count {
            var maker = RandomQueries.Maker(random: SeededGenerator(seed: seed))
            let rules = (0...(maker.chance(20) ? 2 : 0))
                .map { QueryRule(name: "r\($0)", plan: Self.plan(&maker)) }
            var events = maker.events()
            for index in events.indices { events[index].time *= 1_000_000 }
            // A table shows its columns, and has no types.
            let isTable = maker.chance(30)
            let limit = maker.chance(20) ? "\(10 + maker.below(20))" : "1000"
            let plugin = QueryPlugin(rules, over: EngineRun.schema)
            let capacity = 1 + maker.below(20)
            let options = ["time-unit": "ns", "max-pending": limit]
            let difference =
                isTable
                ? try RestoreRun.difference(
                    of: plugin,
                    options,
                    format: CSVFormat(),
                    Self.table(events),
                    capacity: capacity,
                    mayBeEmpty: true
                )
                : try RestoreRun.difference(
                    of: plugin,
                    options,
                    format: JSONLinesFormat(),
                    EngineRun.text(events),
                    capacity: capacity,
                    mayBeEmpty: true
                )
            guard difference == nil else {
                Issue.record("seed \(seed): \(difference ?? "")\n\(rules.map(\.plan))\n\(events)")
                return
            }
        }
    }

    private static func table(_ events: [NaiveQuery.Event]) -> String {
        var text = "id,time,c,t,n,k,j\n"
        for (index, event) in events.enumerated() {
            let values = ([event.category] + event.values).map { value in
                switch value {
                case .missing, .list: ""
                default: EngineRun.json(value).replacingOccurrences(of: "\"", with: "")
                }
            }
            text += "\(index),\(event.time),\(values.joined(separator: ","))\n"
        }
        return text
    }

    // MARK: Typed

    struct Attempt: Event, Equatable {
        let timestamp: Timestamp
        let category: String?
        let user: String
        let value: Int?
    }

    private static let schema = EventSchema<Attempt>(
        "Attempt",
        .field("c", \.category),
        .field("k", \.user),
        .field("n", \.value)
    )

    /// Plans over the fields `k` and `n`, and the category `c`.
    private static func typedPlan(_ maker: inout RandomQueries.Maker) -> QueryPlan {
        let keys = maker.chance(80) ? [QueryPlan.Key(field: 0)] : []
        let canMiss = maker.chance(40)
        func step(_ maker: inout RandomQueries.Maker) -> QueryPlan.Step {
            QueryPlan.Step(
                category: maker.chance(50) ? ["p", "q"][maker.below(2)] : nil,
                condition: maker.chance(60)
                    ? .binary(.greater, .field(1), .constant(.integer(Int64(maker.below(3))))) : nil,
                keys: keys,
                isMissing: canMiss && maker.chance(30)
            )
        }
        var steps = (0..<2 + maker.below(2)).map { _ in step(&maker) }
        if steps.allSatisfy(\.isMissing) { steps[0].isMissing = false }
        let isSample = !canMiss && maker.chance(30)
        let pipes: [[QueryPlan.Pipe]] = [
            [], [], [], [.tail(2)], [.head(2)], [.unique([.field(1)])], [.sort([.field(1)]), .tail(3)],
        ]
        return QueryPlan(
            fields: [QueryPlan.Field("k"), QueryPlan.Field("n")],
            situation: isSample
                ? .sample(steps)
                : .sequence(QueryPlan.Sequence(steps, maxSpan: canMiss ? 5_000_000 : nil)),
            pipes: pipes[maker.below(pipes.count)]
        )
    }

    @Test(arguments: 0..<4)
    func aQueryOverATypeGoesOnFromEachSignal(part: UInt64) throws {
        for seed in part * 1_000..<part * 1_000 + 40 {
            var maker = RandomQueries.Maker(random: SeededGenerator(seed: seed))
            let query = try Query(
                "plan",
                in: TypedQueries.Named(plans: ["plan": Self.typedPlan(&maker)]),
                over: Self.schema,
                categoryFields: ["c"]
            )
            let limit = maker.chance(30) ? 12 : 1_000
            let trial = RestoreTrial<Attempt>(seed: seed) { _, time, random in
                Attempt(
                    timestamp: time,
                    category: [nil, "p", "q"][Int.random(in: 0..<3, using: &random)],
                    // Some keys are long.
                    user: ["u", "v", "a user with a long name", "w"][Int.random(in: 0..<4, using: &random)],
                    value: [nil, 0, 1, 2, 3][Int.random(in: 0..<5, using: &random)]
                )
            }
            let difference = trial.difference(counting: { [$0.losses.lateElements, $0.losses.pendingMatches] }) {
                $0[0].matches(of: query, limit: limit)
            }
            #expect(difference == nil, "seed \(seed), \(query.plan)")
            let grouped = trial.difference { channels in
                channels[0].grouped(by: \.user) { group in group.matches(of: query, limit: limit) }
            }
            #expect(grouped == nil, "seed \(seed), grouped, \(query.plan)")
        }
    }

    // MARK: Rules that change

    private static func rule(_ name: String, _ categories: [String], pipes: [QueryPlan.Pipe] = []) -> QueryRule<
        QueryPlan
    > {
        let steps = categories.map { QueryPlan.Step(category: $0, keys: [QueryPlan.Key(field: 0)]) }
        let plan = QueryPlan(
            fields: [QueryPlan.Field("user"), QueryPlan.Field("n")],
            situation: .sequence(QueryPlan.Sequence(steps)),
            pipes: pipes
        )
        return QueryRule(name: name, plan: plan)
    }

    private struct Run {
        let consumer: RecordConsumer
        let output = MatchOutput()

        init(_ rules: [QueryRule<QueryPlan>]) throws {
            let plugin = QueryPlugin(rules, over: QuerySchema())
            consumer = try plugin.start(OptionValues(plugin.options, given: [:]), output: output)
        }

        func read(_ text: String) throws {
            var reader = RecordReader(
                ByteSource(Array(text.utf8)),
                format: JSONLinesFormat(),
                schema: consumer.schema
            )
            while try reader.next({ batch in consumer.receive(&batch) }) {}
        }

        /// What it writes when it has read some text, and nothing follows.
        func ended(by text: String) throws -> [Substring] {
            try read(text)
            consumer.finish(.finished)
            return lines()
        }

        func lines() -> [Substring] {
            var bytes: [UInt8] = []
            output.take { span in for index in span.indices { bytes.append(span[index]) } }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        }
    }

    private static func events(_ times: Range<Int>, _ type: String) -> String {
        times.map { "{\"time\":\($0),\"type\":\"\(type)\",\"user\":\"u\($0 % 5)\"}\n" }.joined()
    }

    @Test
    func aRuleThatIsTheSameGoesOnBesideOthersThatChanged() throws {
        let before = try Run([
            Self.rule("same", ["a", "b"]), Self.rule("other", ["a", "b"]), Self.rule("gone", ["a", "b"]),
        ])
        try before.read(Self.events(0..<5, "a"))
        let state = try #require(before.consumer.state)
        let bytes = try state.save()
        let rules = [Self.rule("new", ["a", "b"]), Self.rule("other", ["a", "c"]), Self.rule("same", ["a", "b"])]
        let refused = try Run(rules)
        #expect {
            _ = try refused.consumer.state?.restore(bytes[...], false)
        } throws: { error in
            guard case StateError.mismatch(let report) = error else { return false }
            return report.changed.map(\.name) == ["rule other/keys", "rule other/partial matches"]
                && report.changed.map(\.items) == [5, 5]
                && report.dropped.map(\.name) == ["rule gone/keys", "rule gone/partial matches"]
        }
        let after = try Run(rules)
        let report = try after.consumer.state?.restore(bytes[...], true)
        #expect(report?.isComplete == false)
        #expect(after.output.partialMatches == 5)
        try after.read(Self.events(5..<10, "b") + Self.events(10..<15, "c"))
        after.consumer.finish(.finished)
        let found = after.lines()
        #expect(found.count == 5)
        #expect(found.allSatisfy { $0.hasPrefix("{\"rule\":\"same\"") && $0.contains("\"type\":\"a\"") })
    }

    /// Events that several rules keep are there once, also after they were given back.
    @Test
    func eventsThatRulesShareAreSavedOnce() throws {
        let rules = (0..<10).map { Self.rule("r\($0)", ["a", "b"]) }
        let run = try Run(rules)
        try run.read(Self.events(0..<500, "a"))
        let bytes = try #require(try run.consumer.state?.save())
        let contents = try Checkpoint(bytes: bytes).parts
        #expect(contents.first { $0.name == "events" }?.items == 5)
        #expect(contents.filter { $0.name.hasSuffix("partial matches") }.map(\.items) == Array(repeating: 5, count: 10))
        let second = try Run(rules)
        _ = try second.consumer.state?.restore(bytes[...], false)
        #expect(try second.consumer.state?.save() == bytes)
    }

    /// More keys than are in memory at a time while they are restored, and more events than a match has without memory.
    @Test
    func manyKeysAndLongMatchesComeBack() throws {
        let types = (0..<8).map { "t\($0)" }
        let rules = [Self.rule("long", types)]
        let first = try Run(rules)
        var (text, time) = ("", 0)
        for stage in 0..<7 {
            for user in 0..<2_000 where user % 7 >= stage {
                text += "{\"time\":\(time),\"type\":\"t\(stage)\",\"user\":\"user number \(user)\"}\n"
                time += 1
            }
        }
        try first.read(text)
        #expect(first.output.partialMatches == 2_000)
        let bytes = try #require(try first.consumer.state?.save())
        // As a part of other bytes, as files have it.
        let second = try Run(rules)
        _ = try second.consumer.state?.restore(([1, 2, 3] + bytes + [4])[3..<3 + bytes.count], false)
        #expect(second.output.partialMatches == 2_000)
        #expect(try second.consumer.state?.save() == bytes)
        let rest = types.map { type in
            (0..<2_000).map { "{\"time\":\(time),\"type\":\"\(type)\",\"user\":\"user number \($0)\"}\n" }.joined()
        }
        let expected = try first.ended(by: rest.joined())
        #expect(expected.count == 2_000)
        #expect(try second.ended(by: rest.joined()) == expected)
    }

    /// Keys fit, and the matches that belong to them do not: all are dropped.
    @Test
    func keysWithoutTheirMatchesAreDropped() throws {
        let rules = [Self.rule("a", ["a", "b"])]
        let first = try Run(rules)
        try first.read(Self.events(0..<5, "a"))
        let saved = try #require(try first.consumer.state?.save())
        let bytes = try Self.changed(saved, "rule a/partial matches") { $0[$1 + 4] ^= 1 }
        let refused = try Run(rules)
        #expect(throws: StateError.self) { try refused.consumer.state?.restore(bytes[...], false) }
        let second = try Run(rules)
        let report = try second.consumer.state?.restore(bytes[...], true)
        #expect(report?.changed.map(\.name) == ["rule a/partial matches"])
        #expect(second.output.partialMatches == 0)
        let parts = try Checkpoint(bytes: try #require(try second.consumer.state?.save())).parts
        #expect(parts.first { $0.name == "rule a/keys" }?.items == 0)
        let text = Self.events(5..<10, "b") + Self.events(10..<15, "a") + Self.events(15..<20, "b")
        #expect(try second.ended(by: text).count == 5)
    }

    /// Events that were kept before a rule came whose pipe wants fields: they have none, and are saved all the same.
    @Test(arguments: [false, true])
    func eventsFromBeforeAPipeWantedFieldsAreSaved(isHandedOver: Bool) throws {
        let old = Self.rule("old", ["a", "b"])
        let sorted = Self.rule("sorted", ["a", "b"], pipes: [.sort([.field(1)])])
        let first = try Run([old])
        try first.read(Self.events(0..<5, "a"))
        let second = try Run([old, sorted])
        if isHandedOver {
            second.consumer.handover?.goOn(try #require(first.consumer.handover?.known()))
        } else {
            let bytes = try #require(try first.consumer.state?.save())
            _ = try second.consumer.state?.restore(bytes[...], true)
        }
        try second.read(Self.events(5..<8, "a"))
        var bytes = try #require(try second.consumer.state?.save())
        var last = second
        for _ in 0..<3 {
            last = try Run([old, sorted])
            #expect(try last.consumer.state?.restore(bytes[...], false)?.isComplete == true)
            let next = try #require(try last.consumer.state?.save())
            #expect(next == bytes)
            bytes = next
        }
        let expected = try second.ended(by: Self.events(8..<13, "b"))
        #expect(expected.count { $0.hasPrefix("{\"rule\":\"old\"") } == 5)
        #expect(expected.count { $0.hasPrefix("{\"rule\":\"sorted\"") } == 3)
        #expect(try last.ended(by: Self.events(8..<13, "b")) == expected)
    }

    /// A count of events that would not go on.
    @Test
    func anAbsurdCountOfEventsIsRefused() throws {
        let steps = ["a", "b"].map { QueryPlan.Step(category: $0, keys: [QueryPlan.Key(field: 0)]) }
        let plan = QueryPlan(fields: [QueryPlan.Field("user")], situation: .sample(steps))
        let rules = [QueryRule(name: "s", plan: plan)]
        let first = try Run(rules)
        try first.read(Self.events(0..<5, "a"))
        let saved = try #require(try first.consumer.state?.save())
        let bytes = try Self.changed(saved, "rule s/candidates") { bytes, place in
            for index in place + 28..<place + 36 { bytes[index] = 0xFF }
        }
        let second = try Run(rules)
        #expect(throws: StateError.self) { try second.consumer.state?.restore(bytes[...], false) }
        let third = try Run(rules)
        #expect(try third.consumer.state?.restore(saved[...], false)?.isComplete == true)
    }

    /// Earlier builds have saved events without values where only their objects were there.
    @Test
    func eventsWithoutValuesAreRestored() {
        let (store, line) = (EventStore(), Array("{}".utf8)[...])
        store.restore(["a", "b"])
        #expect(store.restore(SavedEvent(line: line, values: []), fieldCount: 2) != nil)
        #expect(store.restore(SavedEvent(line: line, values: [.missing, .missing]), fieldCount: 2) != nil)
        #expect(store.restore(SavedEvent(line: line, values: [.missing]), fieldCount: 2) == nil)
        #expect(store.restore(SavedEvent(line: line, values: [.missing]), fieldCount: 0) == nil)
    }

    /// A checkpoint with one section that is another one, and checksums that are right.
    ///
    /// - Parameters:
    ///   - saved: The checkpoint.
    ///   - section: The name of the section.
    ///   - change: Gets where its name ends: the version follows (4 bytes), the fingerprint, the number of elements, how many
    ///     bytes the fields have (8 each), and the fields.
    /// - Returns: The other checkpoint.
    /// - Throws: Where there is no such section.
    private static func changed(
        _ saved: [UInt8],
        _ section: String,
        _ change: (inout [UInt8], _ place: Int) -> Void
    ) throws -> [UInt8] {
        let part = try #require(Checkpoint(bytes: saved).parts.first { $0.name == section })
        var bytes = saved
        let name = Array(section.utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        change(&bytes, start + name.count)
        let end = start + name.count + 28 + part.byteCount
        // The length of the name stands before it.
        bytes.replaceFixed(Checksum.of(bytes, start - 4..<end), at: end)
        return bytes
    }

    /// Rules that were handed over to another plugin have stores of their own, and are saved like the others.
    @Test
    func rulesThatWereHandedOverAreSaved() throws {
        let sorted = Self.rule("sorted", ["a", "b"], pipes: [.sort([.field(1)])])
        let first = try Run([Self.rule("x", ["a", "b"]), sorted])
        try first.read(Self.events(0..<5, "a"))
        let second = try Run([sorted, Self.rule("y", ["a", "a"]), Self.rule("x", ["a", "b"])])
        let known = try #require(first.consumer.handover?.known())
        second.consumer.handover?.goOn(known)
        try second.read(Self.events(5..<8, "a"))
        let bytes = try #require(try second.consumer.state?.save())
        let third = try Run([sorted, Self.rule("y", ["a", "a"]), Self.rule("x", ["a", "b"])])
        _ = try third.consumer.state?.restore(bytes[...], false)
        #expect(try third.consumer.state?.save() == bytes)
        for run in [second, third] { _ = run.lines() }
        let expected = try second.ended(by: Self.events(8..<13, "b"))
        #expect(expected.count == 10)
        #expect(try third.ended(by: Self.events(8..<13, "b")) == expected)
    }

    // MARK: Files of before

    /// Each process hashes with another seed: that the bytes are those of the file shows that nothing depends on it.
    @Test
    func goldenFiles() throws {
        let long = "a name of a user that has more than fifteen bytes"
        var text = ""
        for time in 0..<60 {
            let user = time % 7 == 0 ? "\"\(long)\"" : time % 5 == 0 ? "[1,\(time)]" : "\"u\(time % 11)\""
            let type = ["a", "b", "c"][time % 3]
            text += "{\"time\":\(time),\"type\":\"\(type)\",\"user\":\(user),\"n\":\(time * 7 % 13)}\n"
        }
        let keys = [QueryPlan.Key(field: 0)]
        func rule(_ name: String, _ situation: QueryPlan.Situation, _ pipes: [QueryPlan.Pipe] = []) -> QueryRule<
            QueryPlan
        > {
            let fields = [QueryPlan.Field("user"), QueryPlan.Field("n")]
            return QueryRule(name: name, plan: QueryPlan(fields: fields, situation: situation, pipes: pipes))
        }
        func step(_ type: String, isMissing: Bool = false) -> QueryPlan.Step {
            QueryPlan.Step(category: type, keys: keys, isMissing: isMissing)
        }
        let number = [QueryTerm.field(1)]
        let span: Int64 = 10_000_000_000
        let rules = [
            rule("pair", .sequence(QueryPlan.Sequence([step("a"), step("b"), step("d")], until: step("e")))),
            rule("quiet", .sequence(QueryPlan.Sequence([step("a"), step("d", isMissing: true)], maxSpan: span))),
            rule(
                "led",
                .sequence(QueryPlan.Sequence([step("c", isMissing: true), step("a"), step("b")], maxSpan: span))
            ),
            rule("sample", .sample([step("a"), step("b"), step("d")])),
            rule("sorted", .event(QueryPlan.Step(category: "b")), [.unique(number), .sort(number), .tail(3)]),
            rule("counted", .event(QueryPlan.Step(category: "b")), [.head(9), .count(number)]),
        ]
        let run = try Run(rules)
        try run.read(text)
        let bytes = try #require(try run.consumer.state?.save())
        let golden = try GoldenFile("queries-1.state").bytes(orMade: bytes)
        #expect(golden == bytes)
        let other = try Run(rules)
        _ = try other.consumer.state?.restore(golden[...], false)
        _ = run.lines()
        for each in [run, other] {
            try each.read(
                "{\"time\":60,\"type\":\"d\",\"user\":\"\(long)\"}\n{\"time\":61,\"type\":\"d\",\"user\":1}\n"
            )
            each.consumer.finish(.finished)
        }
        let expected = run.lines()
        #expect(expected.count > 10)
        #expect(other.lines() == expected)
    }
}
