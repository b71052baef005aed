import Foundation
import Testing
import WeirCore
import WeirTesting

@testable import WeirPatterns

/// The compact strategy against matchers of a few lines, on random patterns and streams.
@Suite struct CompactModelTests {
    struct Event: Sendable {
        var index: Int
        var letter: Int
        var time: Int64
        var group: Int
    }

    /// How many random patterns there are; each meets ten streams.
    static var patternCount: Int { ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 300 : 12_000 }

    // MARK: Random patterns and streams

    static func conditions(_ letters: [Int]) -> ConditionTable<Event> {
        var table = ConditionTable<Event>()
        for mask in letters { table.append { mask >> $0.letter & 1 == 1 } }
        return table
    }

    static func events(_ random: inout SeededGenerator, count: Int) -> [Event] {
        var time: Int64 = 0
        return (0..<count).map { index in
            time += Int64.random(in: 0...3, using: &random)
            return Event(
                index: index,
                letter: Int.random(in: 0..<4, using: &random),
                time: time,
                group: Int.random(in: 0..<2, using: &random)
            )
        }
    }

    /// Makes random stages, with the letters of their conditions.
    struct PlanMaker {
        var random: SeededGenerator
        var letters: [Int] = []
        var captures: [String] = []

        mutating func condition() -> ConditionID {
            letters.append(Int.random(in: 1..<15, using: &random))
            return letters.count - 1
        }

        mutating func stage(_ contiguity: Contiguity, _ quantifier: PlanQuantifier, depth: Int = 0) -> PlanStage {
            captures.append("\(captures.count)")
            let content = PlanStage.Content.event(capture: captures.count - 1, conditions: [condition()])
            return PlanStage(
                name: "\(captures.count)",
                contiguity: contiguity,
                content: content,
                quantifier: quantifier
            )
        }

        mutating func quantifier(isLast: Bool) -> PlanQuantifier {
            var quantifier = PlanQuantifier()
            quantifier.inner = [.relaxed, .combinations, .consecutive][Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: quantifier.most = nil
            case 1: (quantifier.least, quantifier.most) = (2, 2)
            case 2: (quantifier.least, quantifier.most) = (1, 3)
            default: break
            }
            quantifier.isOptional = Int.random(in: 0..<5, using: &random) == 0
            quantifier.isGreedy = !quantifier.isSingle && Int.random(in: 0..<4, using: &random) == 0
            return quantifier
        }

        mutating func contiguity() -> Contiguity {
            [.next, .followedBy, .followedByAny][Int.random(in: 0..<3, using: &random)]
        }

        mutating func plan() -> PatternPlan {
            let count = Int.random(in: 1...4, using: &random)
            var stages: [PlanStage] = []
            for index in 0..<count {
                let mayNegate = index > 0 && index + 1 < count && !(stages.last?.quantifier.isOptional ?? true)
                if mayNegate, Int.random(in: 0..<4, using: &random) == 0 {
                    stages.append(stage(Bool.random(using: &random) ? .notFollowedBy : .notNext, PlanQuantifier()))
                } else if index > 0, Int.random(in: 0..<5, using: &random) == 0 {
                    var group = stage(contiguity(), quantifier(isLast: false))
                    group.content = .group([stage(.first, PlanQuantifier()), stage(contiguity(), PlanQuantifier())])
                    group.quantifier.isGreedy = false
                    stages.append(group)
                } else {
                    stages.append(
                        stage(index == 0 ? .first : contiguity(), quantifier(isLast: index + 1 == count))
                    )
                }
            }
            let within = Bool.random(using: &random) ? Int64.random(in: 2...12, using: &random) : nil
            if within != nil, !(stages.last?.quantifier.isOptional ?? true), Int.random(in: 0..<6, using: &random) == 0
            {
                stages.append(stage(.notFollowedBy, PlanQuantifier()))
            }
            return PatternPlan(
                stages: stages,
                captures: captures,
                conditions: letters.map { PlanCondition(captures: [], text: "\($0)") },
                within: within
            )
        }
    }

    // MARK: Running the strategy

    static func text(_ match: borrowing FoundMatch<Event>) -> String {
        match.entries.map { "\($0.capture):\($0.element.index)" }.joined(separator: " ")
    }

