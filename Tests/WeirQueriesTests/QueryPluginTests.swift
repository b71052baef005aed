import TestPlugins
import Testing
import WeirCore
import WeirQueries
import WeirRecords

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
