import Foundation
import Testing
import WeirCore
import WeirTesting

@testable import WeirPatterns

/// Limits, groups that come and go, and bounds in time, with the runs strategy.
@Suite struct LimitTests {
    private struct Count: MatchReceiver {
        typealias Element = Int
        var demand = MatchDemand.all
        var matches: [[Int]] = []
        var total = 0
        var timeouts: [(events: [Int], time: Timestamp)] = []

        mutating func receive(_ match: borrowing FoundMatch<Int>, at time: Timestamp) -> Bool {
            matches.append(match.entries.map(\.element))
            return true
        }
        mutating func receive(count: Int, at time: Timestamp) { total += count }
        mutating func receiveTimeout(_ match: borrowing FoundMatch<Int>, at time: Timestamp) {
            timeouts.append((match.entries.map(\.element), time))
        }
    }

    /// Odd, then even: every possibility.
    private func strategy(
        _ limits: PatternLimits,
        within: Int64? = nil,
        after: AfterMatch = .noSkip,
        selection: MatchSelection = .all
    ) -> RunsStrategy<Int> {
        var table = ConditionTable<Int>()
        table.append { !$0.isMultiple(of: 2) }
        table.append { $0.isMultiple(of: 2) }
        let conditions = [PlanCondition(captures: [], text: "odd"), PlanCondition(captures: [], text: "even")]
        let stages = [
            PlanStage(name: "odd", contiguity: .first, content: .event(capture: 0, conditions: [0])),
            PlanStage(name: "even", contiguity: .followedByAny, content: .event(capture: 1, conditions: [1])),
        ]
        let plan = PatternPlan(
            stages: stages,
            captures: ["odd", "even"],
            conditions: conditions,
            within: within,
            neighbours: nil,
            afterMatch: after,
            selection: selection
        )
        return RunsStrategy(plan: plan, conditions: table, limits: limits)
    }

    private func feed(
        _ strategy: inout RunsStrategy<Int>,
        _ values: [Int],
        _ output: inout Count,
        slot: (Int) -> Int = { _ in 0 }
    ) {
        for (second, value) in values.enumerated() {
            let time = Timestamp(secondsSinceEpoch: Int64(second))
            strategy.advance(to: time, into: &output)
            _ = strategy.receive(value, at: time, slot: slot(value), into: &output)
        }
    }

    @Test(arguments: [AfterMatch.noSkip, .skipToFirst(capture: 1, failsOnMiss: false)])
    func aNewPartialMatchCanBeRefused(after: AfterMatch) {
        var strategy = strategy(PatternLimits(partialMatches: 2, policy: .dropNewest), after: after)
        var output = Count()
        feed(&strategy, [1, 3, 5, 7, 2], &output)
        #expect(strategy.losses.partialMatches == 2)
        #expect(output.matches.map(\.[0]).allSatisfy { $0 == 1 || $0 == 3 })
    }

    @Test(arguments: [AfterMatch.noSkip, .skipToFirst(capture: 1, failsOnMiss: false)])
    func theOldestPartialMatchCanGiveWay(after: AfterMatch) {
        var strategy = strategy(PatternLimits(partialMatches: 2, policy: .dropOldest), after: after)
        var output = Count()
        feed(&strategy, [1, 3, 5, 7], &output)
        #expect(strategy.store.count == 2)
        #expect(strategy.losses.partialMatches == 2)
        _ = strategy.receive(2, at: Timestamp(secondsSinceEpoch: 9), slot: 0, into: &output)
        #expect(output.matches.map(\.[0]).allSatisfy { $0 == 5 || $0 == 7 })
        #expect(!output.matches.isEmpty)
    }

    @Test func aLimitCanBeAFailure() {
        var strategy = strategy(PatternLimits(partialMatches: 2, policy: .fail))
        var output = Count()
        feed(&strategy, [1, 3], &output)
        #expect(strategy.losses.failure == nil)
        feed(&strategy, [5], &output)
        #expect(strategy.losses.failure == .limitReached("2 partial matches"))
        let pattern = Pattern<Int>.first { _ in true }.followedBy { _ in false }
        let source = Feed<Int>()
        let recorder = Recorder(
            source.matches(of: pattern, PatternSettings(limits: PatternLimits(partialMatches: 1, policy: .fail)))
        )
        source.send(1, at: .epoch)
        source.send(2, at: .epoch)
        source.send(3, at: .epoch)
        #expect(recorder.isFinished)
    }