    /// What the strategy tells, sorted.
    static func run(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Event>,
        _ events: [Event],
        isGrouped: Bool = true,
        demand: MatchDemand = .all,
        reportsTimeouts: Bool = false
    ) throws -> [String] {
        let key: @Sendable (borrowing Event) -> Int = { $0.group }
        let output = try #require(
            CompactRecorder.run(
                plan,
                conditions,
                groupedBy: isGrouped ? key : nil,
                events.map { ($0, Timestamp(nanosecondsSinceEpoch: $0.time)) },
                demand: demand,
                reportsTimeouts: reportsTimeouts
            )
        )
        let matches = output.matches.map { "\($0.moment) match \(text($0.match))" }
        let timeouts = output.timeouts.map {
            "\($0.moment) timeout \($0.time.nanosecondsSinceEpoch) \(text($0.match))"
        }
        return (matches + timeouts + output.counts.map { "\($0.moment) count \($0.count)" }).sorted()
    }

    // MARK: A model that moves every run by itself

    /// A partial match.
    struct Run {
        var state: Int
        var steps: [String]
        var start: Int64
        var group: Int
    }

    static func runModel(_ plan: CompactPlan, _ masks: [Int], _ events: [Event]) -> [String] {
        let automaton = plan.automaton
        var runs: [Run] = []
        var told: [String] = []
        func advance(_ time: Int64?, _ moment: String) {
            guard let within = plan.within else { return }
            runs.removeAll { run in
                if let time, time - run.start < within { return false }
                let text = run.steps.joined(separator: " ")
                if automaton.states[run.state].kind == .pending {
                    told.append("\(moment) match \(text)")
                } else {
                    told.append("\(moment) timeout \(run.start + within) \(text)")
                }
                return true
            }
        }
        for event in events {
            advance(event.time, "t\(event.index)")
            let truths = masks.enumerated().reduce(into: UInt64(0)) { bits, mask in
                if mask.element >> event.letter & 1 == 1 { bits |= 1 << UInt64(mask.offset) }
            }
            let fresh = Run(state: automaton.start, steps: [], start: event.time, group: event.group)
            var next: [Run] = []
            for run in runs + [fresh] {
                if run.group != event.group {
                    next.append(run)
                    continue
                }
                let outcome = automaton.outcome(of: run.state, for: truths)
                for capture in outcome.matches {
                    let steps = run.steps + (capture.map { ["\($0):\(event.index)"] } ?? [])
                    told.append("e\(event.index) match \(steps.joined(separator: " "))")
                }
                for move in outcome.moves {
                    var moved = run
                    moved.state = move.target
                    if let capture = move.capture { moved.steps.append("\(capture):\(event.index)") }
                    next.append(moved)
                }
            }
            runs = next
        }
        advance(nil, "end")
        return told.sorted()
    }

    @Test func agreesWithRunsThatAreMovedOneByOne() throws {
        var refused = 0
        for seed in 0..<UInt64(Self.patternCount) {
            var maker = PlanMaker(random: SeededGenerator(seed: seed))
            let plan = maker.plan()
            guard let compact = try? CompactPlan(plan) else {
                refused += 1
                continue
            }
            let table = Self.conditions(maker.letters)
            for _ in 0..<10 {
                let events = Self.events(&maker.random, count: Int.random(in: 1...12, using: &maker.random))
                let expected = Self.runModel(compact, maker.letters, events)
                if expected.count > 2000 { continue }
                let found = try Self.run(plan, table, events, reportsTimeouts: true)
                #expect(found == expected, "seed \(seed): \(plan) on \(events)")
                guard found == expected else { return }
                // Counting and cutting short must agree with enumerating.
                let matches = expected.filter { $0.contains(" match ") }
                let counts = try Self.run(plan, table, events, demand: .count).compactMap {
                    Int($0.split(separator: " ")[2])
                }
                #expect(counts.reduce(0, +) == matches.count, "seed \(seed): counting \(plan) on \(events)")
                for index in [0, 1] where !compact.hasPending {
                    let group = events.filter { $0.group == index }
                    let numbers = try Self.run(plan, table, group, isGrouped: false, demand: .count).compactMap {
                        Int($0.split(separator: " ")[2])
                    }
                    let model = Self.runModel(compact, maker.letters, group).filter { $0.contains(" match ") }
                    #expect(numbers.reduce(0, +) == model.count, "seed \(seed): counting \(plan) on \(group)")
                    guard numbers.reduce(0, +) == model.count else { return }
                }
                let perMoment = Dictionary(grouping: matches) { $0.split(separator: " ")[0] }
                let firstTwo = try Self.run(plan, table, events, demand: .first(2))
                #expect(Set(firstTwo).isSubset(of: Set(matches)), "seed \(seed): the first of \(plan)")
                if !compact.hasPending {
                    #expect(firstTwo.count == perMoment.values.reduce(0) { $0 + min(2, $1.count) }, "seed \(seed)")
                }
            }
        }
        #expect(refused < Self.patternCount / 10)
    }

    // MARK: A model that looks at all tuples of events

    /// Every match of a plan of single events, by the definition of its contiguities.
    static func tuples(_ plan: PatternPlan, _ masks: [Int], _ events: [Event]) -> [String] {
        var told: [String] = []
        func holds(_ stage: PlanStage, _ index: Int) -> Bool {
            guard case .event(_, let conditions) = stage.content, let condition = conditions.first else { return true }
            return masks[condition] >> events[index].letter & 1 == 1
        }
        func extend(_ chosen: [Int], _ position: Int) {
            guard position < plan.stages.count else {
                let steps = zip(plan.stages.indices.filter { !plan.stages[$0].isNegation }, chosen)
                let text = steps.map { "\($0):\($1)" }.joined(separator: " ")
                told.append("e\(chosen[chosen.count - 1]) match \(text)")
                return
            }
            var (stage, negation): (PlanStage, PlanStage?) = (plan.stages[position], nil)
            var next = position + 1
            if stage.isNegation {
                negation = stage
                stage = plan.stages[next]
                next += 1
            }
            let before = chosen.last ?? -1
            for index in (before + 1)..<max(before + 1, events.count) where holds(stage, index) {
                if let within = plan.within, let first = chosen.first {
                    if events[index].time - events[first].time >= within { continue }
                }
                if !chosen.isEmpty {
                    let between = (before + 1)..<index
                    if stage.contiguity == .next, !between.isEmpty { continue }
                    if stage.contiguity == .followedBy, between.contains(where: { holds(stage, $0) }) { continue }
                    if let negation {
                        // The event that ends a match ends it, even if it is forbidden too.
                        let forbidden = next == plan.stages.count ? between : between.lowerBound..<(index + 1)
                        let isNext = negation.contiguity == .notNext
                        if isNext ? holds(negation, before + 1) : forbidden.contains(where: { holds(negation, $0) }) {
                            continue
                        }
                    }
                }
                extend(chosen + [index], next)
            }
        }
        extend([], 0)
        return told.sorted()
    }

    @Test func agreesWithAllTuplesOfEvents() throws {
        for seed in 0..<UInt64(Self.patternCount) {
            var maker = PlanMaker(random: SeededGenerator(seed: seed &+ 1_000_000))
            var stages: [PlanStage] = []
            let count = Int.random(in: 1...5, using: &maker.random)
            for index in 0..<count {
                if index > 0, index + 1 < count, stages[index - 1].isNegation == false,
                    Int.random(in: 0..<3, using: &maker.random) == 0
                {
                    stages.append(
                        maker.stage(Bool.random(using: &maker.random) ? .notFollowedBy : .notNext, PlanQuantifier())
                    )
                } else {
                    stages.append(maker.stage(index == 0 ? .first : maker.contiguity(), PlanQuantifier()))
                }
            }
            let plan = PatternPlan(
                stages: stages,
                captures: maker.captures,
                conditions: maker.letters.map { PlanCondition(captures: [], text: "\($0)") },
                within: Bool.random(using: &maker.random) ? Int64.random(in: 1...12, using: &maker.random) : nil
            )
            let table = Self.conditions(maker.letters)
            for _ in 0..<10 {
                var events = Self.events(&maker.random, count: Int.random(in: 1...12, using: &maker.random))
                for index in events.indices { events[index].group = 0 }
                let found = try Self.run(plan, table, events)
                let expected = Self.tuples(plan, maker.letters, events)
                #expect(found == expected, "seed \(seed): \(plan) on \(events)")
                guard found == expected else { return }
                let counts = try Self.run(plan, table, events, isGrouped: false, demand: .count)
                let perEvent = expected.reduce(into: [:]) { $0[$1.split(separator: " ")[0], default: 0] += 1 }
                let expectedCounts = perEvent.map { "\($0) count \($1)" }.sorted()
                #expect(counts == expectedCounts, "seed \(seed): counting \(plan) on \(events)")
                guard counts == expectedCounts else { return }
            }
        }
    }
}
