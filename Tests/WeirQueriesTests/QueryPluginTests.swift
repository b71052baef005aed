import TestPlugins
import Testing
import WeirCore
import WeirQueries
import WeirRecords
import WeirTesting

/// Queries as plugins, with what people see of them.
@Suite
struct QueryPluginTests {
    static func plan(_ situation: QueryPlan.Situation, _ pipes: [QueryPlan.Pipe] = []) -> QueryPlan {
        QueryPlan(fields: [QueryPlan.Field("user"), QueryPlan.Field("n")], situation: situation, pipes: pipes)
    }

    static let keys = [QueryPlan.Key(field: 0)]

    static let pair = plan(
        .sequence(
            QueryPlan.Sequence(
                [QueryPlan.Step(category: "a", keys: keys), QueryPlan.Step(category: "b", keys: keys)],
                maxSpan: 10_000_000_000
            )
        )
    )

    static func plugin(_ plan: QueryPlan, severity: String? = nil) -> QueryPlugin {
        QueryPlugin([QueryRule(name: "r", severity: severity, plan: plan)], over: QuerySchema())
    }

    @Test
    func aMatchShowsItsRecordsAsTheyCame() throws {
        let run = try PluginRun(
            Self.plugin(Self.pair, severity: "high"),
            jsonLines: """
                {"time": 1000, "type": "a", "user": "ann", "more": {"x": [1]}}
                {"time": 2000, "type": "b", "user": "ann"}

                """
        )
        #expect(
            run.lines == [
                #"{"rule":"r","severity":"high","time":2000,"keys":{"user":"ann"},"events":[{"time": 1000, "type": "a", "user": "ann", "more": {"x": [1]}},{"time": 2000, "type": "b", "user": "ann"}]}"#
            ]
        )
    }

    @Test
    func aMatchOfATableShowsTheFieldsThatAreNamed() throws {
        let run = try PluginRun(
            Self.plugin(Self.pair),
            csv: "time,type,user,n,other\n1000,a,ann,007,x\n2000,b,ann,7,y\n"
        )
        #expect(
            run.lines == [
                #"{"rule":"r","time":2000,"keys":{"user":"ann"},"events":[{"time":1000,"user":"ann","n":"007","type":"a"},{"time":2000,"user":"ann","n":7,"type":"b"}]}"#
            ]
        )
    }

    /// Of a table without types a text is a number where it would be written in the same way.
    @Test
    func aTableShowsNumbersThatAreWrittenAsNumbersAre() throws {
        let numbers = ["0", "7", "-3", "1.5", "-0.25", "12345678.25", "123456789012345678", "0.0625", "0.0", "20.0"]
        let texts = [
            "-0", "007", "1.50", ".5", "5.", "+5", "1e5", "1-2", "-", "--1", "1.2.3", "12abc", "abc", "e",
            "123456789012345678901", "1 ", "0x1", "00.5", "é", "a'b", "-a",
        ]
        let rows = (numbers + texts).enumerated().map { "\($0.offset),a,u,\($0.element)\n" }
        let run = try PluginRun(
            Self.plugin(Self.plan(.event(QueryPlan.Step(category: "a")))),
            csv: "time,type,user,n\n" + rows.joined()
        )
        let values = numbers + texts.map { "\"\($0)\"" }
        #expect(
            run.lines
                == values.enumerated()
                .map {
                    """
                    {"rule":"r","time":\($0.offset),"keys":{},"events":[{"time":\($0.offset),"user":"u","n":\($0.element),"type":"a"}]}
                    """
                }
        )
    }

    /// A key is the same value however a format writes it; a text with the same digits is another one.
    @Test
    func keysAreValuesAndNotTexts() throws {
        let users = ["7", "7.0", "0.7e1", "\"7\"", "7", "\"7\"", "70e-1", "9007199254740993", "9007199254740992.0"]
        let lines = users.enumerated().flatMap { index, user in
            ["a", "b"].map { "{\"time\":\(index),\"type\":\"\($0)\",\"user\":\(user)}\n" }
        }
        let pairs = try PluginRun(Self.plugin(Self.pair), jsonLines: lines.joined())
        #expect(pairs.lines.count == users.count)
        // All that is seven begins in one record and ends in another one that writes it differently.
        for (first, last) in [("7", "7.0"), ("7.0", "7"), ("0.7e1", "7"), ("7", "70e-1")] {
            let run = try PluginRun(
                Self.plugin(Self.pair),
                jsonLines: """
                    {"time":1,"type":"a","user":\(first)}
                    {"time":2,"type":"b","user":"7"}
                    {"time":3,"type":"b","user":\(last)}

                    """
            )
            #expect(
                run.lines == [
                    """
                    {"rule":"r","time":3,"keys":{"user":7},"events":[{"time":1,"type":"a","user":\(first)},{"time":3,"type":"b","user":\(last)}]}
                    """
                ]
            )
        }
    }

    /// Rules that keep the same events bring what each of them brings alone.
    @Test
    func rulesThatShareEventsBringWhatTheyBringAlone() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var (json, csv) = ("", "time,type,user,n\n")
        for time in 0..<3_000 {
            let type = ["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]
            let user = Int.random(in: 0..<20, using: &generator)
            // Of JSON some have two keys, or none, or a text.
            let users = ["\(user)", "[\(user),\(user + 1)]", "\"\(user)\"", "null"]
            let written = users[Int.random(in: 0..<users.count, using: &generator)]
            json += "{\"time\":\(time),\"type\":\"\(type)\",\"user\":\(written),\"n\":\(time)}\n"
            csv += "\(time),\(type),u\(user),\(time)\n"
        }
        func steps(_ types: [String]) -> [QueryPlan.Step] {
            types.map { QueryPlan.Step(category: $0, keys: Self.keys) }
        }
        let first = [QueryTerm.field(1)]
        let plans = [
            Self.pair,
            Self.plan(.sequence(QueryPlan.Sequence(steps(["a", "b", "a"]), maxSpan: 50_000_000))),
            Self.plan(.sequence(QueryPlan.Sequence(steps(["a", "a"]))), [.sort(first), .tail(20)]),
            Self.plan(.sample(steps(["a", "b", "c"]))),
            Self.plan(.sequence(QueryPlan.Sequence(steps(["a", "c"]))), [.head(7)]),
        ]
        let rules = plans.enumerated().map { QueryRule(name: "r\($0.offset)", plan: $0.element) }
        func sorted(_ runs: [PluginRun]) -> [String] { runs.flatMap(\.lines).sorted() }
        let alone = try rules.map { rule in
            try PluginRun(QueryPlugin([rule], over: QuerySchema()), jsonLines: json)
        }
        let together = try PluginRun(QueryPlugin(rules, over: QuerySchema()), jsonLines: json)
        #expect(sorted([together]) == sorted(alone), "seed \(seed)")
        #expect(alone.allSatisfy { !$0.lines.isEmpty }, "seed \(seed)")
        // The fields that a table shows are those of all rules, which are the same here.
        let aloneOfTables = try rules.map { rule in try PluginRun(QueryPlugin([rule], over: QuerySchema()), csv: csv) }
        let togetherOfTables = try PluginRun(QueryPlugin(rules, over: QuerySchema()), csv: csv)
        #expect(sorted([togetherOfTables]) == sorted(aloneOfTables), "seed \(seed)")
    }

    @Test
    func eventsAloneAreWrittenAsTheyCame() throws {
        let lines = "{\"time\":1,\"type\":\"a\",\"user\":\"u\"}\n{\"time\":2,\"type\":\"b\",\"user\":\"u\"}\n"
        let run = try PluginRun(Self.plugin(Self.pair), ["output": "events"], jsonLines: lines)
        #expect(run.lines.map { $0 + "\n" }.joined() == lines)
    }

    @Test
    func recordsWithoutATimeOrBackInTimeAreRefused() throws {
        let run = try PluginRun(
            Self.plugin(Self.pair),
            jsonLines:
                "{\"time\":5,\"type\":\"a\",\"user\":\"u\"}\n{\"type\":\"b\",\"user\":\"u\"}\n{\"time\":4,\"type\":\"b\",\"user\":\"u\"}\n"
        )
        #expect(run.lines.isEmpty)
        #expect(run.rejections == [2, 3])
        #expect(run.reasons == ["field 'time' is missing", "field 'time' goes back: it is before the last record's"])
    }

    @Test
    func theOldestKeysGiveWayAndAreCounted() throws {
        var lines = ""
        for user in 0..<20 { lines += "{\"time\":\(user),\"type\":\"a\",\"user\":\"\(user)\"}\n" }
        for user in 0..<20 { lines += "{\"time\":\(20 + user),\"type\":\"b\",\"user\":\"\(user)\"}\n" }
        let run = try PluginRun(Self.plugin(Self.pair), ["max-pending": "8"], jsonLines: lines)
        let lost = run.counts.filter { $0.key.hasPrefix("pending matches were given up") }.values.reduce(0, +)
        #expect(run.lines.count + Int(lost) == 20)
        #expect(run.lines.count >= 7)
        #expect(run.partialMatches == 0)
    }

    @Test
    func pendingMatchesThatExpireFreeTheirKeys() throws {
        var lines = ""
        for user in 0..<1_000 { lines += "{\"time\":\(user * 1_000),\"type\":\"a\",\"user\":\"\(user)\"}\n" }
        let run = try PluginRun(Self.plugin(Self.pair), ["max-pending": "20"], jsonLines: lines)
        #expect(run.partialMatches == 11)
        #expect(run.counts.values.allSatisfy { $0 == 0 })
    }

    /// The events of some lines that satisfy a condition on the fields `user` (0) and `n` (1).
    private static func events(where condition: QueryTerm, of lines: [String]) throws -> [String] {
        let plan = plan(.event(QueryPlan.Step(condition: condition)))
        return try PluginRun(plugin(plan), ["output": "events"], jsonLines: lines.map { $0 + "\n" }.joined()).lines
    }

    @Test
    func numbersAreComparedWithAConstantThatIsNotWhole() throws {
        let lines = [
            "2251799813685248", "2251799813685249", "9007199254740993", "-9007199254740993", "2251799813685248.5",
            "\"2251799813685249\"", "[1,2251799813685249]", "null", "true", "1e300",
        ].map { #"{"time":1,"n":\#($0)}"# }
        let bound = QueryTerm.constant(.real(2_251_799_813_685_248.5))
        let greater = try Self.events(where: .binary(.greater, .field(1), bound), of: lines)
        #expect(greater == [1, 2, 6, 9].map { lines[$0] })
        #expect(try Self.events(where: .binary(.equal, .field(1), bound), of: lines) == [lines[4]])
    }

    @Test
    func addressesAreComparedWithBlocks() throws {
        let lines = [
            "\"10.1.2.3\"", "\"11.1.2.3\"", "[\"11.1.2.3\",\"10.1.2.3\"]", "7", "null", "\"fe80::1\"", "\"x\"",
        ].map { #"{"time":1,"user":\#($0)}"# }
        let blocks = ["10.0.0.0/8", "no block", "fe80::/10"].map { QueryTerm.constant(.text($0)) }
        let isInside = QueryTerm.call(.cidrMatch, [.field(0)] + blocks, ignoringCase: false)
        #expect(try Self.events(where: isInside, of: lines) == [0, 2, 5].map { lines[$0] })
        #expect(try Self.events(where: .not(isInside), of: lines) == [1, 6].map { lines[$0] })
    }

    @Test
    func matchesOfSeveralRulesAreInTheOrderOfTheirRecords() throws {
        let rules = [("x", "b"), ("y", "a"), ("z", "b")].map { name, category in
            QueryRule(name: name, plan: Self.plan(.event(QueryPlan.Step(category: category))))
        }
        let lines = ["a", "b", "a"].enumerated().map { "{\"time\":\($0),\"type\":\"\($1)\"}\n" }
        let run = try PluginRun(QueryPlugin(rules, over: QuerySchema()), jsonLines: lines.joined())
        #expect(run.lines.map { String($0.dropFirst(9).prefix(1)) } == ["y", "x", "z", "y"])
    }

    @Test
    func aCountLeavesAtTheEnd() throws {
        let plan = Self.plan(.event(QueryPlan.Step(category: "a")), [.count([.field(0)])])
        let run = try PluginRun(
            Self.plugin(plan),
            jsonLines: ["v", "u", "v", "v"].enumerated().map { "{\"time\":\($0),\"type\":\"a\",\"user\":\"\($1)\"}\n" }
                .joined()
        )
        #expect(
            run.lines == [
                #"{"rule":"r","key":["u"],"count":1,"percent":0.25}"#,
                #"{"rule":"r","key":["v"],"count":3,"percent":0.75}"#,
            ]
        )
    }

    @Test
    func theExplanationNamesWhatIsDecidedAndKept() {
        let text = Self.plugin(Self.pair).explanation
        #expect(text.contains("user: as each record shows it"))
        #expect(text.contains("category a, once for each different category"))
        #expect(text.contains("2. b by user"))
        #expect(text.contains("up to 1 event for each key, for 10.0 seconds"))
    }

    @Test
    func aFieldThatAllStepsShareKeepsRecordsApart() throws {
        let options = try OptionValues(Self.plugin(Self.pair).options, given: [:])
        #expect(Self.plugin(Self.pair).partitionField(options) == "user")
        #expect(Self.plugin(Self.plan(.event(QueryPlan.Step()))).partitionField(options) == nil)
    }
}