    @Test func limitsHoldInEachGroup() {
        var strategy = strategy(PatternLimits(partialMatchesPerGroup: 1, policy: .dropOldest))
        var output = Count()
        feed(&strategy, [1, 11, 3, 13, 2, 12], &output) { $0 > 10 ? 1 : 0 }
        #expect(output.matches == [[3, 2], [13, 12]])
        #expect(strategy.losses.partialMatches == 2)
    }

    @Test func eventsAreLimitedToo() {
        var refusing = strategy(PatternLimits(events: 2, policy: .dropNewest))
        var output = Count()
        feed(&refusing, [1, 3, 5, 2], &output)
        // Neither what would begin nor what would complete finds room.
        #expect(output.matches.isEmpty)
        #expect(refusing.losses.refusedEvents == 2)
        var dropping = strategy(PatternLimits(events: 2, policy: .dropOldest))
        feed(&dropping, [1, 3, 5, 2], &output)
        #expect(output.matches == [[5, 2]])
        #expect(dropping.paths.eventCount <= 2)
    }

    @Test func memoryIsBoundedByTheLimits() {
        let limits = PatternLimits(partialMatches: 1000, events: 1000, groups: 10)
        let small = strategy(limits).memoryBound
        #expect(small > 0 && small < 1 << 20)
        #expect(strategy(PatternLimits(partialMatches: 2000, events: 2000, groups: 10)).memoryBound > small)
    }

    @Test func demandBoundsWhatIsEnumerated() {
        var strategy = strategy(PatternLimits())
        var output = Count(demand: .first(2))
        feed(&strategy, [1, 3, 5, 7, 2], &output)
        #expect(output.matches.count == 2)
        output = Count(demand: .count)
        feed(&strategy, [4], &output)
        #expect(output.matches.isEmpty && output.total == 4)
    }

    @Test func oneOfSeveralMatchesIsSelected() {
        for (selection, expected) in [(MatchSelection.first, 1), (.last, 7), (.longest, 1)] {
            var strategy = strategy(PatternLimits(), selection: selection)
            var output = Count()
            feed(&strategy, [1, 3, 5, 7, 2], &output)
            #expect(output.matches == [[expected, 2]], "\(selection)")
        }
    }

    @Test func aWindowEndsExactlyAtItsBound() {
        var strategy = strategy(PatternLimits(), within: 10_000_000_000)
        var output = Count()
        let start = Timestamp(secondsSinceEpoch: 100)
        _ = strategy.receive(1, at: start, slot: 0, into: &output)
        let bound = Timestamp(secondsSinceEpoch: 110)
        let before = Timestamp(nanosecondsSinceEpoch: bound.nanosecondsSinceEpoch - 1)
        strategy.advance(to: before, into: &output)
        _ = strategy.receive(2, at: before, slot: 0, into: &output)
        #expect(output.matches == [[1, 2]])
        #expect(output.timeouts.isEmpty)
        strategy.advance(to: bound, into: &output)
        #expect(output.timeouts.map(\.events) == [[1]])
        #expect(output.timeouts.map(\.time) == [bound])
        _ = strategy.receive(4, at: bound, slot: 0, into: &output)
        #expect(output.matches == [[1, 2]])
        #expect(strategy.emptied == [0])
    }

    @Test func neighboursHaveABoundOfTheirOwn() {
        let pattern = Pattern<Int>
            .first { $0 == 1 }
            .followedBy { $0 == 2 }.times(1...)
            .followedBy { $0 == 3 }
            .within(betweenNeighbours: .seconds(5))
        let source = Feed<Int>()
        let matches = source.matches(of: pattern)
        let recorder = Recorder(matches)
        for (second, value) in [(0, 1), (4, 2), (8, 2), (13, 3), (14, 2), (20, 1), (24, 2), (28, 3)] {
            source.send(value, at: Timestamp(secondsSinceEpoch: Int64(second)))
        }
        #expect(recorder.elements.count == 1)
        #expect(recorder.elements.first?.1 == [2])
    }

