import Testing
import WeirCore
import WeirTesting

@testable import WeirPatterns

/// The compact strategy over long streams: what it keeps, gives back, and gives up at its limits.
@Suite struct CompactSinkTests {
    struct Event: Sendable {
        var letter: Int
        var key: Int
        var time: Int64
    }

    /// Counts matches and adds up the times of their events.
    struct Sum: PatternOutput {
        var demand = MatchDemand.all
        var count = 0
        var times: Int64 = 0
        var completion: Completion?

        mutating func receive(_ match: borrowing FoundMatch<Event>, at time: Timestamp) -> Bool {
            count += 1
            for entry in match.entries { times += entry.time.nanosecondsSinceEpoch }
            return true
        }

        mutating func receive(count: Int, at time: Timestamp) { self.count += count }

        mutating func receiveTimeout(_ match: borrowing FoundMatch<Event>, at time: Timestamp) {}

        mutating func advance(to watermark: Timestamp) {}

        mutating func finish(_ completion: Completion) { self.completion = completion }

        mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
            try state.begin("sum")
            try state.exchange(&count)
            try state.exchange(&times)
        }
    }

    /// A, then B, then C, joined as the contiguity says.
    static func plan(_ contiguity: Contiguity, within: Int64?) -> PatternPlan {
        PatternPlan(
            stages: (0..<3).map {
                PlanStage(
                    name: "\($0)",
                    contiguity: $0 == 0 ? .first : contiguity,
                    content: .event(capture: $0, conditions: [$0])
                )
            },
            captures: ["a", "b", "c"],
            conditions: (0..<3).map { PlanCondition(captures: [], text: "\($0)") },
            within: within
        )
    }

    static var conditions: ConditionTable<Event> {
        var table = ConditionTable<Event>()
        for letter in 0..<3 { table.append { $0.letter == letter } }
        return table
    }

    static func sink(
        _ plan: PatternPlan,
        byKey: Bool = false,
        limits: PatternLimits = PatternLimits(),
        demand: MatchDemand = .all,
        sides: PatternSides<Event> = PatternSides()
    ) throws -> CompactSink<Event, Int, Sum> {
        let key: @Sendable (borrowing Event) -> Int = { $0.key }
        let settings = PatternSettings(limits: limits, reportsTimeouts: false)
        let sink = CompactSink(
            plan,
            conditions,
            groupedBy: byKey ? key : nil,
            settings,
            sides,
            into: Sum(demand: demand)
        )
        return try #require(sink)
    }

    static func sum(_ sink: CompactSink<Event, Int, Sum>) -> Sum { sink.base.front.withValue { $0.output } }

    static func send(_ event: Event, to sink: inout CompactSink<Event, Int, Sum>) {
        // As a batch does; it makes no difference.
        if sink.wantsPrefetch {
            sink.prefetch(for: event, isNear: false)
            sink.prefetch(for: event, isNear: true)
        }
        sink.receive(event, at: Timestamp(nanosecondsSinceEpoch: event.time))
    }

    @Test(arguments: [1, 7, 60, 400] as [Int64])
    func findsEveryPossibilityInALongStream(within: Int64) throws {
        var random = SeededGenerator(seed: UInt64(within))
        var (enumerating, counting, summing) = (
            try Self.sink(Self.plan(.followedByAny, within: within)),
            try Self.sink(Self.plan(.followedByAny, within: within), demand: .count), Sum()
        )
        var graphCounting = try Self.sink(Self.plan(.followedByAny, within: within), byKey: true, demand: .count)
        var starts: [(time: Int64, pairs: [Int64])] = []
        var time: Int64 = 0
        for _ in 0..<6000 {
            time += Int64.random(in: 0...(within > 100 ? 20 : 4), using: &random)
            let event = Event(letter: Int.random(in: 0..<5, using: &random), key: 0, time: time)
            Self.send(event, to: &enumerating)
            Self.send(event, to: &counting)
            Self.send(event, to: &graphCounting)
            starts.removeAll { time - $0.time >= within }
            switch event.letter {
            case 0: starts.append((time, []))
            case 1: for index in starts.indices { starts[index].pairs.append(time) }
            case 2:
                for start in starts {
                    summing.count += start.pairs.count
                    for pair in start.pairs { summing.times += start.time + pair + time }
                }
            default: break
            }
        }
        #expect(Self.sum(enumerating).count == summing.count)
        #expect(Self.sum(enumerating).times == summing.times)
        #expect(Self.sum(counting).count == summing.count)
        #expect(Self.sum(graphCounting).count == summing.count)
        // As many nodes as events in the window make, and what is reclaimed with the next span.
        #expect(enumerating.metrics.nodeCount < 2048)
        #expect(counting.metrics.nodeCount == 0)
    }

    @Test func givesBackWhatNoPartialMatchNeedsWithoutAWindow() throws {
        var sink = try Self.sink(Self.plan(.followedBy, within: nil))
        var (expected, starts, pairs) = (0, 0, 0)
        var random = SeededGenerator(seed: 7)
        for time in 0..<Int64(30_000) {
            let event = Event(letter: Int.random(in: 0..<4, using: &random), key: 0, time: time)
            Self.send(event, to: &sink)
            switch event.letter {
            case 0: starts += 1
            case 1: (pairs, starts) = (pairs + starts, 0)
            case 2: (expected, pairs) = (expected + pairs, 0)
            default: break
            }
            #expect(sink.metrics.nodeCount < 1024)
        }
        #expect(Self.sum(sink).count == expected)
    }

    @Test func forgetsKeysWithTheirPartialMatches() throws {
        let sides = PatternSides<Event>()
        var sink = try Self.sink(Self.plan(.followedBy, within: 1000), byKey: true, sides: sides)
        let baseline = sink.metrics.bytes
        for key in 0..<100_000 { Self.send(Event(letter: 0, key: key, time: Int64(key) / 200), to: &sink) }
        #expect(sink.groupCount == 100_000)
        #expect(sink.metrics.bytesWithoutEvents < 100_000 * 130)
        // One half matches, the other one expires.
        for key in 0..<50_000 { Self.send(Event(letter: 1, key: key, time: 600), to: &sink) }
        for key in 0..<50_000 { Self.send(Event(letter: 2, key: key, time: 700), to: &sink) }
        #expect(Self.sum(sink).count == 50_000)
        #expect(sink.groupCount == 50_000)
        Self.send(Event(letter: 2, key: 0, time: 3), to: &sink)
        #expect(sides.late.count == 1)
        sink.advance(to: Timestamp(nanosecondsSinceEpoch: 5000))
        #expect(sink.groupCount == 0)
        sink.advance(to: Timestamp(nanosecondsSinceEpoch: 9000))
        #expect(sink.metrics.bytes <= baseline * 2, "\(sink.metrics) instead of \(baseline) bytes")
    }

    @Test func keepsItsLimitByForgettingTheOldest() throws {
        let limits = PatternLimits(partialMatches: 1024, partialMatchesPerGroup: 1024, policy: .dropOldest)
        var sink = try Self.sink(Self.plan(.followedByAny, within: nil), limits: limits)
        for time in 0..<Int64(10_000) {
            Self.send(Event(letter: 0, key: 0, time: time), to: &sink)
            #expect(sink.metrics.nodeCount <= 1024)
        }
        let kept = 10_000 - Int(sink.metrics.droppedStarts)
        Self.send(Event(letter: 1, key: 0, time: 10_000), to: &sink)
        Self.send(Event(letter: 2, key: 0, time: 10_001), to: &sink)
        // What was not dropped is found, and nothing else.
        #expect(Self.sum(sink).count == kept)
        #expect(kept > 200)
        #expect(sink.metrics.refusedEvents == 0)
    }

    @Test func keepsItsLimitByRefusingWhatIsNew() throws {
        let limits = PatternLimits(partialMatches: 1024, partialMatchesPerGroup: 1024, policy: .dropNewest)
        let sides = PatternSides<Event>()
        var sink = try Self.sink(Self.plan(.followedBy, within: 100_000), limits: limits, sides: sides)
        for time in 0..<Int64(10_000) { Self.send(Event(letter: 0, key: 0, time: time), to: &sink) }
        let taken = 10_000 - Int(sides.refused.count)
        #expect(taken > 200 && sides.refused.count == sink.metrics.refusedEvents && sink.metrics.nodeCount <= 1024)
        #expect(sink.metrics.droppedStarts == 0)
        // When the window has moved on there is room again.
        for time in [200_000, 200_001, 200_002] as [Int64] {
            Self.send(Event(letter: Int(time % 10), key: 0, time: time), to: &sink)
        }
        #expect(Self.sum(sink).count == 1)
    }

    @Test func theOldestCannotBeForgottenAtTheEndOfTime() throws {
        let limits = PatternLimits(partialMatches: 1024, partialMatchesPerGroup: 1024, policy: .dropOldest)
        for within in [nil, 1000] as [Int64?] {
            let sides = PatternSides<Event>()
            var sink = try Self.sink(Self.plan(.followedByAny, within: within), limits: limits, sides: sides)
            for time in 0..<Int64(100) { Self.send(Event(letter: 0, key: 0, time: time), to: &sink) }
            for _ in 0..<3000 { Self.send(Event(letter: 0, key: 0, time: .max), to: &sink) }
            // The earlier ones gave way, or had expired; those of the same time stay.
            #expect(sink.metrics.refusedEvents > 1000 && sides.refused.count == sink.metrics.refusedEvents)
            #expect(sink.metrics.nodeCount <= 1024)
        }
    }

    @Test func failsAtItsLimitIfToldTo() throws {
        let limits = PatternLimits(partialMatches: 1024, partialMatchesPerGroup: 1024, policy: .fail)
        var sink = try Self.sink(Self.plan(.followedBy, within: nil), limits: limits)
        for time in 0..<Int64(10_000) { Self.send(Event(letter: 0, key: 0, time: time), to: &sink) }
        #expect(sink.metrics.hasFailed && sink.metrics.nodeCount == 0)
        #expect(Self.sum(sink).completion != nil)
    }

    @Test func countsWithoutKeepingEventsWhenNothingBegins() throws {
        var sink = try Self.sink(Self.plan(.followedByAny, within: 1 << 40), demand: .count)
        let before = sink.metrics.bytes
        for time in 0..<Int64(10_000) { Self.send(Event(letter: 1, key: 0, time: time), to: &sink) }
        #expect(sink.metrics.bytes == before)
    }

    /// Without groups too, a window that closes leaves nothing behind.
    @Test func windowsThatCloseTakeUpNoMemory() throws {
        var plan = Self.plan(.followedBy, within: 2)
        plan.stages[1].contiguity = .notFollowedBy
        plan.stages.removeLast()
        var sink = try Self.sink(plan)
        var bytes: [Int] = []
        for time in 0..<20_000 as Range<Int64> {
            Self.send(Event(letter: 0, key: 0, time: 3 * time), to: &sink)
            if time % 10_000 == 100 { bytes.append(sink.metrics.bytes) }
        }
        #expect(Self.sum(sink).count == 19_999)
        #expect(bytes[0] == bytes[1])
    }

    @Test func saysWhyAPlanIsLeftToTheOtherStrategy() {
        var plan = Self.plan(.next, within: nil)
        #expect(PatternSettings().obstacle(for: plan) == nil)
        plan.conditions[1].captures = [0]
        #expect(PatternSettings().obstacle(for: plan) == "the condition '1' looks at captured events")
        plan.conditions[1].captures = []
        plan.afterMatch = .skipPastLast
        #expect(PatternSettings().obstacle(for: plan) == "the after-match policy ends partial matches one by one")
    }

    @Test func roomIsMadeForAnEventThatTakesMoreThanThereIs() {
        var graph = CompactGraph<Int>(limit: 1 << 20)
        var cells = PositionRing<CompactCell>(capacity: 64, filler: .empty)
        for cell in 0..<40 as Range<UInt32> {
            let event = graph.append(Int(cell), 0)
            let first = graph.endOfNodes
            cells[cell] = CompactCell(newest: 0, root: graph.step(0, 0, event, 0), count: 1)
            graph.noteTime(0, since: first)
        }
        for count in [300, 3000, 30_000] {
            #expect(graph.makeRoom(for: count, cells: &cells, cellCount: 64), "\(count)")
            #expect(Int(graph.endOfRoom) - Int(graph.endOfNodes) >= count)
        }
        #expect(graph.nodeCount == 40)
    }

    /// What an event takes grows with the pattern, so what is too narrow does, too.
    @Test(arguments: [LimitPolicy.dropNewest, .dropOldest, .fail])
    func aLargePatternWithNarrowLimitsIsLeftToTheOtherStrategy(policy: LimitPolicy) throws {
        let stages = (0..<5).map {
            PlanStage(
                name: "\($0)",
                contiguity: $0 == 0 ? .first : .followedBy,
                content: .event(capture: $0, conditions: [0])
            )
        }
        let plan = PatternPlan(
            stages: [PlanStage(name: "all", contiguity: .first, content: .allOf(stages))],
            captures: stages.map(\.name),
            conditions: [PlanCondition(captures: [], text: "any")],
            within: nil
        )
        let limits = PatternLimits(partialMatches: 1024, partialMatchesPerGroup: 1024, policy: policy)
        #expect(try PatternSettings(limits: limits).choice(for: plan) == .runs)
        #expect(try PatternSettings().choice(for: plan) == .compact)
        let set = PatternSet<Int>()
        let rule = try set.add(Pattern<Int>.first { _ in true }, limits: PatternLimits(partialMatches: 10)) { _ in }
        #expect(rule.strategy == .runs)
    }
}
