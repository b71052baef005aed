import TestPlugins
import Testing
import WeirCore
import WeirQueries
import WeirRecords
import WeirTesting

/// What is said of partial matches.
@Suite
struct NearMatchTests {
    private typealias Login = TypedQueries.Login

    /// Two failures of a user and a success within ten seconds.
    private static func query(missing: Bool = false) throws -> Query<Login> {
        try Query("attack", in: TypedQueries.language(missing: missing), over: TypedQueries.schema)
    }

    private static func seconds(_ events: [NearMatch<Login>.SatisfiedStep]) -> [Int64] {
        events.map { $0.event.time.nanosecondsSinceEpoch / 1_000_000_000 }
    }

    @Test
    func theStepThatIsMissingIsNamedWithTheClosestEvent() throws {
        let near = try Self.query().nearMatches(in: [
            TypedQueries.login(0, "ann", false), TypedQueries.login(1, "ann", false),
            TypedQueries.login(2, "bob", true), TypedQueries.login(3, "ann", false, tries: 7),
            TypedQueries.login(13, "ann", true),
        ])
        // The first two were replaced by the second and third, whose time was over when the success came at 13 s.
        #expect(near.map { Self.seconds($0.satisfied) } == [[1, 3], [0, 1]])
        let first = near[0]
        guard case .maxSpan = first.ending else { return #expect(Bool(false), "\(first.ending)") }
        #expect(first.endTime == Timestamp(secondsSinceEpoch: 11))
        #expect(first.keys == [.text("ann")] && first.eventCount == 3 && !first.isComplete)
        #expect(first.satisfied.map(\.step) == [0, 0] && first.satisfied.map(\.run) == [0, 1])
        #expect(first.missed.count == 1 && first.missed[0].step == 1)
        #expect(first.missed[0].closest == nil)
        #expect(first.missed[0].late?.element.timestamp == Timestamp(secondsSinceEpoch: 13))
        guard case .replaced(let by) = near[1].ending else { return #expect(Bool(false), "\(near[1].ending)") }
        #expect(by.number == 4 && near[1].missed[0].otherCount == 1)
        #expect(near[1].missed[0].other?.element.user == "bob")
    }

    @Test
    func aFailedPartHasTheValuesOfItsFields() throws {
        let near = try Query("many", in: TypedQueries.language(), over: TypedQueries.schema).nearMatches(in: [
            TypedQueries.login(0, "ann", false, tries: 2), TypedQueries.login(1, "ann", false),
            TypedQueries.login(2, "ann", false, tries: 9),
        ])
        #expect(near.map(\.isComplete) == [true, false, false])
        let failed = near.compactMap { $0.missed.first?.closest?.failed }
        #expect(failed.map { $0.map(\.condition) } == [["tries > 3"], ["tries > 3"]])
        #expect(failed.map { $0[0].values.map(\.name) } == [["tries"], ["tries"]])
        #expect(failed.map { $0[0].values.map(\.value) } == [[.integer(2)], [.missing]])
    }

    @Test
    func keysAreChosen() throws {
        let events = [
            TypedQueries.login(0, "ann", false), TypedQueries.login(1, "bob", true),
            TypedQueries.login(2, "cid", false), TypedQueries.login(3, "cid", false),
            TypedQueries.login(4, "cid", true),
        ]
        let query = try Self.query()
        let ann = query.nearMatches(in: events, keys: [[.text("ann")]])
        #expect(ann.map { Self.seconds($0.satisfied) } == [[0]])
        guard case .endOfEvents = ann[0].ending else { return #expect(Bool(false), "\(ann[0].ending)") }
        let bob = query.nearMatches(in: events, keys: [[.text("bob")]])
        guard bob.count == 1, case .notBegun = bob[0].ending else { return #expect(Bool(false), "\(bob)") }
        #expect(bob[0].missed[0].closest?.failed.map(\.condition) == ["not ok"])
        #expect(bob[0].missed[0].otherCount == 3)
        #expect(query.nearMatches(in: events, keys: [[.text("cid")]]).map(\.isComplete) == [true])
        #expect(query.nearMatches(in: events, keys: [[.text("dan")]]).isEmpty)
    }

    @Test
    func anEventThatMustNotFollowIsNamed() throws {
        let query = try Self.query(missing: true)
        let logins = EventChannel<Login>()
        let recorder = Recorder(logins.nearMatches(of: query))
        logins.publish(contentsOf: [
            TypedQueries.login(0, "ann", false), TypedQueries.login(1, "ann", false),
            TypedQueries.login(2, "ann", true), TypedQueries.login(3, "bob", false),
            TypedQueries.login(4, "bob", false),
        ])
        logins.finish(.finished)
        #expect(recorder.elements.map(\.isComplete) == [true, false])
        #expect(recorder.elements[0].keys == [.text("bob")])
        guard case .occurred(let step, let event) = recorder.elements[1].ending else {
            return #expect(Bool(false), "\(recorder.elements[1].ending)")
        }
        #expect(step == 1 && event.element.ok && recorder.elements[1].missed.isEmpty)
    }

    @Test
    func theLimitIsCounted() throws {
        let logins = EventChannel<Login>()
        let near = logins.nearMatches(of: try Self.query(), count: 3, limit: 1)
        let losses = near.losses
        let recorder = Recorder(near)
        logins.publish(contentsOf: (0..<40).map { TypedQueries.login(0, "user\($0)", false) })
        logins.publish(TypedQueries.login(-1, "late", false))
        logins.finish(.finished)
        #expect(recorder.elements.count == 3)
        #expect(losses.lateElements == 1 && losses.pendingMatches > 30)
        #expect(recorder.elements.allSatisfy { if case .limit = $0.ending { true } else { false } })
    }

    @Test
    func aSampleNamesAllStepsWithoutAnEvent() throws {
        let steps = ["a", "b", "c"].map { QueryPlan.Step(category: $0, keys: QueryPluginTests.keys) }
        let plugin = QueryPluginTests.plugin(QueryPluginTests.plan(.sample(steps))).explainingNearMatches()
        let events = """
            {"time": 1000, "type": "b", "user": "ann", "n": 1}
            {"time": 2000, "type": "x", "user": "ann", "n": 2}
            {"time": 3000, "type": "a", "user": "bob"}
            {"time": 4000, "type": "c", "user": "bob"}
            {"time": 5000, "type": "b", "user": "bob"}

            """
        let run = try PluginRun(plugin, ["why": "ann"], jsonLines: events)
        #expect(
            run.lines == [
                #"r, user="ann": no match, 1 partial match (1 pending at the end)"#,
                "  1 of 3 events, from 1000",
                "    step 2: +0s, line 1: b n=1",
                "    step 1: nothing until the end of the input",
                "      wanted: a",
                "      closest: +0s, line 1: b n=1",
                #"        fails: category == "a" -- category is "b""#,
                "      with other keys: 1",
                "    step 3: nothing until the end of the input",
                "      wanted: c",
                "      closest: +0s, line 1: b n=1",
                #"        fails: category == "c" -- category is "b""#,
                "      with other keys: 1",
            ]
        )
        let bob = try PluginRun(plugin, ["why": "bob"], jsonLines: events)
        #expect(
            bob.lines == [
                #"r, user="bob": 1 match, 0 partial matches"#, "  match: 3000 to 5000, lines 3 5 4",
            ]
        )
    }

    @Test
    func severalKeysAndCommasAreChosen() throws {
        let keys = [QueryPlan.Key(field: 0), QueryPlan.Key(field: 1)]
        let situation = QueryPlan.Situation.sequence(
            QueryPlan.Sequence([QueryPlan.Step(category: "a", keys: keys), QueryPlan.Step(category: "b", keys: keys)])
        )
        let plugin = QueryPluginTests.plugin(QueryPluginTests.plan(situation)).explainingNearMatches()
        let events = """
            {"time": 1000, "type": "a", "user": "ann", "n": 1}
            {"time": 2000, "type": "a", "user": "ann", "n": 2}
            {"time": 3000, "type": "a", "user": "b,c\\\\d", "n": 2}

            """
        func titles(_ why: String) throws -> [String] {
            try PluginRun(plugin, ["why": why], jsonLines: events).lines.filter { $0.hasPrefix("r") }
                .map { String($0.prefix { $0 != ":" }) }
        }
        #expect(try titles("ann") == [#"r, user="ann" n=1"#, #"r, user="ann" n=2"#])
        #expect(try titles("ann,2") == [#"r, user="ann" n=2"#])
        #expect(try titles(#"b\,c\\d"#) == [#"r, user="b,c\\d" n=2"#])
        #expect(try titles("ann,1\nb\\,c\\\\d,2").count == 2)
        #expect(try PluginRun(plugin, ["why": "an"], jsonLines: events).lines == ["r: no event has the key 'an'"])
    }
}
