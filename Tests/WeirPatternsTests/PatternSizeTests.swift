import Testing
import WeirCore

@testable import WeirPatterns

/// How large a pattern may be that comes from outside, and that none takes long, or the whole stack.
@Suite struct PatternSizeTests {
    private static func stage(_ number: Int, _ contiguity: Contiguity, isOptional: Bool = false) -> PlanStage {
        var stage = PlanStage(
            name: "\(number)",
            contiguity: contiguity,
            content: .event(capture: number, conditions: [number % 2])
        )
        stage.quantifier.isOptional = isOptional
        return stage
    }

    private static func plan(_ stages: [PlanStage]) -> PatternPlan {
        PatternPlan(
            stages: stages,
            captures: stages.indices.map { "\($0)" },
            conditions: ["odd", "even"].map { PlanCondition(captures: [], text: $0) },
            within: 1000
        )
    }

    @Test func stagesThatCanBeLeftOutBehindANegationAreLimited() throws {
        func stages(_ count: Int) -> [PlanStage] {
            [Self.stage(0, .first), Self.stage(1, .notFollowedBy)]
                + (2..<count + 2).map { Self.stage($0, .followedBy, isOptional: true) }
                + [Self.stage(count + 2, .followedBy)]
        }
        try Self.plan(stages(200)).check()
        #expect(throws: PatternError.tooManyStates(limit: 1 << 20)) { try Self.plan(stages(20_000)).check() }
    }

    @Test func manyNegationsBeforeStagesThatCanBeLeftOutAreLimited() {
        let stages =
            [Self.stage(0, .first)] + (1...2000).map { Self.stage($0, .notFollowedBy) }
            + (2001...4000).map { Self.stage($0, .followedBy, isOptional: true) } + [Self.stage(4001, .followedBy)]
        #expect(throws: PatternError.tooManyStates(limit: 1 << 20)) { try Self.plan(stages).check() }
    }

    @Test func manyStagesThatCanBeLeftOutAreOnePattern() throws {
        let count = 10_000
        let stages = [Self.stage(0, .first)] + (1..<count).map { Self.stage($0, .followedBy, isOptional: true) }
        let plan = Self.plan(stages)
        try plan.check()
        let explanation = try PatternExplanation(plan, PatternSettings())
        #expect(explanation.strategy == .runs)
        let table = StepTable(AutomatonBuilder(plan).automaton, plan)
        // What is behind the first event can be the event of any stage, or the end.
        let second = try #require(table.automaton.states[table.automaton.start].edges.first).target
        #expect(table.relevant[table.automaton.start] == 1 && !table.reachesEnd[table.automaton.start])
        #expect(table.relevant[second] == 3 && table.reachesEnd[second])
    }

    @Test func manyAlternativesAreOnePattern() throws {
        let count = 20_000
        let alternatives = (0..<count).map { [Self.stage($0, .first)] }
        var plan = Self.plan([PlanStage(name: "any", contiguity: .first, content: .either(alternatives))])
        plan.captures = (0..<count).map { "\($0)" }
        try plan.check()
        let automaton = AutomatonBuilder(plan).automaton
        #expect(automaton.closure(of: automaton.start).count == count + 1)
    }

    @Test func aCycleIsFound() {
        var automaton = Automaton(states: [], start: 0, within: 0)
        automaton.states = (0..<3).map { _ in Automaton.State(capture: -1, kind: .normal) }
        func connect(_ state: Int, _ target: Int) {
            automaton.states[state].edges.append(.init(action: .proceed, target: target, condition: .always))
        }
        connect(0, 1)
        connect(0, 2)
        connect(1, 2)
        #expect(!automaton.hasEndlessProceeding)
        #expect(automaton.gathered([1, 2, 4]) == [7, 6, 4])
        connect(2, 0)
        #expect(automaton.hasEndlessProceeding)
        #expect(automaton.gathered([1, 2, 4]) == [7, 7, 7])
        automaton.states[2].edges = [.init(action: .proceed, target: 2, condition: .always)]
        #expect(automaton.hasEndlessProceeding)
    }

    @Test func aRangeMayEndWithTheGreatestNumber() throws {
        let first = Pattern<Int>.first { $0 > 0 }
        let open = try first.times(2...).explain().description
        #expect(try first.times(2...Int.max).explain().description == open)
        #expect(try first.times(2..<Int.max).explain().description == open)
        #expect(try first.times(...Int.max).explain().description == first.times(0...).explain().description)
        #expect(try first.times(...3).explain().description == first.times(0...3).explain().description)
        #expect(throws: PatternError.self) { try first.times(..<Int.min).validated() }
        #expect(throws: PatternError.self) { try first.times(Int.max...Int.max).validated() }
    }
}
