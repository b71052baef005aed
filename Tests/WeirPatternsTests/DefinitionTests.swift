import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirPatternDefinitions
import WeirPatterns
import WeirSchemas
import WeirTesting

@Suite struct DefinitionTests {
    private let schema = EventSchema<Purchase>(
        "Purchase",
        .field("card", \.card),
        .field("amount", \.amount),
        .field("isFaceToFace", \.isFaceToFace)
    )

    private func tree(_ json: String) throws -> ExpressionTree {
        try JSONDecoder().decode(ExpressionTree.self, from: Data(json.utf8))
    }

    @Test func aDefinitionIsReadBuiltAndRun() throws {
        let json = """
            {"stages": [
                {"name": "first", "contiguity": "begin", "where": {"==": [{"field": "isFaceToFace"}, true]}},
                {"name": "more", "contiguity": "followedBy", "quantifier": {"least": 1, "isOpen": true, "inner": "consecutive"},
                 "where": {"<": [{"summary": {"function": "sum", "value": {"field": "amount"}, "stage": "more",
                                              "includesCurrent": true}}, 100]}},
                {"name": "last", "contiguity": "next",
                 "where": {">": [{"field": "amount"},
                                 {"captured": {"stage": "first", "pick": "last", "value": {"field": "amount"}}}]}}
             ],
             "withinNanoseconds": 60000000000, "afterMatch": {"strategy": "skipPastLast"}, "selection": "longest",
             "groupedBy": {"field": "card"}}
            """
        let definition = try JSONDecoder().decode(PatternDefinition.self, from: Data(json.utf8))
        let again = try JSONDecoder().decode(PatternDefinition.self, from: JSONEncoder().encode(definition))
        #expect(again == definition)
        let pattern = try DynamicPattern(definition, over: schema)
        let feed = Feed<Purchase>()
        let recorder = Recorder(feed.matches(of: pattern))
        for purchase in [
            Purchase(0, 50), Purchase(1, 40), Purchase(2, 40), Purchase(3, 40), Purchase(4, 60),
            Purchase(5, card: 2, 99),
        ] {
            feed.send(purchase, at: purchase.timestamp)
        }
        feed.finish()
        let match = try #require(recorder.elements.first)
        #expect(match["first"].map(\.amount) == [40])
        #expect(match["more"].map(\.amount) == [40, 40])
        #expect(match["last"].map(\.amount) == [60])
        #expect(match["nothing"].isEmpty)
        let second = Feed<Purchase>()
        let others = Recorder(second.matches(of: pattern))
        for purchase in [Purchase(0, 50), Purchase(1, 40), Purchase(2, 40), Purchase(3, 40), Purchase(4, 60)] {
            second.send(purchase, at: purchase.timestamp)
        }
        second.finish()
        #expect(others.elements.first == match)
        #expect("\(match)".hasPrefix("[first: ") && "\(match)".contains(", last: "))
    }

    @Test func mistakesInDefinitionsAreTold() throws {
        let unknown = try PatternDefinition(stages: [
            StageDefinition("a", .first, where: tree(#"{"==": [{"field": "amout"}, 1]}"#))
        ])
        do {
            _ = try DynamicPattern(unknown, over: schema)
            Issue.record("a field that does not exist")
        } catch {
            #expect(
                "\(error)" == "the condition of 'a' is wrong: 'Purchase' has no field 'amout'; did you mean 'amount'?"
            )
        }
        let stage = try tree(
            #"{"==": [{"field": "card"}, {"captured": {"stage": "z", "pick": "last", "value": {"field": "card"}}}]}"#
        )
        #expect(throws: PatternError.unknownStage("z")) {
            try DynamicPattern(PatternDefinition(stages: [StageDefinition("a", .first, where: stage)]), over: schema)
        }
        #expect(throws: PatternError.empty) { try DynamicPattern(PatternDefinition(stages: []), over: schema) }
    }

    @Test(arguments: [
        #"{"name": "a", "contiguity": "begin", "quantifier": {"least": 1000000000}}"#,
        #"{"name": "a", "contiguity": "begin", "quantifier": {"least": 1, "most": 9223372036854775807}}"#,
        #"{"name": "g", "contiguity": "begin", "quantifier": {"least": 300}, "group": ["#
            + #"{"name": "a", "contiguity": "begin", "quantifier": {"least": 300}}]}"#,
    ])
    func definitionsThatAreTooLargeAreRefused(stage: String) throws {
        let json = #"{"stages": [\#(stage)]}"#
        let definition = try JSONDecoder().decode(PatternDefinition.self, from: Data(json.utf8))
        let error = #expect(throws: PatternError.self) { try DynamicPattern(definition, over: schema) }
        #expect(error == .tooLarge(limit: 65536))
    }

    /// What is wrong with a document, as its reader says.
    private func complaint(_ json: String) -> String {
        do {
            _ = try JSONDecoder().decode(PatternDefinition.self, from: Data(json.utf8))
            return "nothing"
        } catch {
            return "\(error)"
        }
    }