    /// How many keys come and go: 200,000, or a million with `WEIR_LONG_TESTS=1` in the environment.
    private static var keyCount: Int {
        ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 200_000 : 1_000_000
    }

    @Test func groupsComeAndGo() {
        let pattern = Pattern<Int>
            .first { _ in true }
            .followedBy.filter { first, event in event < first }
            .within(.seconds(1))
            .grouped { $0 }
        let source = Feed<Int>()
        let evaluation = try? PatternEvaluation(
            pattern.pattern.plan(),
            pattern.pattern.draft.table,
            pattern.key,
            PatternSettings()
        )
        guard let evaluation else {
            Issue.record("the pattern has a mistake")
            return
        }
        #expect(evaluation.strategy == .runs)
        let output = MatchForwarder<Int, RecorderSink<Int>>(
            { $0.entries.count },
            .all,
            evaluation.sides,
            [],
            Recorder<Int>().sink
        )
        var sink = evaluation.sink(evaluation.runs, output)
        let count = Self.keyCount
        for key in 0..<count {
            sink.receive(key, at: Timestamp(nanosecondsSinceEpoch: Int64(key) * 1000))
        }
        sink.front.withValue { front in
            #expect(front.groups.count == count)
            #expect(front.strategy.store.count == count)
        }
        sink.advance(to: Timestamp(secondsSinceEpoch: 100))
        sink.front.withValue { front in
            #expect(front.groups.count == 0)
            #expect(front.groups.keys.capacity < 4096)
            #expect(front.strategy.store.count == 0)
            #expect(front.strategy.paths.eventCount == 0)
            #expect(front.strategy.store.runs.capacity < 4096)
            #expect(front.strategy.paths.events.capacity < 4096)
            #expect(front.strategy.emptied.capacity <= 4096)
        }
        withExtendedLifetime(source) {}
    }

    @Test func lateEventsGoToTheSide() {
        let pattern = Pattern<Int>.first { _ in true }.next.filter { $1 == $0 + 1 }
        for (order, expected) in [(ArrivalOrder.inOrder, [1, 3]), (.byWatermark, [1])] {
            let source = Feed<Int>()
            let matches = source.matches(of: pattern, PatternSettings(order: order))
            let late = Locked<[Int]>([])
            matches.late.subscribe { event in late.withLock { $0.append(event) } }
            matches.subscribe { _ in }
            source.send(7, at: Timestamp(secondsSinceEpoch: 5))
            source.advance(to: Timestamp(secondsSinceEpoch: 5))
            source.send(1, at: Timestamp(secondsSinceEpoch: 4))
            source.send(2, at: Timestamp(secondsSinceEpoch: 7))
            source.send(3, at: Timestamp(secondsSinceEpoch: 6))
            source.finish()
            #expect(late.withLock { $0 } == expected)
            #expect(matches.late.count == UInt64(expected.count))
        }
    }

    @Test func tooManyWaitingEventsAreRefused() {
        let pattern = Pattern<Int>.first { _ in true }
        let source = Feed<Int>()
        let matches = source.matches(
            of: pattern,
            PatternSettings(order: .byWatermark, limits: PatternLimits(waiting: 2))
        )
        let recorder = Recorder(matches)
        for value in 1...3 { source.send(value, at: Timestamp(secondsSinceEpoch: Int64(10 - value))) }
        source.finish()
        #expect(recorder.elements == [2, 1])
        #expect(matches.refused.count == 1)
    }

    @Test func eventsThatWaitWithoutAWatermarkAreTold() {
        let pattern = Pattern<Int>.first { _ in true }
        for (order, watermark, expected) in [
            (ArrivalOrder.byWatermark, false, 1 as UInt64), (.byWatermark, true, 0), (.inOrder, false, 0),
        ] {
            let source = Feed<Int>()
            let matches = source.matches(of: pattern, PatternSettings(order: order))
            matches.subscribe { _ in }
            if watermark { source.advance(to: .epoch) }
            for value in 0..<1_024 { source.send(value, at: Timestamp(secondsSinceEpoch: Int64(value))) }
            #expect(matches.stalls.count == 0)
            source.send(0, at: Timestamp(secondsSinceEpoch: 1_024))
            source.send(0, at: Timestamp(secondsSinceEpoch: 1_025))
            #expect(matches.stalls.count == expected)
        }
    }

