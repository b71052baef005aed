import Testing
import WeirCore
import WeirTesting

@testable import WeirPatterns

/// How many partial matches a stream of matches says that it holds.
@Suite struct PartialMatchCountTests {
    /// An odd number, and then a greater even one, or any even one.
    private func pattern(isCompared: Bool) -> some EventPattern<Int, (Int, Int)> {
        let odd = Pattern<Int>.first { !$0.isMultiple(of: 2) }
        let even = odd.followedBy { $0.isMultiple(of: 2) }.within(.seconds(10))
        return isCompared ? even.filter { first, event in event > first } : even
    }

    @Test func runsAreCountedOneByOne() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let feed = Feed<Int>()
            let matches = feed.matches(of: pattern(isCompared: true))
            #expect(matches.strategy == .runs)
            let recorder = Recorder(matches)
            var open: [(value: Int, time: Int)] = []
            var time = 0
            for _ in 0..<300 {
                time += Int(random.next() % 3)
                let value = Int(random.next() % 100)
                feed.send(value, at: Timestamp(secondsSinceEpoch: Int64(time)))
                open.removeAll { time - $0.time >= 10 || (value.isMultiple(of: 2) && value > $0.value) }
                if !value.isMultiple(of: 2) { open.append((value, time)) }
                #expect(matches.partialMatches.value == open.count, "seed \(seed)")
            }
            #expect(!recorder.elements.isEmpty)
            feed.advance(to: Timestamp(secondsSinceEpoch: Int64(time + 10)))
            #expect(matches.partialMatches.value == 0)
        }
    }

    @Test func nodesAreCountedWherePartialMatchesShareThem() {
        let feed = Feed<Int>()
        let matches = feed.matches(of: pattern(isCompared: false))
        #expect(matches.strategy == .compact)
        let recorder = Recorder(matches)
        #expect(matches.partialMatches.value == 0)
        feed.send(1, at: Timestamp(secondsSinceEpoch: 0))
        #expect(matches.partialMatches.value == 1)
        for time in 1...20_000 as ClosedRange<Int64> { feed.send(1, at: Timestamp(secondsSinceEpoch: time)) }
        // Ten live at a time; what has expired is given back as room is needed.
        #expect((10...512).contains(matches.partialMatches.value))
        feed.send(2, at: Timestamp(secondsSinceEpoch: 20_000))
        #expect(recorder.elements.count == 10)
    }

    @Test func whatIsHeldGoesWithItsSink() {
        let held: PartialMatchCount
        do {
            let feed = Feed<Int>()
            let matches = feed.matches(of: pattern(isCompared: true))
            held = matches.partialMatches
            _ = Recorder(matches)
            feed.send(1, at: .epoch)
            #expect(held.value == 1)
        }
        #expect(held.value == 0)
    }

    @Test(arguments: [StrategyChoice.compact, .runs])
    func groupsThatNoEventFindAreForgottenWithTheirWindow(strategy: StrategyChoice) {
        let pattern = Pattern<Double>.first { _ in true }.next { $0 > 0 }.within(.seconds(10)).grouped { $0 }
        let feed = Feed<Double>()
        let matches = feed.matches(of: pattern, PatternSettings(strategy: strategy))
        let recorder = Recorder(matches)
        // None of them equals itself, and all have the same hash.
        for _ in 0..<20_000 { feed.send(.nan, at: Timestamp(secondsSinceEpoch: 0)) }
        feed.send(1, at: Timestamp(secondsSinceEpoch: 5))
        #expect(matches.partialMatches.value > 20_000)
        feed.send(1, at: Timestamp(secondsSinceEpoch: 12))
        #expect(recorder.elements.count == 1)
        for second in [30, 60] as [Int64] { feed.advance(to: Timestamp(secondsSinceEpoch: second)) }
        feed.send(0, at: Timestamp(secondsSinceEpoch: 61))
        if strategy == .runs { #expect(matches.partialMatches.value == 1) }
    }
}
