import TestStreams
import Testing
import WeirCore
import WeirExpressions
import WeirSequences
import WeirTesting

@Suite struct StateTests {
    @Test func neighbours() {
        #expect(RestoreTrials.difference { $0.pairwise() } == nil)
        #expect(RestoreTrials.difference { $0.followedBy { $0.value < $1.value } } == nil)
        #expect(RestoreTrials.difference { $0.followedByWhere { $0.value < $1.value } } == nil)
        #expect(RestoreTrials.difference { $0.pairwise().pairwise() } == nil)
    }

    @Test func runs() {
        #expect(RestoreTrials.difference { $0.rising(atLeast: 2, by: \.value) } == nil)
        #expect(RestoreTrials.difference { $0.falling(atLeast: 1, by: \.label, strictly: false) } == nil)
        let difference = RestoreTrials.difference(
            counting: { [$0.dropped.count] },
            { $0.rising(atLeast: 2, by: \.value, strictly: false, longRun: .dropOldest, limit: 2) }
        )
        #expect(difference == nil)
    }

    @Test func then() {
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            let difference = RestoreTrials.difference(
                channels: 2,
                counting: { [$0.late.count, $0.dropped.count, $0.stalls.count] },
                { $0[0].then($0[1], within: .milliseconds(6), consumption: consumption, limit: 3) }
            )
            #expect(difference == nil)
        }
    }

    @Test func inOneChannel() {
        #expect(RestoreTrials.difference { $0.then($0, within: .milliseconds(3)) } == nil)
    }

    @Test func sequences() {
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            let difference = RestoreTrials.difference(channels: 3) { channels in
                sequence(
                    channels[0],
                    channels[1],
                    channels[2],
                    within: .milliseconds(12),
                    consumption: consumption,
                    limit: 3
                )
            }
            #expect(difference == nil)
        }
    }
}