    @Test(arguments: [StrategyChoice.compact, .runs])
    func ofTooManyWaitingEventsThePolicyDropsTheOldest(strategy: StrategyChoice) {
        let pattern = Pattern<Int>.first { _ in true }
        for (policy, expected) in [(LimitPolicy.dropNewest, [1, 2]), (.dropOldest, [3, 4])] {
            let source = Feed<Int>()
            let limits = PatternLimits(waiting: 2, policy: policy)
            let settings = PatternSettings(order: .byWatermark, limits: limits, strategy: strategy)
            let matches = source.matches(of: pattern, settings)
            let recorder = Recorder(matches)
            for value in 1...4 { source.send(value, at: Timestamp(secondsSinceEpoch: Int64(value))) }
            source.finish()
            #expect(recorder.elements == expected)
            #expect(matches.refused.count == 2)
        }
    }

    @Test(arguments: [StrategyChoice.compact, .runs])
    func worksAtTheEndsOfTime(strategy: StrategyChoice) {
        for order in [ArrivalOrder.inOrder, .byWatermark] {
            let settings = PatternSettings(order: order, strategy: strategy)
            // Longer than there is time.
            let pattern = Pattern<Int>.first { $0 == 1 }.followedBy { $0 == 2 }.within(.seconds(1 << 40))
            let (source, other) = (Feed<Int>(), Feed<Int>())
            let pairs = Recorder(source.matches(of: pattern, settings))
            let all = Recorder(other.matches(of: Pattern<Int>.first { _ in true }, settings))
            let events = [(1, Timestamp.distantPast), (1, .epoch), (2, Timestamp(secondsSinceEpoch: 1 << 32))]
            for (event, time) in events + [(3, .distantFuture)] {
                source.send(event, at: time)
                other.send(event, at: time)
            }
            source.finish()
            other.finish()
            #expect(pairs.elements.map { [$0.0, $0.1] } == [[1, 2]])
            #expect(all.elements == [1, 1, 2, 3])
        }
    }

    @Test func completionsAndFailuresPass() {
        struct Broken: Error {}
        let pattern = Pattern<Int>.first { $0 == 1 }.notFollowedBy { $0 == 2 }.within(.seconds(1))
        for completion in [Completion.finished, .failed(Broken())] {
            let source = Feed<Int>()
            let recorder = Recorder(source.matches(of: pattern, PatternSettings(strategy: .runs)))
            source.send(1, at: .epoch)
            source.advance(to: .epoch)
            source.finish(completion)
            #expect(recorder.isFinished)
            // A failure says nothing of the time that would have come.
            if case .finished = completion {
                #expect(recorder.elements == [1])
            } else {
                #expect(recorder.elements.isEmpty)
            }
        }
    }

    /// A channel outlives most patterns: one that has failed must not be fed any more.
    @Test(arguments: [StrategyChoice.compact, .runs], [ArrivalOrder.inOrder, .byWatermark])
    func aPatternThatHasFailedDetaches(strategy: StrategyChoice, order: ArrivalOrder) {
        let limits =
            strategy == .compact ? PatternLimits(events: 1024, policy: .fail) : PatternLimits(events: 2, policy: .fail)
        let pattern = Pattern<Int>.first { _ in true }.followedBy { _ in false }
        let channel = Multicast<Int>()
        let matches = channel.matches(of: pattern, PatternSettings(order: order, limits: limits, strategy: strategy))
        let recorder = Recorder<(Int, Int)>()
        let subscription = matches.attach(recorder.sink)
        for value in 0..<2000 as Range<Int64> {
            channel.send(Int(value), at: Timestamp(secondsSinceEpoch: value))
            channel.advance(to: Timestamp(secondsSinceEpoch: value))
        }
        #expect(recorder.isFinished)
        #expect(subscription.isCancelled)
    }