    @Test func unknownKeysAreRefused() {
        let stage = #""name": "a", "contiguity": "begin""#
        let cases = [
            (
                #"{"stages": [{\#(stage)}], "witin": "10 s"}"#,
                "unknown key 'witin' at the top; did you mean 'within'?"
            ),
            (
                #"{"stages": [{\#(stage), "were": true}]}"#,
                "unknown key 'were' in stages[0]; did you mean 'where'?"
            ),
            (
                #"{"stages": [{\#(stage)}, {"name": "g", "contiguity": "next", "group": [{\#(stage), "were": true}]}]}"#,
                "unknown key 'were' in stages[1].group[0]; did you mean 'where'?"
            ),
            (
                #"{"stages": [{"name": "e", "contiguity": "begin", "either": [[{\#(stage), "untl": true}]]}]}"#,
                "unknown key 'untl' in stages[0].either[0][0]; did you mean 'until'?"
            ),
            (
                #"{"stages": [{\#(stage), "quantifier": {"times": 3}}]}"#,
                "unknown key 'times' in stages[0].quantifier; "
                    + "the keys here are least, most, isOpen, isOptional, isGreedy, inner"
            ),
            (
                #"{"stages": [{\#(stage)}], "afterMatch": {"strategy": "skipToFirst", "stag": "a"}}"#,
                "unknown key 'stag' in afterMatch; did you mean 'stage'?"
            ),
            (
                #"{"stages": [{\#(stage), "where": {"==": [1, {"captured": {"stage": "a", "pick": "last", "#
                    + #""value": {"field": "card"}, "last": true}}]}}]}"#,
                "unknown key 'last' in stages[0].where.==[1].captured; the keys here are stage, pick, value"
            ),
        ]
        for (json, complaint) in cases { #expect(self.complaint(json) == complaint) }
    }

    @Test func durationsAreTexts() throws {
        func definition(_ keys: String, _ stage: String = "") throws -> PatternDefinition {
            let json = #"{"stages": [{"name": "a", "contiguity": "begin"\#(stage)}]\#(keys)}"#
            return try JSONDecoder().decode(PatternDefinition.self, from: Data(json.utf8))
        }
        #expect(try definition(#", "within": "10 s""#).withinNanoseconds == 10_000_000_000)
        #expect(try definition(#", "within": "10m""#).withinNanoseconds == 600_000_000_000)
        #expect(try definition(#", "neighbours": "1h 30 m""#).neighboursNanoseconds == 5_400_000_000_000)
        #expect(try definition("", #", "gap": "500 ms""#).stages[0].gapNanoseconds == 500_000_000)
        #expect(try definition(#", "withinNanoseconds": 5"#).withinNanoseconds == 5)
        for wrong in ["10", "10 parsecs", "1 0s", "s", "", " ", "-1 s"] {
            #expect(
                complaint(#"{"stages": [], "within": "\#(wrong)"}"#)
                    == "'\(wrong)' for 'within' at the top is no duration; write one such as \"10 s\" or \"1h30m\""
            )
        }
        #expect(complaint(#"{"stages": [], "within": 10}"#) == "'within' at the top must be a text such as \"10 s\"")
        #expect(
            complaint(#"{"stages": [], "within": "1 s", "withinNanoseconds": 1}"#)
                == "'within' and 'withinNanoseconds' at the top are the same; leave out one"
        )
    }

    @Test func aStageIsOneThing() throws {
        let json = #"""
            {"stages": [{"name": "g", "contiguity": "begin", "where": true,
                         "group": [{"name": "a", "contiguity": "begin"}]}]}
            """#
        let definition = try JSONDecoder().decode(PatternDefinition.self, from: Data(json.utf8))
        #expect(throws: PatternError.severalContents(stage: "g")) { try DynamicPattern(definition, over: schema) }
    }

    @Test func errorsAreOneLine() throws {
        let definition = try PatternDefinition(stages: [
            StageDefinition("a\n", .first, where: tree(#"{"==": [{"field": "a\u001b[31m"}, 1]}"#))
        ])
        let error = #expect(throws: PatternError.self) { try DynamicPattern(definition, over: schema) }
        #expect(
            error?.description
                == "the condition of 'a\u{FFFD}' is wrong: 'Purchase' has no field 'a\u{FFFD}[31m'"
        )
    }

    /// Both strategies on random definitions with quantifiers, groups, negations and bounds.
    @Test func bothStrategiesAgreeOnRandomDefinitions() throws {
        var compact = 0
        for seed in UInt64(0)..<400 {
            var random = SeededGenerator(seed: seed)
            let definition = Self.definition(&random)
            guard let pattern = try? DynamicPattern(definition, over: CorpusEvent.schema) else { continue }
            guard try pattern.explain().strategy == .compact else { continue }
            compact += 1
            for _ in 0..<3 {
                let test = Self.test(&random)
                let expected = CorpusRun(test, pattern, PatternSettings(strategy: .runs))
                let found = CorpusRun(test, pattern, PatternSettings(strategy: .compact))
                #expect(found.agrees(with: expected), "seed \(seed)")
            }
        }
        #expect(compact > 100)
    }

    static func definition(_ random: inout SeededGenerator) -> PatternDefinition {
        var names = 0
        func letters() -> ExpressionTree {
            let kinds = ["A", "B", "C", "D"].filter { _ in Bool.random(using: &random) }
            return .operation(.isIn, [.field("type")] + (kinds.isEmpty ? ["A"] : kinds).map { .literal(.text($0)) })
        }
        func quantifier() -> QuantifierDefinition? {
            let inner = [LoopContiguity.relaxed, .combinations, .consecutive].randomElement(using: &random)
            let isOptional = Int.random(in: 0..<4, using: &random) == 0
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return QuantifierDefinition(least: 1, isOpen: true, isOptional: isOptional, inner: inner)
            case 1: return QuantifierDefinition(least: 1, most: 3, isOptional: isOptional, inner: inner)
            case 2: return QuantifierDefinition(least: 2, isOptional: isOptional, inner: inner)
            case 3: return QuantifierDefinition(isOptional: true)
            default: return nil
            }
        }
        func stage(_ index: Int, _ depth: Int) -> StageDefinition {
            names += 1
            let joins: [Contiguity] = [.next, .followedBy, .followedBy, .followedByAny, .notFollowedBy, .notNext]
            let join = index == 0 ? Contiguity.first : joins.randomElement(using: &random) ?? .next
            if join == .notNext || join == .notFollowedBy {
                return StageDefinition("s\(names)", join, where: letters())
            }
            if depth == 0, Int.random(in: 0..<6, using: &random) == 0 {
                let name = "s\(names)"
                let inner = (0..<2).map { stage($0, 1) }
                return StageDefinition(name, join, quantifier: quantifier(), group: inner)
            }
            return StageDefinition("s\(names)", join, where: letters(), quantifier: quantifier())
        }
        let stages = (0..<Int.random(in: 1...4, using: &random)).map { stage($0, 0) }
        let within = Bool.random(using: &random) ? Int64.random(in: 2...9, using: &random) * 1_000_000 : nil
        return PatternDefinition(stages: stages, withinNanoseconds: within, groupedBy: .field("key"))
    }

    static func test(_ random: inout SeededGenerator) -> CorpusCase {
        var time: Int64 = 0
        let events = (0..<9).map { _ in
            time += Int64.random(in: 0...2, using: &random)
            return CorpusEvent(
                ts: time,
                type: ["A", "B", "C", "D"].randomElement(using: &random) ?? "A",
                value: 1,
                key: Int64.random(in: 0...1, using: &random)
            )
        }
        return CorpusCase(
            id: "",
            pattern: CorpusCase.Pattern(
                stages: [],
                afterMatchSkip: CorpusCase.Skip(strategy: "none", stage: nil, throwOnMiss: nil),
                within: nil,
                withinType: nil
            ),
            events: events,
            watermarks: nil,
            matches: [],
            matchAt: nil,
            timeouts: [],
            late: nil,
            error: nil
        )
    }

    @Test func twoTypesOfEventsMeetInOnePattern() {
        struct Payment: Sendable { let order: Int }
        let orders = Feed<Int>()
        let payments = Feed<Payment>()
        let unpaid = Pattern<Either<Int, Payment>>
            .first { if case .first = $0 { true } else { false } }
            .notFollowedBy.filter { order, event in
                guard case .second(let payment) = event, case .first(let number) = order else { return false }
                return payment.order == number
            }
            .within(.seconds(10))
        let matches = orders.alongside(payments).matches(of: unpaid, PatternSettings(order: .byWatermark))
        let recorder = Recorder(matches)
        payments.send(Payment(order: 1), at: Timestamp(secondsSinceEpoch: 5))
        orders.send(1, at: Timestamp(secondsSinceEpoch: 1))
        orders.send(2, at: Timestamp(secondsSinceEpoch: 2))
        orders.finish()
        #expect(recorder.elements.isEmpty)
        payments.finish()
        #expect(recorder.elements.count == 1)
        if case .first(let number)? = recorder.elements.first { #expect(number == 2) } else { Issue.record("no order") }
    }

    @Test func whatLimitsGiveUpIsCounted() {
        let pattern = Pattern<Int>.first { _ in true }.followedBy.filter { $1 == $0 + 100 }
        let feed = Feed<Int>()
        let matches = feed.matches(
            of: pattern,
            PatternSettings(limits: PatternLimits(partialMatches: 2, events: 3, policy: .dropNewest))
        )
        matches.subscribe { _ in }
        for value in 0..<5 { feed.send(value, at: .epoch) }
        #expect(matches.givenUpPartialMatches == 3)
        #expect(matches.memoryBound > 0 && matches.memoryBound < 1 << 30)
    }
}
