import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirPatternDefinitions
import WeirPatterns
import WeirTesting

@Suite struct ExplanationTests {
    private let large = Pattern<Purchase>
        .first(named: "small").where { $0.amount < 10 }
        .notFollowedBy(named: "refund").where { $0.amount < 0 }
        .followedBy(named: "large").where { $0.amount > 100 }.times(1...)
        .within(.seconds(60))

    @Test func theTextTellsStagesStrategyAndAutomaton() throws {
        let text = try large.explain().description
        #expect(text.contains("begin small where amount < 10.0"))
        #expect(text.contains("followedBy large 1 times or more where amount > 100.0"))
        #expect(text.contains("within 60.0 seconds"))
        #expect(text.contains("strategy: compact"))
        #expect(text.contains("-> match"))
        #expect(text.contains("stopped by refund"))
    }

    @Test func theStrategyIsRunsWhereConditionsLookBack() throws {
        let rising = Pattern<Purchase>.first { _ in true }.followedBy.on { first, next in next.amount > first.amount }
        let explanation = try rising.explain()
        #expect(explanation.strategy == .runs)
        #expect(explanation.obstacle == "the condition 'amount > stage 0.amount' looks at captured events")
        #expect(throws: PatternError.self) {
            try DynamicPattern<CorpusEvent>(
                PatternDefinition(
                    stages: [StageDefinition("a", .first), StageDefinition("b", .next)],
                    selection: .longest
                ),
                over: CorpusEvent.schema
            ).explain(PatternSettings(strategy: .compact))
        }
    }

    @Test func graphsHaveEveryEdge() throws {
        let explanation = try large.explain()
        let edges = explanation.description.components(separatedBy: " -> ").count - 1
        #expect(explanation.dot.components(separatedBy: "->").count - 1 == edges)
        #expect(explanation.mermaid.components(separatedBy: "-->").count - 1 == edges)
        #expect(explanation.dot.hasPrefix("digraph pattern {") && explanation.dot.hasSuffix("}"))
        #expect(explanation.mermaid.hasPrefix("flowchart LR"))
    }
}

@Suite struct TraceTests {
    @Test func aTraceTellsWhichConditionSaidNo() {
        let tracer = PatternTracer()
        let pattern = Pattern<Purchase>
            .first(named: "first").where { $0.isFaceToFace == true }
            .next(named: "second").on { first, second in second.amount > first.amount }
            .within(.seconds(10))
            .grouped(by: \.card)
        let feed = Feed<Purchase>()
        let matches = feed.matches(of: pattern, PatternSettings(tracer: tracer))
        let recorder = Recorder(matches)
        feed.send(Purchase(0, card: 1, 10), at: Timestamp(secondsSinceEpoch: 0))
        feed.send(Purchase(1, card: 1, 5, faceToFace: false), at: Timestamp(secondsSinceEpoch: 1))
        feed.send(Purchase(2, card: 2, 5), at: Timestamp(secondsSinceEpoch: 2))
        feed.send(Purchase(20, card: 3, 5), at: Timestamp(secondsSinceEpoch: 20))
        feed.finish()
        #expect(recorder.elements.isEmpty)
        let first = matches.trace(key: "1")
        #expect(first.map(\.happening) == [.broken])
        #expect(first.first?.stage == "second")
        #expect(first.first?.conditions.map(\.text) == ["amount > first.amount"])
        #expect(first.first?.conditions.map(\.held) == [false])
        #expect(first.first?.captured.map(\.stage) == ["first"])
        #expect(first.first?.captured.first?.event.contains("amount: 10.0") == true)
        #expect(matches.trace(key: "2").map(\.happening) == [.timedOut])
        #expect(matches.trace(key: "1", from: Timestamp(secondsSinceEpoch: 2)).isEmpty)
    }

    @Test func aTracerKeepsTheLatestEntries() {
        let tracer = PatternTracer(limit: 2)
        let pattern = Pattern<Purchase>.first { $0.amount == 1 }.followedBy { $0.amount == 2 }
        let feed = Feed<Purchase>()
        let matches = feed.matches(of: pattern, PatternSettings(tracer: tracer))
        matches.subscribe { _ in }
        for (second, amount) in [1.0, 3, 3, 3, 2].enumerated() {
            feed.send(Purchase(Int64(second), amount), at: Timestamp(secondsSinceEpoch: Int64(second)))
        }
        #expect(matches.trace(key: "").map(\.happening) == [.passedOver, .captured])
    }

    @Test func whatTimeEndsIsTracedForItsOwnGroup() {
        let pattern = Pattern<Purchase>
            .first { $0.amount == 1 }
            .followedBy { $0.amount == 2 }
            .within(.seconds(10))
            .grouped(by: \.card)
        let feed = Feed<Purchase>()
        let matches = feed.matches(of: pattern, PatternSettings(tracer: PatternTracer()))
        matches.subscribe { _ in }
        for (second, card) in [(0, 1), (1, 2), (2, 3)] as [(Int64, Int)] {
            feed.send(Purchase(second, card: card, 1), at: Timestamp(secondsSinceEpoch: second))
        }
        feed.finish()
        for card in 1...3 { #expect(matches.trace(key: "\(card)").map(\.happening) == [.timedOut], "card \(card)") }
    }
}
