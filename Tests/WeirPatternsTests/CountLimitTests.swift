import Testing
import WeirCore
import WeirTesting

@testable import WeirPatterns

/// The limits of an output that wants nothing but the number of matches.
@Suite struct CountLimitTests {
    private typealias Event = CompactSinkTests.Event

    private static func sink(
        _ policy: LimitPolicy,
        _ sides: PatternSides<Event> = PatternSides(),
        within: Int64 = 1 << 40
    ) throws -> CompactSink<Event, Int, CompactSinkTests.Sum> {
        try CompactSinkTests.sink(
            CompactSinkTests.plan(.followedByAny, within: within),
            limits: PatternLimits(partialMatches: 1024, partialMatchesPerGroup: 1024, policy: policy),
            demand: .count,
            sides: sides
        )
    }

    @Test(arguments: [1 << 40, 5000] as [Int64])
    func theOldestStartsGiveWay(within: Int64) throws {
        let sides = PatternSides<Event>()
        var sink = try Self.sink(.dropOldest, sides, within: within)
        var random = SeededGenerator(seed: UInt64(within))
        var starts: [(time: Int64, pairs: Int)] = []
        var (count, dropped) = (0, 0)
        for time in 0..<Int64(20_000) {
            let event = Event(letter: Int.random(in: 0..<4, using: &random), key: 0, time: time)
            CompactSinkTests.send(event, to: &sink)
            starts.removeAll { time - $0.time >= within }
            starts.removeFirst(Int(sink.metrics.droppedStarts) - dropped)
            dropped = Int(sink.metrics.droppedStarts)
            switch event.letter {
            case 0: starts.append((time, 0))
            case 1: for index in starts.indices { starts[index].pairs += 1 }
            case 2: count += starts.reduce(0) { $0 + $1.pairs }
            default: break
            }
        }
        #expect(CompactSinkTests.sum(sink).count == count)
        #expect(dropped > 1000 && sides.givenUpPartialMatches == dropped)
        #expect(sink.metrics.bytes < 1 << 17)
    }

    @Test func newEventsAreRefused() throws {
        let sides = PatternSides<Event>()
        var sink = try Self.sink(.dropNewest, sides, within: 100_000)
        for time in 0..<Int64(5000) { CompactSinkTests.send(Event(letter: 0, key: 0, time: time), to: &sink) }
        #expect(sides.refused.count == 5000 - 1024)
        #expect(sink.metrics.refusedEvents == 5000 - 1024)
        // When the window has moved on there is room again.
        for time in [200_000, 200_001, 200_002] as [Int64] {
            CompactSinkTests.send(Event(letter: Int(time % 10), key: 0, time: time), to: &sink)
        }
        #expect(CompactSinkTests.sum(sink).count == 1)
        #expect(sides.refused.count == 5000 - 1024)
    }

    @Test func theStreamFails() throws {
        let sides = PatternSides<Event>()
        var sink = try Self.sink(.fail, sides)
        for time in 0..<Int64(1024) { CompactSinkTests.send(Event(letter: 0, key: 0, time: time), to: &sink) }
        #expect(CompactSinkTests.sum(sink).completion == nil)
        CompactSinkTests.send(Event(letter: 0, key: 0, time: 2000), to: &sink)
        #expect(CompactSinkTests.sum(sink).completion != nil)
        #expect(sink.metrics.hasFailed && sides.refused.count == 1)
    }

    /// 1, any of the 2s behind it, and no 3 until the window closes.
    @Test(arguments: [MatchDemand.first(0), .first(1), .first(2), .first(100), .all])
    func whatIsWantedOfAWindowThatClosesDoesNotDependOnTheStrategy(demand: MatchDemand) {
        let pattern = Pattern<Int>.first { $0 == 1 }.followedByAny { $0 == 2 }.times(1...)
            .notFollowedBy { $0 == 3 }.within(.seconds(10))
        func count(_ strategy: StrategyChoice) -> Int {
            let feed = Feed<Int>()
            let matches = feed.matches(of: pattern, PatternSettings(demand: demand, strategy: strategy))
            let recorder = Recorder(matches)
            for (second, event) in [1, 2, 1, 2, 2].enumerated() {
                feed.send(event, at: Timestamp(secondsSinceEpoch: Int64(second)))
            }
            feed.finish()
            return recorder.elements.count
        }
        #expect(count(.compact) == count(.runs))
        if demand == .first(0) { #expect(count(.compact) == 0) }
        if demand == .first(1) { #expect(count(.compact) == 2) }
    }

    @Test(arguments: [Completion.finished, .interrupted])
    func eventsThatStillWaitAreCountedWhenTheStreamBreaksOff(completion: Completion) {
        let feed = Feed<Int>()
        let matches = feed.matches(of: Pattern<Int>.first { _ in true }, PatternSettings(order: .byWatermark))
        let recorder = Recorder(matches)
        for second in 0..<10 { feed.send(second, at: Timestamp(secondsSinceEpoch: Int64(second))) }
        feed.advance(to: Timestamp(secondsSinceEpoch: 4))
        feed.finish(completion)
        let isWhole = if case .finished = completion { true } else { false }
        #expect(recorder.elements.count == (isWhole ? 10 : 4))
        #expect(matches.losses.waitingEvents == (isWhole ? 0 : 6))
        #expect(matches.losses.samples([:]).contains { $0.name == "weir_pattern_waiting_events_total" } || !isWhole)
    }
}