    @Test func theCompactStrategyCountsWhatItGivesUp() {
        let pattern = Pattern<Int>.first { $0 > 0 }.followedByAny { $0 == 0 }
        let settings = PatternSettings(limits: PatternLimits(partialMatches: 2048, policy: .dropOldest))
        let source = Feed<Int>()
        let matches = source.matches(of: pattern, settings)
        #expect(matches.strategy == .compact)
        let recorder = Recorder(matches)
        for value in 1...5000 as ClosedRange<Int64> { source.send(Int(value), at: Timestamp(secondsSinceEpoch: value)) }
        source.send(0, at: Timestamp(secondsSinceEpoch: 6000))
        #expect(matches.givenUpPartialMatches > 0)
        #expect(recorder.elements.count + Int(matches.givenUpPartialMatches) == 5000)
        #expect(matches.refused.count == 0)
    }

    /// Runs that end before their time leave the timers of their bounds behind.
    @Test func theTimersOfRunsThatAreGoneAreForgotten() {
        let pattern = Pattern<Int>.first { $0 == 1 }.next(within: .seconds(1 << 30)) { $0 == 2 }
        guard let plan = try? pattern.plan() else {
            Issue.record("the pattern has a mistake")
            return
        }
        var strategy = RunsStrategy(plan: plan, conditions: pattern.draft.table, limits: PatternLimits())
        var output = Count()
        for second in 0..<10_000 as Range<Int64> {
            let time = Timestamp(secondsSinceEpoch: second)
            strategy.advance(to: time, into: &output)
            _ = strategy.receive(second % 2 == 0 ? 1 : 2, at: time, slot: 0, into: &output)
        }
        #expect(output.matches.count == 5000)
        #expect(strategy.gapTimers.timers.count < 100)
    }

    @Test(arguments: [MatchSelection.first, .last, .longest])
    func matchesThatOneMomentCompletesAreSelectedInEachGroup(selection: MatchSelection) {
        let pattern = Pattern<Int>
            .first { $0 % 10 == 1 }
            .notFollowedBy { $0 % 10 == 2 }
            .within(.seconds(5))
            .selecting(selection)
            .grouped { $0 / 10 }
        let source = Feed<Int>()
        let recorder = Recorder(source.matches(of: pattern))
        for value in [1, 11, 21, 11, 1] { source.send(value, at: .epoch) }
        source.finish()
        #expect(recorder.elements == [1, 11, 21])
    }

    /// However far time goes on at once, what closes at one moment is selected apart from what closes at another.
    @Test(arguments: [false, true])
    func matchesThatSeveralMomentsCompleteAreSelectedForEach(goesOnAtOnce: Bool) {
        let pattern = Pattern<Int>
            .first { $0 == 1 }
            .notFollowedBy(within: .seconds(3)) { $0 == 2 }
            .within(.seconds(8))
            .selecting(.first)
        let source = Feed<Int>()
        let recorder = Recorder(source.matches(of: pattern))
        for second in [0, 0, 1, 2] as [Int64] { source.send(1, at: Timestamp(secondsSinceEpoch: second)) }
        if !goesOnAtOnce {
            for second in 3...9 as ClosedRange<Int64> { source.advance(to: Timestamp(secondsSinceEpoch: second)) }
        }
        source.finish()
        #expect(recorder.times == [3, 4, 5].map { Timestamp(secondsSinceEpoch: $0) })
    }

    @Test(arguments: [StrategyChoice.compact, .runs])
    func groupsOfKeysThatEqualNothingGoToo(strategy: StrategyChoice) {
        let pattern = Pattern<Double>
            .first { _ in true }
            .followedBy { $0 > 0 }
            .within(.seconds(2))
            .grouped { $0 }
        let settings = PatternSettings(limits: PatternLimits(groups: 4), strategy: strategy)
        let source = Feed<Double>()
        let matches = source.matches(of: pattern, settings)
        let recorder = Recorder(matches)
        for second in 0..<100 as Range<Int64> { source.send(.nan, at: Timestamp(secondsSinceEpoch: second)) }
        #expect(matches.refused.count == 0)
        for second in [200, 201] as [Int64] { source.send(7, at: Timestamp(secondsSinceEpoch: second)) }
        #expect(recorder.elements.map { [$0.0, $0.1] } == [[7, 7]])
    }
}
