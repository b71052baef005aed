import TestStreams
import Testing
import WeirCore
import WeirExpressions
import WeirPatterns
import WeirTesting

@Suite struct StateTests {
    private static let limits: [PatternLimits] = [
        PatternLimits(), PatternLimits(partialMatches: 4, groups: 2, waiting: 3, policy: .dropOldest),
        PatternLimits(partialMatchesPerGroup: 8, work: 1),
    ]

    // The compact strategy takes no limits that are as narrow as those.
    private static let compactLimits: [PatternLimits] = [
        PatternLimits(groups: 2, waiting: 3, policy: .dropOldest), PatternLimits(work: 1),
    ]

    private func check<Searched: EventPattern>(
        _ pattern: Searched,
        _ strategies: [StrategyChoice] = [.runs],
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Searched.Element == Labelled {
        // Each pattern sees many streams, not each of its settings.
        var seeds: Range<UInt64> = 0..<4
        for (order, strategy) in [ArrivalOrder.inOrder, .byWatermark].flatMap({ o in strategies.map { (o, $0) } }) {
            for limits in strategy == .runs ? Self.limits : Self.compactLimits {
                let settings = PatternSettings(order: order, limits: limits, strategy: strategy)
                let difference = RestoreTrials.difference(
                    seeds: seeds,
                    counting: { matches in
                        [
                            matches.late.count, matches.refused.count, matches.timeouts.count, matches.stalls.count,
                            matches.losses.partialMatches, matches.losses.eventsCutShort, matches.losses.heldMatches,
                            UInt64(matches.partialMatches.value),
                        ]
                    },
                    { $0.matches(of: pattern, settings) }
                )
                #expect(difference == nil, "\(order), \(strategy), \(limits)", sourceLocation: sourceLocation)
                seeds = seeds.upperBound..<seeds.upperBound + 4
            }
        }
    }

    @Test func sequences() {
        check(Pattern<Labelled>.first { $0.value == 1 }.followedBy { $0.value == 2 })
        check(Pattern<Labelled>.first { $0.value == 1 }.next { $0.value > 1 }.within(.milliseconds(6)))
        check(Pattern<Labelled>.first { $0.value == 1 }.followedByAny { $0.value > 1 }.within(.milliseconds(6)))
    }

    @Test func stagesOfTime() {
        let begun = Pattern<Labelled>.first { $0.value == 1 }
        check(begun.notFollowedBy(within: .milliseconds(4)) { $0.value == 2 }.followedBy { $0.value > 1 })
        check(begun.after(.milliseconds(4)))
        check(begun.at { Timestamp(nanosecondsSinceEpoch: ($0.nanosecondsSinceEpoch / 5_000_000 + 1) * 5_000_000) })
        check(begun.followedBy { $0.value == 2 }.notPreceded(within: .milliseconds(4)) { $0.value == 3 })
        check(
            begun.followedByAny { $0.value == 2 }.once().grouped { $0.value / 2 }
        )
        check(
            begun.next { $0.value > 0 }.notPreceded(within: .milliseconds(4)) { $0.value == 0 }
                .grouped { $0.value / 2 }
        )
    }

    @Test func sequencesOfTheCompactStrategy() {
        check(Pattern<Labelled>.first { $0.value == 1 }.followedBy { $0.value == 2 }, [.compact])
        check(Pattern<Labelled>.first { $0.value == 1 }.next { $0.value > 1 }.within(.milliseconds(6)), [.compact])
        check(
            Pattern<Labelled>.first { $0.value == 1 }.followedByAny { $0.value > 1 }.within(.milliseconds(6)),
            [.compact]
        )
        check(
            Pattern<Labelled>.first { $0.value == 1 }.followedByAny { $0.value == 2 }.times(1...3).allowCombinations()
                .followedBy { $0.value == 4 }.within(.milliseconds(9)),
            [.compact]
        )
    }

    @Test func negationsOfTheCompactStrategy() {
        check(
            Pattern<Labelled>.first { $0.value == 1 }.notFollowedBy { $0.value == 3 }.followedBy { $0.value == 2 }
                .within(.milliseconds(8)),
            [.compact]
        )
        check(
            Pattern<Labelled>.first { $0.value == 1 }.notFollowedBy { $0.value == 2 }.within(.milliseconds(5)),
            [.compact]
        )
    }

    @Test func groupsOfTheCompactStrategy() {
        check(
            Pattern<Labelled>.first { $0.value > 0 }.followedBy { $0.value > 0 }.within(.milliseconds(6))
                .grouped(by: \.label),
            [.compact]
        )
        check(
            Pattern<Labelled>.first { $0.value > 0 }.notFollowedBy { $0.value == 4 }.within(.milliseconds(4))
                .grouped(by: \.value),
            [.compact]
        )
    }

    @Test func timeoutsOfTheCompactStrategy() {
        let pattern = Pattern<Labelled>.first { $0.value > 0 }.followedByAny { $0.value == 4 }.within(.milliseconds(4))
        let difference = RestoreTrials.difference(
            counting: { [$0.timeouts.count] },
            { channel in
                let matches = channel.matches(of: pattern.grouped(by: \.label), PatternSettings(strategy: .compact))
                matches.timeouts.subscribe { _ in }
                return matches
            }
        )
        #expect(difference == nil)
    }

    /// What another process has saved, with another seed of hashes, is made again byte for byte.
    @Test func goldenFile() throws {
        let trial = RestoreTrial<Labelled>(seed: 7, upTo: 200) { _, time, generator in
            Labelled(timestamp: time, value: Int.random(in: 0...20, using: &generator))
        }
        let pattern = Pattern<Labelled>.first { $0.value > 3 }.followedByAny { $0.value > 9 }.within(.milliseconds(20))
            .grouped(by: \.label)
        let checkpoint = try trial.checkpoint { channels in
            channels[0].matches(of: pattern, PatternSettings(strategy: .compact))
        }
        let golden = try GoldenFile("compact-1.state").bytes(orMade: checkpoint.bytes)
        #expect(golden == checkpoint.bytes)
    }

    @Test func comparisons() {
        check(
            Pattern<Labelled>.first { _ in true }.followedByAny.filter { $0.value < $1.value }.within(.milliseconds(8))
        )
        // Found by the hash of the value.
        check(
            Pattern<Labelled>.first.where { $0.value > 1 }.followedBy.on { first, next in first.label == next.label }
                .within(.milliseconds(8))
        )
    }

    @Test func loops() {
        check(
            Pattern<Labelled>.first { $0.value == 1 }.times(2...).followedBy { $0.value == 3 }.within(.milliseconds(9))
        )
        check(
            Pattern<Labelled>.first { $0.value == 1 }.followedByAny { $0.value == 2 }.times(1...3).allowCombinations()
                .followedBy { $0.value == 4 }.within(.milliseconds(9))
        )
        check(Pattern<Labelled>.first { $0.value == 1 }.followedBy { $0.value == 2 }.optional().next { $0.value == 3 })
    }

    @Test func negations() {
        check(
            Pattern<Labelled>.first { $0.value == 1 }.notFollowedBy { $0.value == 3 }.followedBy { $0.value == 2 }
                .within(.milliseconds(8))
        )
        check(Pattern<Labelled>.first { $0.value == 1 }.notFollowedBy { $0.value == 2 }.within(.milliseconds(5)))
    }

    @Test func afterAMatch() {
        let pattern = Pattern<Labelled>.first { $0.value < 3 }.followedByAny { $0.value > 1 }.within(.milliseconds(7))
        check(pattern.afterMatch(.skipToNext))
        check(pattern.afterMatch(.skipPastLast))
    }

    @Test func gaps() {
        check(
            Pattern<Labelled>.first { $0.value == 1 }.followedBy { $0.value == 2 }.followedByAny { $0.value > 2 }
                .within(betweenNeighbours: .milliseconds(3))
        )
    }

    @Test func groups() {
        check(
            Pattern<Labelled>.first { $0.value > 0 }.followedBy { $0.value > 0 }.within(.milliseconds(6))
                .grouped(by: \.label)
        )
        check(
            Pattern<Labelled>.first { $0.value > 0 }.notFollowedBy { $0.value == 4 }.within(.milliseconds(4))
                .afterMatch(.skipPastLast).grouped(by: \.value)
        )
    }

    @Test func anotherPatternDoesNotFit() throws {
        func channel<Searched: EventPattern>(
            _ pattern: Searched,
            _ strategy: StrategyChoice = .runs
        ) -> EventChannel<Labelled> where Searched.Element == Labelled {
            let channel = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            channel.matches(of: pattern, PatternSettings(strategy: strategy)).subscribe { _ in }
            channel.publish(Labelled(timestamp: .epoch, value: 1))
            return channel
        }
        let pattern = Pattern<Labelled>.first { $0.value == 1 }.followedBy { $0.value == 2 }
        let checkpoint = try channel(pattern).checkpoint()
        let other = channel(Pattern<Labelled>.first { $0.value == 1 }.next { $0.value == 2 })
        let report = try other.restore(checkpoint, droppingMismatches: true)
        #expect(report.changed.map(\.name) == ["1/pattern"])
        #expect(report.changed[0].items > 0)
        // Nor does what the other strategy has kept.
        let compact = try channel(pattern, .compact).checkpoint()
        #expect(throws: StateError.self) { try channel(pattern).restore(compact) }
        #expect(throws: StateError.self) { try channel(pattern, .compact).restore(checkpoint) }
    }
}
