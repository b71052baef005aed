import TestStreams
import Testing
import WeirCore
import WeirTesting

@testable import WeirPatterns

/// Both strategies on random patterns, and runs against a declarative matcher that tries all tuples of events.
@Suite struct StrategyTests {
    struct Letter: Event, Equatable {
        let timestamp: Timestamp
        let index: Int
        let letter: Int
        let key: Int
    }

    /// A chain of stages for which the declarative meaning fits into a few lines.
    struct Chain {
        enum Join { case next, followedBy, followedByAny }
        struct Stage {
            var join: Join
            var letters: Int
            // What must not lie between this stage and the one before it.
            var forbidden: Int?
            // At least the value of the event before, so that captures matter.
            var isRising: Bool
        }
        var stages: [Stage]
        var within: Int64?

        init(_ random: inout SeededGenerator) {
            stages = (0..<Int.random(in: 1...3, using: &random)).map { index in
                let join = [Join.next, .followedBy, .followedByAny].randomElement(using: &random) ?? .next
                return Stage(
                    join: join,
                    letters: Int.random(in: 1...14, using: &random),
                    forbidden: index > 0 && join != .next && Int.random(in: 0..<4, using: &random) == 0
                        ? Int.random(in: 1...14, using: &random) : nil,
                    isRising: index > 0 && Int.random(in: 0..<4, using: &random) == 0
                )
            }
            within = Bool.random(using: &random) ? Int64.random(in: 1...8, using: &random) : nil
        }

        /// Whether an event can be that of a stage, after the event before it.
        func fits(_ stage: Int, _ event: Letter, after previous: Letter?) -> Bool {
            guard stages[stage].letters >> event.letter & 1 == 1 else { return false }
            guard stages[stage].isRising, let previous else { return true }
            return event.letter >= previous.letter
        }

        /// Whether a tuple of events is a match, told from the words alone.
        func isMatch(_ tuple: [Int], _ events: [Letter]) -> Bool {
            for (stage, position) in tuple.enumerated() {
                let event = events[position]
                let previous = stage > 0 ? events[tuple[stage - 1]] : nil
                guard fits(stage, event, after: previous) else { return false }
                guard let previous else { continue }
                let between = (tuple[stage - 1] + 1)..<position
                if stages[stage].join == .next, !between.isEmpty { return false }
                if stages[stage].join == .followedBy,
                    between.contains(where: { fits(stage, events[$0], after: previous) })
                {
                    return false
                }
                if let forbidden = stages[stage].forbidden {
                    // The event that matches may not be forbidden itself, unless it completes the match.
                    let end = stage == stages.count - 1 ? position : position + 1
                    if (tuple[stage - 1] + 1..<end).contains(where: { forbidden >> events[$0].letter & 1 == 1 }) {
                        return false
                    }
                }
            }
            guard let within, let first = tuple.first, let last = tuple.last else { return true }
            let length = events[last].timestamp - events[first].timestamp
            return length < .seconds(within)
        }

        func matches(_ events: [Letter]) -> [[Int]] {
            var found: [[Int]] = []
            func extend(_ tuple: [Int]) {
                if tuple.count == stages.count {
                    if isMatch(tuple, events) { found.append(tuple.map { events[$0].index }) }
                    return
                }
                for next in ((tuple.last ?? -1) + 1)..<max(events.count, (tuple.last ?? -1) + 1) {
                    extend(tuple + [next])
                }
            }
            extend([])
            return found.sorted { $0.lexicographicallyPrecedes($1) }
        }

        /// The chain as a plan.
        var draft: (plan: PatternPlan, table: ConditionTable<Letter>) {
            var table = ConditionTable<Letter>()
            var conditions: [PlanCondition] = []
            var captures: [String] = []
            var planned: [PlanStage] = []
            func add(_ letters: Int, rising previous: Int?) -> ConditionID {
                if let previous {
                    table.append(contextual: { event, captures in
                        letters >> event.letter & 1 == 1 && event.letter >= (captures.last(previous)?.letter ?? 0)
                    })
                    conditions.append(PlanCondition(captures: [previous], text: "rising"))
                } else {
                    table.append { letters >> $0.letter & 1 == 1 }
                    conditions.append(PlanCondition(captures: [], text: "\(letters)"))
                }
                return conditions.count - 1
            }
            var previous = 0
            for (index, stage) in stages.enumerated() {
                if let forbidden = stage.forbidden {
                    captures.append("not \(index)")
                    planned.append(
                        PlanStage(
                            name: "not \(index)",
                            contiguity: .notFollowedBy,
                            content: .event(capture: captures.count - 1, conditions: [add(forbidden, rising: nil)])
                        )
                    )
                }
                captures.append("\(index)")
                let contiguity: Contiguity =
                    index == 0
                    ? .first
                    : stage.join == .next ? .next : stage.join == .followedBy ? .followedBy : .followedByAny
                let condition = add(stage.letters, rising: stage.isRising ? previous : nil)
                previous = captures.count - 1
                planned.append(
                    PlanStage(
                        name: "\(index)",
                        contiguity: contiguity,
                        content: .event(capture: previous, conditions: [condition])
                    )
                )
            }
            let plan = PatternPlan(
                stages: planned,
                captures: captures,
                conditions: conditions,
                within: within.map { $0 * 1_000_000_000 }
            )
            return (plan, table)
        }
    }

