import TestStreams
import Testing
import WeirCore
import WeirLogic
import WeirTesting

@Suite struct StateTests {
    @Test func absence() {
        let difference = RestoreTrials.difference(
            counting: { [$0.late.count, $0.dropped.count, $0.stalls.count] },
            { $0.absent(for: .milliseconds(3), limit: 2) }
        )
        #expect(difference == nil)
        #expect(RestoreTrials.difference { $0.absent(for: .milliseconds(2), from: .epoch) } == nil)
    }

    @Test func repetition() {
        let difference = RestoreTrials.difference(
            counting: { [$0.late.count] },
            { $0.repeated(atLeast: 2, atMost: 4, within: .milliseconds(4)) }
        )
        #expect(difference == nil)
    }

    @Test func negation() {
        let unless = RestoreTrials.difference(
            channels: 2,
            counting: { [$0.late.count, $0.dropped.count, $0.stalls.count] },
            { $0[0].unless($0[1], within: .milliseconds(3), limit: 3) }
        )
        #expect(unless == nil)
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            let without = RestoreTrials.difference(
                channels: 3,
                counting: { [$0.late.count, $0.dropped.count, $0.stalls.count] },
                {
                    WeirLogic.without(
                        $0[0],
                        between: $0[1],
                        and: $0[2],
                        within: .milliseconds(12),
                        consumption: consumption,
                        limit: 2
                    )
                }
            )
            #expect(without == nil)
        }
    }

    @Test func alternatives() {
        #expect(RestoreTrials.difference(channels: 2) { WeirLogic.any($0[0], $0[1]) } == nil)
        #expect(RestoreTrials.difference(channels: 3) { WeirLogic.any($0[0], $0[1], $0[2]) } == nil)
        // The marks are held back.
        let held = RestoreTrials.difference(channels: 2) { channels in
            EitherStream(channels[0], channels[1]).repeated(atLeast: 2, within: .milliseconds(8))
        }
        #expect(held == nil)
    }

    @Test func all() {
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            let pairs = RestoreTrials.difference(
                channels: 2,
                counting: { [$0.late.count, $0.dropped.count, $0.stalls.count] },
                { WeirLogic.all($0[0], $0[1], within: .milliseconds(6), consumption: consumption, limit: 3) }
            )
            #expect(pairs == nil)
            let triples = RestoreTrials.difference(channels: 3) {
                WeirLogic.all($0[0], $0[1], $0[2], within: .milliseconds(12), consumption: consumption, limit: 3)
            }
            #expect(triples == nil)
        }
    }
}
