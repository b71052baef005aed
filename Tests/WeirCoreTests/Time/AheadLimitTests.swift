import Testing
import WeirCore
import WeirTesting

@Suite("AheadLimit: how far an event may run ahead")
struct AheadLimitTests {
    private func expect(
        _ limit: inout AheadLimit,
        _ isAdmitted: Bool,
        _ time: Timestamp,
        _ comment: Comment? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        let decision = limit.admits(time)
        #expect(decision == isAdmitted, comment, sourceLocation: location)
    }

    @Test func aClockIsTheReference() {
        let clock = VirtualClock(at: Timestamp(secondsSinceEpoch: 1_000))
        var limit = AheadLimit.ofClock(.seconds(10), EventClock(clock))
        expect(&limit, true, Timestamp(secondsSinceEpoch: 1_010))
        expect(&limit, false, Timestamp(secondsSinceEpoch: 1_011))
        expect(&limit, true, .distantPast)
        clock.advance(by: .seconds(1))
        expect(&limit, true, Timestamp(secondsSinceEpoch: 1_011))
        expect(&limit, false, .distantFuture)
        #expect(limit.admits(Timestamp(secondsSinceEpoch: 60), now: Timestamp(secondsSinceEpoch: 50)))
        #expect(!limit.admits(Timestamp(secondsSinceEpoch: 61), now: Timestamp(secondsSinceEpoch: 50)))
    }

    @Test("wrong times of a minority are told, and only they", arguments: [1, 5, 10])
    func theMajorityIsTheReference(percent: Int) {
        var generator = SeededGenerator(seed: UInt64(percent))
        var limit = AheadLimit.ofRecent(.seconds(60))
        for index in 0..<200_000 {
            // The first few are good: nothing can be known of them.
            if index > 7, Int.random(in: 0..<100, using: &generator) < percent {
                let time = Int64.random(in: 1_000_000...Int64.max / 1_000_000_000, using: &generator)
                expect(&limit, false, Timestamp(secondsSinceEpoch: time), "seed \(percent), element \(index)")
            } else {
                let time = Timestamp(millisecondsSinceEpoch: Int64(index))
                expect(&limit, true, time, "seed \(percent), element \(index)")
            }
        }
    }

    @Test func sparseElementsAreNotAheadOfEachOther() {
        var limit = AheadLimit.ofRecent(.seconds(60))
        for index in 0..<1_000 { expect(&limit, true, Timestamp(secondsSinceEpoch: Int64(index) * 60)) }
        expect(&limit, false, Timestamp(secondsSinceEpoch: 999 * 60 + 61))
    }

    @Test func afterAPauseTheReferenceFollows() {
        var limit = AheadLimit.ofRecent(.seconds(60))
        for index in 0..<100 { expect(&limit, true, Timestamp(secondsSinceEpoch: Int64(index))) }
        let rejected = (0..<100).filter { !limit.admits(Timestamp(secondsSinceEpoch: 100_000 + $0)) }
        #expect(rejected == Array(0..<15))
    }

    @Test func fewAttackersCannotWalkAway() {
        var limit = AheadLimit.ofRecent(.seconds(60))
        var reached: Int64 = 0
        for index in 0..<100_000 {
            let good = Int64(index) / 1_000
            if index % 5 == 4 {
                // Each goes as far beyond the last one as it may.
                let time = max(good, reached) + 59
                reached = limit.admits(Timestamp(secondsSinceEpoch: time)) ? time : good
                #expect(reached <= good + 16 * 60)
            } else {
                expect(&limit, true, Timestamp(secondsSinceEpoch: good))
            }
        }
    }

    @Test func theEndsOfTimeDoNotTrap() {
        var limit = AheadLimit.ofRecent(.seconds(Int64.max))
        for time in [Timestamp.distantPast, .distantFuture, .epoch, .distantPast] { expect(&limit, true, time) }
        var none = AheadLimit.ofRecent(.zero)
        for _ in 0..<50 { expect(&none, true, .epoch) }
        expect(&none, false, .distantFuture)
        expect(&none, true, .distantPast)
    }
}