    static func events(_ random: inout SeededGenerator) -> [Letter] {
        var time: Int64 = 0
        return (0..<Int.random(in: 0...9, using: &random)).map { index in
            time += Int64.random(in: 0...2, using: &random)
            return Letter(
                timestamp: Timestamp(secondsSinceEpoch: time),
                index: index,
                letter: Int.random(in: 0..<4, using: &random),
                key: 0
            )
        }
    }

    /// Collects the positions of the events of matches.
    struct Collector: MatchReceiver {
        typealias Element = Letter
        var demand: MatchDemand { .all }
        var found: [[Int]] = []

        mutating func receive(_ match: borrowing FoundMatch<Letter>, at time: Timestamp) -> Bool {
            found.append(match.entries.map(\.element.index))
            return true
        }
        mutating func receive(count: Int, at time: Timestamp) {}
        mutating func receiveTimeout(_ match: borrowing FoundMatch<Letter>, at time: Timestamp) {}
    }

    static func run(
        _ strategy: RunsStrategy<Letter>,
        _ events: [Letter]
    ) -> [[Int]] {
        var strategy = strategy
        var output = Collector()
        for event in events {
            strategy.advance(to: event.timestamp, into: &output)
            _ = strategy.receive(event, at: event.timestamp, slot: 0, into: &output)
        }
        return output.found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test func bothAgreeWithAllTuplesOfEvents() {
        var compact = 0
        for seed in seeds(10_000) {
            var random = SeededGenerator(seed: seed)
            let chain = Chain(&random)
            let (plan, table) = chain.draft
            let runs = RunsStrategy(plan: plan, conditions: table, limits: PatternLimits())
            for _ in 0..<4 {
                let events = Self.events(&random)
                let expected = chain.matches(events)
                let found = Self.run(runs, events)
                guard found == expected else {
                    Issue.record(
                        "runs, seed \(seed): \(found), not \(expected) of \(events.map(\.letter)) for \(chain)"
                    )
                    return
                }
                let timed = events.map { ($0, $0.timestamp) }
                guard let told = CompactRecorder.run(plan, table, groupedBy: nil, timed) else { continue }
                compact += 1
                let foundCompactly = told.matches.map { $0.match.entries.map(\.element.index) }
                    .sorted { $0.lexicographicallyPrecedes($1) }
                guard foundCompactly == expected else {
                    Issue.record("compact, seed \(seed): \(foundCompactly), not \(expected) for \(chain)")
                    return
                }
            }
        }
        #expect(compact > 4_000)
    }

    @Test func shuffledEventsGiveTheSameMatches() {
        for seed in UInt64(0)..<300 {
            var random = SeededGenerator(seed: seed)
            let letters = Int.random(in: 1...14, using: &random)
            let others = Int.random(in: 1...14, using: &random)
            let bound = Duration.seconds(Int64.random(in: 1...6, using: &random))
            let pattern = Pattern<Letter>
                .first { letters >> $0.letter & 1 == 1 }
                .followedBy { others >> $0.letter & 1 == 1 }
                .filter { first, event in event.letter >= first.letter }
                .times(1...)
                .within(bound)
                .grouped(by: \.key)
            var time: Int64 = 0
            let events = (0..<30).map { index in
                time += Int64.random(in: 1...2, using: &random)
                return Letter(
                    timestamp: Timestamp(secondsSinceEpoch: time),
                    index: index,
                    letter: Int.random(in: 0..<4, using: &random),
                    key: Int.random(in: 0..<2, using: &random)
                )
            }
            func indexes(_ matches: [(Letter, [Letter])]) -> [[Int]] {
                matches.map { [$0.0.index] + $0.1.map(\.index) }.sorted { $0.lexicographicallyPrecedes($1) }
            }
            let ordered = Feed<Letter>()
            let expected = Recorder(ordered.matches(of: pattern))
            for event in events { ordered.send(event, at: event.timestamp) }
            ordered.finish()

            let shuffled = Feed<Letter>()
            let found = Recorder(shuffled.matches(of: pattern, PatternSettings(order: .byWatermark)))
            for chunk in 0..<3 {
                let part = events[chunk * 10..<chunk * 10 + 10]
                for event in part.shuffled(using: &random) { shuffled.send(event, at: event.timestamp) }
                if let last = part.last { shuffled.advance(to: last.timestamp) }
            }
            shuffled.finish()
            #expect(indexes(found.elements) == indexes(expected.elements), "seed \(seed)")
        }
    }
}
