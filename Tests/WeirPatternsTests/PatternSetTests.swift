import Synchronization
import Testing
import WeirCore
import WeirExpressions
import WeirTesting

@testable import WeirPatterns

/// Many patterns together against each of them alone.
@Suite struct PatternSetTests {
    struct Tick: Sendable {
        var symbol: String
        var price: Int
        var time: Int64
    }

    typealias Pair = EventPattern<Tick, (Tick, Tick)>

    /// A random pattern of two ticks.
    static func pattern(_ random: inout SeededGenerator) -> any Pair {
        let (symbol, price) = ("s\(Int.random(in: 0..<6, using: &random))", Int.random(in: 0..<5, using: &random))
        let first: StagedPattern<Captures1<OneEvent<Tick>>>
        switch Int.random(in: 0..<3, using: &random) {
        case 0: first = Pattern<Tick>.first.where { $0.symbol == symbol }
        case 1: first = Pattern<Tick>.first.where { $0.symbol == symbol && $0.price > price }
        default: first = Pattern<Tick>.first { tick in tick.symbol == symbol }
        }
        let bound = Duration.nanoseconds(Int.random(in: 2..<9, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 4:
            return first.notFollowedBy(within: bound).where { $0.price == 0 }.followedBy.where { $0.symbol == symbol }
                .within(bound * 2)
        case 5:
            return first.followedBy.where { $0.price == price }.notPreceded(within: bound) { $0.price == 1 }
                .within(bound)
        case 6: return first.followedByAny.where { $0.price > price }.once()
        case 7: return first.followedBy.where { $0.price > price }.after(bound)
        case 0: return first.next.where { $0.price > price }.within(bound)
        case 1: return first.followedByAny.where { $0.symbol == symbol }.within(bound)
        case 2:
            return first.notFollowedBy.where { $0.price == 0 }.followedBy.where { $0.symbol == symbol }.within(bound)
        default:
            return first.followedBy.where { $0.price == price }.notFollowedBy.where { $0.symbol == "s0" }.within(bound)
        }
    }

    @Test func findsWhatEachPatternFindsAlone() throws {
        for seed in 0..<UInt64(20) {
            var random = SeededGenerator(seed: seed)
            let patterns = (0..<30).map { _ in Self.pattern(&random) }
            var time: Int64 = 0
            let ticks = (0..<60).map { _ in
                time += Int64.random(in: 0..<3, using: &random)
                return Tick(
                    symbol: "s\(Int.random(in: 0..<8, using: &random))",
                    price: Int.random(in: 0..<6, using: &random),
                    time: time
                )
            }
            let (together, alone) = (Log(), Log())
            let set = PatternSet<Tick>()
            let source = Multicast<Tick>()
            func attach(_ rule: Int, _ pattern: some EventPattern<Tick, (Tick, Tick)>) throws {
                try set.add(pattern) { together.add(rule, $0.0, $0.1) }
                source.matches(of: pattern, PatternSettings(strategy: .runs)).subscribe { alone.add(rule, $0.0, $0.1) }
            }
            for (rule, pattern) in patterns.enumerated() { try attach(rule, pattern) }
            source.attach(set)
            for tick in ticks {
                let time = Timestamp(nanosecondsSinceEpoch: tick.time)
                source.advance(to: time)
                source.send(tick, at: time)
            }
            source.finish()
            #expect(together.lines.sorted() == alone.lines.sorted(), "seed \(seed)")
            #expect(!alone.lines.isEmpty)
        }
    }

    final class Log: Sendable {
        private let texts = Mutex<[String]>([])

        var lines: [String] { texts.withLock { $0 } }

        func add(_ rule: Int, _ first: Tick, _ second: Tick) {
            texts.withLock { $0.append("\(rule): \(first), \(second)") }
        }
    }

    @Test func equalConditionsAreOneAndEqualitiesAreLookedUp() throws {
        let set = PatternSet<Tick>()
        for rule in 0..<100 {
            let symbol = "s\(rule % 10)"
            try set.add(
                Pattern<Tick>.first.where { $0.symbol == symbol }.next.where { $0.symbol == symbol && $0.price > 3 }
            ) { _ in }
        }
        #expect(set.count == 100)
        let index = set.snapshot().index
        #expect(index.conditions.count == 20)
        #expect(index.columns.count == 1)
        #expect(index.candidates[0].unindexed.isEmpty)
    }

    /// An event without a condition that holds begins what starts with any event.
    @Test func patternsThatBeginWithAnyEventSeeThemAll() throws {
        let set = PatternSet<Tick>()
        let found = Mutex<[Int64]>([])
        try set.add(Pattern<Tick>.first.any.followedBy.where { $0.price == 1 }.within(.nanoseconds(3))) { first, _ in
            found.withLock { $0.append(first.time) }
        }
        let source = Multicast<Tick>()
        source.attach(set)
        for (time, price) in [0, 0, 0, 1, 0, 0, 1].enumerated() {
            let tick = Tick(symbol: "", price: price, time: Int64(time))
            source.send(tick, at: Timestamp(nanosecondsSinceEpoch: tick.time))
        }
        #expect(found.withLock { $0.sorted() } == [1, 2, 4, 5])
    }

    @Test(arguments: [LimitPolicy.dropNewest, .dropOldest, .fail])
    func whatTheLimitsOfAPatternLoseIsCounted(policy: LimitPolicy) throws {
        let set = PatternSet<Tick>()
        let matches = Mutex(0)
        let pattern = Pattern<Tick>.first.where { $0.price == 1 }.followedByAny.where { $0.price == 2 }
        try set.add(pattern, limits: PatternLimits(partialMatches: 2048, policy: policy)) { _ in
            matches.withLock { $0 += 1 }
        }
        let source = Multicast<Tick>()
        source.attach(set)
        for time in 0..<5000 as Range<Int64> {
            source.send(Tick(symbol: "", price: 1, time: time), at: Timestamp(nanosecondsSinceEpoch: time))
        }
        source.send(Tick(symbol: "", price: 2, time: 5000), at: Timestamp(nanosecondsSinceEpoch: 5000))
        let found = matches.withLock { $0 }
        switch policy {
        case .dropNewest: #expect(set.refused.count > 0 && found + Int(set.refused.count) >= 5000)
        case .dropOldest: #expect(set.givenUpPartialMatches > 0 && found + Int(set.givenUpPartialMatches) == 5000)
        case .fail:
            #expect(set.refused.count > 2000 && found == 0)
            #expect(set.rules[0].failure == .limitReached("2048 nodes of partial matches"))
        }
    }

    @Test func eachRuleHasTheStrategyThatItNeeds() throws {
        let set = PatternSet<Int>()
        let found = Mutex<[String]>([])
        let group = Pattern<Int>.first { $0 == 1 }.times(1...).followedBy { $0 == 2 }
        let pattern = Pattern<Int>.first { $0 == 0 }.followedBy.group(group).followedBy { $0 == 3 }
        let runs = try set.add(pattern, named: "group") { (match: (Int, GroupCapture<Int>, Int)) in
            found.withLock { $0.append("\(match.0) \(match.2)") }
        }
        let compact = try set.add(Pattern<Int>.first { $0 == 2 }, named: "two") { two in
            found.withLock { $0.append("\(two)") }
        }
        let narrow = PatternLimits(partialMatchesPerGroup: 10)
        let bounded = try set.add(Pattern<Int>.first { $0 == 9 }, named: "narrow", limits: narrow) { _ in }
        #expect([runs, compact, bounded].map(\.strategy) == [.runs, .compact, .runs])
        let source = Multicast<Int>()
        source.attach(set)
        for element in [0, 1, 2, 3] { source.send(element, at: .epoch) }
        #expect(found.withLock { $0 } == ["2", "0 3"])
        #expect(set.rules.map(\.matchCount) == [1, 1, 0])
        let samples = runs.samples(["set": "s"])
        #expect(samples.map(\.name).prefix(2) == ["weir_pattern_matches_total", "weir_pattern_partial_matches"])
        #expect(samples[0].value == 1 && samples[0].labels == ["rule": "group", "set": "s"])
    }
}
