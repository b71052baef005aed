import Synchronization
import Testing
import WeirCore
import WeirExpressions
import WeirTesting

@testable import WeirPatterns

/// What a group that gets most events may cost.
@Suite struct WorkLimitTests {
    private struct Reading: Sendable {
        var key: Int
        var value: Int
    }

    /// Counts how often a condition was evaluated.
    private final class Evaluations: Sendable {
        private let number = Atomic<Int>(0)
        var count: Int { number.load(ordering: .relaxed) }
        func add() { number.add(1, ordering: .relaxed) }
    }

    private struct Outcome {
        var evaluations = 0
        var matches: [(Int, Int)] = []
        var givenUp = 0
        var held = 0
    }

    /// Feeds readings of which each begins a partial match that all later ones of its key are compared with.
    private func run(
        _ values: [Int],
        keys: Int,
        _ limits: PatternLimits = PatternLimits(),
        after: AfterMatchPolicy = .noSkip
    ) -> Outcome {
        let evaluations = Evaluations()
        let pattern = Pattern<Reading>
            .first { _ in true }
            .followedBy.filter { first, reading in
                evaluations.add()
                return reading.value < first.value
            }
            .within(.seconds(1 << 30))
            .afterMatch(after)
            .grouped(by: { $0.key })
        let feed = Feed<Reading>()
        let matches = feed.matches(of: pattern, PatternSettings(limits: limits))
        let recorder = Recorder(matches)
        for (index, value) in values.enumerated() {
            feed.send(Reading(key: index % keys, value: value), at: Timestamp(secondsSinceEpoch: Int64(index)))
        }
        var outcome = Outcome()
        outcome.evaluations = evaluations.count
        outcome.givenUp = Int(matches.givenUpPartialMatches)
        outcome.held = matches.partialMatches.value
        // A match that skips others waits until none is open that began before it.
        feed.finish()
        outcome.matches = recorder.elements.map { ($0.0.value, $0.1.value) }
        return outcome
    }

    /// Ten times the work of as many events of many keys at most, though each event begins a partial match.
    @Test(arguments: [AfterMatchPolicy.noSkip, .skipPastLast])
    func aHotKeyCostsNoMoreThanItsShare(after: AfterMatchPolicy) {
        let count = 20_000
        let limits = PatternLimits(work: 8)
        let spread = run(Array(repeating: 1, count: count), keys: 2_000, limits, after: after)
        let hot = run(Array(repeating: 1, count: count), keys: 1, limits, after: after)
        #expect(spread.givenUp == 0)
        // Events and comparisons cost about the same.
        #expect(hot.evaluations + count < 10 * (spread.evaluations + count))
        #expect(hot.evaluations <= 8 * WorkBudget.greatestSaving + 2 * 8 * count)
        #expect(hot.givenUp + hot.held == count)
        #expect(hot.held < 20)
    }

    @Test func theDefaultBoundsAHotKeyToo() {
        let count = 10_000
        let hot = run(Array(repeating: 1, count: count), keys: 1)
        #expect(hot.evaluations <= 64 * WorkBudget.greatestSaving + 65 * count)
        #expect(hot.givenUp + hot.held == count)
        #expect(hot.held < 130)
    }

    /// The partial matches that are kept are those that began last.
    @Test(arguments: [AfterMatchPolicy.noSkip, .skipPastLast])
    func whatIsKeptStillMatches(after: AfterMatchPolicy) {
        let count = 20_000
        let values = (0..<count).map { $0 } + [count - 3]
        let hot = run(values, keys: 1, PatternLimits(work: 8), after: after)
        #expect(hot.givenUp > 0)
        #expect(!hot.matches.isEmpty)
        #expect(hot.matches.allSatisfy { $0.0 > count - 3 && $0.1 == count - 3 })
    }

    @Test(arguments: [AfterMatchPolicy.noSkip, .skipToNext, .skipPastLast])
    func smallGroupsAreNotTouched(after: AfterMatchPolicy) {
        var random = SeededGenerator(seed: 9)
        let values = (0..<400).map { _ in Int.random(in: 0..<100, using: &random) }
        let bounded = run(values, keys: 1, after: after)
        let unbounded = run(values, keys: 1, PatternLimits(work: .max), after: after)
        #expect(bounded.givenUp == 0)
        #expect(bounded.matches.map { [$0.0, $0.1] } == unbounded.matches.map { [$0.0, $0.1] })
    }

    /// One hot key must not make others lose anything: every event may do its share.
    @Test func otherKeysKeepWhatTheyHave() {
        let pattern = Pattern<Reading>.first { _ in true }.followedBy.filter { $1.value < $0.value }.grouped(by: {
            $0.key
        })
        let feed = Feed<Reading>()
        let matches = feed.matches(of: pattern, PatternSettings(limits: PatternLimits(work: 12)))
        let recorder = Recorder(matches)
        feed.send(Reading(key: 7, value: 5), at: .epoch)
        for _ in 0..<20_000 { feed.send(Reading(key: 1, value: 1), at: .epoch) }
        #expect(matches.givenUpPartialMatches > 0)
        feed.send(Reading(key: 7, value: 4), at: .epoch)
        #expect(recorder.elements.map { [$0.0.value, $0.1.value] } == [[5, 4]])
    }

