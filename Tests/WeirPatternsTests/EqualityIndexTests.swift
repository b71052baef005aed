import Testing
import WeirCore
import WeirExpressions
import WeirTesting

@testable import WeirPatterns

/// Equalities that are looked up against the same conditions as closures.
@Suite struct EqualityIndexTests {
    struct Trade: Event, Equatable {
        let timestamp: Timestamp
        let index: Int
        let symbol: Int
        let kind: Int
    }

    private func pairs<Match>(
        _ pattern: some EventPattern<Trade, Match>,
        _ trades: [Trade],
        _ limits: PatternLimits = PatternLimits()
    ) throws -> [[Int]] {
        let parts = try pattern.parts()
        var strategy = RunsStrategy(plan: parts.plan, conditions: parts.conditions, limits: limits)
        var output = Collector()
        for trade in trades {
            strategy.advance(to: trade.timestamp, into: &output)
            _ = strategy.receive(trade, at: trade.timestamp, slot: 0, into: &output)
        }
        strategy.advance(to: .distantFuture, into: &output)
        var groups = SlotTable<Int>()
        strategy.forgetGroups(in: &groups)
        #expect(strategy.equalities.heads.isEmpty || parts.plan.within == nil)
        return output.found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    struct Collector: MatchReceiver {
        typealias Element = Trade
        var demand: MatchDemand { .all }
        var found: [[Int]] = []

        mutating func receive(_ match: borrowing FoundMatch<Trade>, at time: Timestamp) -> Bool {
            found.append(match.entries.map(\.element.index))
            return true
        }
        mutating func receive(count: Int, at time: Timestamp) {}
        mutating func receiveTimeout(_ match: borrowing FoundMatch<Trade>, at time: Timestamp) {
            found.append([-1] + match.entries.map(\.element.index))
        }
    }

    @Test func lookingUpFindsWhatTryingAllFinds() throws {
        for seed in UInt64(0)..<300 {
            var random = SeededGenerator(seed: seed)
            var time: Int64 = 0
            let trades = (0..<40).map { index in
                time += Int64.random(in: 0...2, using: &random)
                return Trade(
                    timestamp: Timestamp(secondsSinceEpoch: time),
                    index: index,
                    symbol: Int.random(in: 0..<4, using: &random),
                    kind: Int.random(in: 0..<3, using: &random)
                )
            }
            let bound = Duration.seconds(Int64.random(in: 2...12, using: &random))
            let limits = PatternLimits(
                partialMatches: Bool.random(using: &random) ? 5 : 1000,
                policy: .dropOldest
            )
            let indexed = Pattern<Trade>
                .first.where { $0.kind == 0 }
                .followedBy.where { $0.kind == 1 }.on { first, trade in trade.symbol == first.symbol }.times(1...)
                .followedBy.on { first, _, trade in first.symbol == trade.symbol && trade.kind == 2 }
                .within(bound)
            let tried = Pattern<Trade>
                .first { $0.kind == 0 }
                .followedBy.filter { first, trade in trade.kind == 1 && trade.symbol == first.symbol }.times(1...)
                .followedBy.filter { first, loop, trade in trade.symbol == first.symbol && trade.kind == 2 }
                .within(bound)
            let expected = try pairs(tried, trades, limits)
            let found = try pairs(indexed, trades, limits)
            #expect(found == expected, "seed \(seed)")
        }
    }

    @Test func anEventVisitsOnlyTheRunsOfItsValue() throws {
        let pattern = Pattern<Trade>
            .first.where { $0.kind == 0 }
            .followedBy.on { first, trade in trade.kind == 1 && trade.symbol == first.symbol }
        let parts = try pattern.parts()
        let strategy = RunsStrategy(plan: parts.plan, conditions: parts.conditions, limits: PatternLimits())
        #expect(strategy.hasIndex)
        // The conditions are the two kinds, and the equality.
        #expect(strategy.indexOfState.contains(2))
        var table = strategy.table
        let waiting = try #require(strategy.indexOfState.firstIndex(of: 2))
        let step = table.step(waiting == strategy.start ? waiting + 1 : waiting, unary: 0b10)
        #expect(table.steps[step].decider == 2)
    }
}
