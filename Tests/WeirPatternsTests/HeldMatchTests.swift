import Testing
import WeirCore
import WeirPatterns
import WeirTesting

/// Matches that an after-match policy holds back, because a partial match that started before them could win.
@Suite struct HeldMatchTests {
    /// A number below ten, and ten times that number later on.
    private static func pattern(_ policy: AfterMatchPolicy) -> StagedPattern<Captures2<OneEvent<Int>, OneEvent<Int>>> {
        Pattern<Int>.first { $0 < 10 }.followedBy.filter { first, event in event == 10 * first }.afterMatch(policy)
    }

    private static func run(
        _ pattern: some EventPattern<Int, (Int, Int)>,
        _ events: [Int],
        _ order: ArrivalOrder = .inOrder,
        _ completion: Completion = .finished
    ) -> (found: [String], held: UInt64) {
        let feed = Feed<Int>()
        let matches = feed.matches(of: pattern, PatternSettings(order: order))
        let recorder = Recorder(matches)
        for (second, event) in events.enumerated() { feed.send(event, at: Timestamp(secondsSinceEpoch: Int64(second))) }
        #expect(matches.losses.heldMatches == 0)
        feed.finish(completion)
        return (recorder.elements.map { "\($0.0) \($0.1)" }, matches.losses.heldMatches)
    }

    @Test(arguments: [ArrivalOrder.inOrder, .byWatermark])
    func theyAreCountedWhenTheStreamEnds(order: ArrivalOrder) {
        // 1 stays open, and started before both.
        let open = Self.run(Self.pattern(.skipToNext).grouped { _ in 0 }, [1, 2, 3, 30, 20], order)
        #expect(open == ([], 2))
        let closed = Self.run(Self.pattern(.skipToNext).grouped { _ in 0 }, [1, 2, 3, 30, 20, 10], order)
        #expect(closed == (["1 10", "2 20", "3 30"], 0))
    }

    @Test func aWindowLeavesNoneBehind() {
        let pattern = Self.pattern(.skipToNext).within(.seconds(60)).grouped { _ in 0 }
        #expect(Self.run(pattern, [1, 2, 3, 30, 20]) == (["2 20", "3 30"], 0))
    }

    @Test func eachGroupHasItsOwn() {
        // The number says to which group it belongs, and the tens of its multiple say so, too.
        let grouped = Self.pattern(.skipToNext).grouped { ($0 < 10 ? $0 : $0 / 10) % 2 }
        #expect(Self.run(grouped, [1, 2, 3, 4, 30, 40, 20]) == (["2 20", "4 40"], 1))
    }

    @Test func aLimitThatEndsTheStreamCountsThem() {
        let feed = Feed<Int>()
        let pattern = Self.pattern(.skipToNext).grouped { $0 < 100 }
        let matches = feed.matches(of: pattern, PatternSettings(limits: PatternLimits(groups: 1, policy: .fail)))
        let recorder = Recorder(matches)
        for event in [1, 2, 20] { feed.send(event, at: .epoch) }
        #expect(matches.losses.heldMatches == 0)
        feed.send(100, at: .epoch)
        #expect(recorder.isFinished && recorder.elements.isEmpty)
        #expect(matches.losses.heldMatches == 1)
        #expect(matches.refused.count == 1)
    }

    @Test func aFailureCountsThem() {
        struct Failure: Error {}
        let pattern = Self.pattern(.skipToNext).grouped { _ in 0 }
        #expect(Self.run(pattern, [1, 2, 20], .inOrder, .failed(Failure())) == ([], 1))
    }
}