    /// Partial matches that an event need not be compared with cost nothing, however many there are.
    @Test func whatIsFoundWithoutComparingIsNotLimited() {
        let pattern = Pattern<EqualityIndexTests.Trade>
            .first.where { $0.kind == 0 }
            .followedBy.where { $0.kind == 0 }.on { first, trade in trade.symbol == first.symbol }
            .within(.seconds(1 << 30))
        let feed = Feed<EqualityIndexTests.Trade>()
        let matches = feed.matches(of: pattern, PatternSettings(limits: PatternLimits(work: 1)))
        #expect(matches.strategy == .runs)
        let recorder = Recorder(matches)
        let count = 10_000
        for index in 0..<(2 * count) {
            let time = Timestamp(secondsSinceEpoch: Int64(index))
            feed.send(.init(timestamp: time, index: index, symbol: index % count, kind: 0), at: time)
        }
        #expect(matches.givenUpPartialMatches == 0)
        #expect(recorder.elements.count == count)
    }

    /// Every possibility, for ever: matches of three events grow with the cube of the events.
    @Test(arguments: [StrategyChoice.compact, .runs])
    func matchesOfAnyEventsAreBounded(strategy: StrategyChoice) {
        let pattern = Pattern<Reading>
            .first { _ in true }
            .followedByAny { _ in true }
            .followedByAny { _ in true }
            .grouped(by: { $0.key })
        let feed = Feed<Reading>()
        let settings = PatternSettings(limits: PatternLimits(work: 4), strategy: strategy)
        let matches = feed.matches(of: pattern, settings)
        let found = Atomic<Int>(0)
        matches.subscribe { _ in found.add(1, ordering: .relaxed) }
        let count = 1_000
        var last = 0
        for index in 0..<count {
            feed.send(Reading(key: 1, value: index), at: Timestamp(secondsSinceEpoch: Int64(index)))
            if index == count - 2 { last = found.load(ordering: .relaxed) }
        }
        let total = found.load(ordering: .relaxed)
        #expect(total <= 4 * (WorkBudget.greatestSaving + 2 * count))
        // Each event is still reported.
        #expect(total > last)
        #expect(matches.losses.eventsCutShort > 0)
    }

    @Test(arguments: [StrategyChoice.compact, .runs])
    func allPairsOfAFewHundredEventsAreFound(strategy: StrategyChoice) {
        let pattern = Pattern<Int>.first { _ in true }.followedByAny { _ in true }
        let feed = Feed<Int>()
        let matches = feed.matches(of: pattern, PatternSettings(strategy: strategy))
        let found = Atomic<Int>(0)
        matches.subscribe { _ in found.add(1, ordering: .relaxed) }
        for value in 0..<300 { feed.send(value, at: .epoch) }
        #expect(found.load(ordering: .relaxed) == 300 * 299 / 2)
        #expect(matches.losses.eventsCutShort == 0)
        #expect(matches.losses.partialMatches == 0)
    }

    @Test(arguments: [StrategyChoice.compact, .runs])
    func theLimitCanBeAFailure(strategy: StrategyChoice) {
        let pattern = Pattern<Reading>.first { _ in true }.followedByAny { _ in true }.grouped(by: { $0.key })
        let feed = Feed<Reading>()
        let limits = PatternLimits(work: 1, policy: .fail)
        let recorder = Recorder(feed.matches(of: pattern, PatternSettings(limits: limits, strategy: strategy)))
        for index in 0..<1_000 { feed.send(Reading(key: 1, value: index), at: .epoch) }
        #expect(recorder.isFinished)
    }

    /// By default a group has no more than a sixteenth of the partial matches that there may be.
    @Test func aHotKeyLeavesRoomForOthers() {
        let pattern = Pattern<Reading>.first { _ in true }.followedBy.filter { $1.value < 0 && $1.key == $0.key }
        let settings = PatternSettings(limits: PatternLimits(partialMatches: 32_768, work: .max))
        let feed = Feed<Reading>()
        let matches = feed.matches(of: pattern.grouped(by: { $0.key }), settings)
        let recorder = Recorder(matches)
        for _ in 0..<3_000 { feed.send(Reading(key: 1, value: 1), at: .epoch) }
        #expect(matches.partialMatches.value == 2_048)
        #expect(matches.givenUpPartialMatches == 3_000 - 2_048)
        for value in [1, -1] { feed.send(Reading(key: 2, value: value), at: .epoch) }
        #expect(recorder.elements.map(\.0.key) == [2])
    }

    /// Its oldest give way without a look at what other groups hold.
    @Test func aGroupCanDropItsOldest() {
        // A match that skips others waits until none is open that began before it, which takes a window.
        let pattern = Pattern<Reading>
            .first { _ in true }
            .followedBy.filter { $1.value < $0.value }
            .within(.seconds(1 << 30))
        for after in [AfterMatchPolicy.noSkip, .skipPastLast] {
            let limits = PatternLimits(partialMatchesPerGroup: 16, policy: .dropOldest)
            let feed = Feed<Reading>()
            let matches = feed.matches(
                of: pattern.afterMatch(after).grouped(by: { $0.key }),
                PatternSettings(limits: limits)
            )
            let recorder = Recorder(matches)
            for value in 0..<100 { feed.send(Reading(key: 1, value: value), at: .epoch) }
            #expect(matches.partialMatches.value <= 16)
            #expect(matches.givenUpPartialMatches >= 84)
            feed.send(Reading(key: 1, value: 98), at: .epoch)
            feed.finish()
            #expect(recorder.elements.map { [$0.0.value, $0.1.value] } == [[99, 98]], "\(after)")
        }
    }
}
