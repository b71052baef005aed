import TestStreams
import Testing
import WeirCore
import WeirLogic
import WeirTesting

@Suite struct AllTests {
    func meets(within duration: Int64) -> ([Arrival]) -> Bool {
        { arrivals in
            let times = arrivals.map(\.time)
            return (times.max() ?? 0) - (times.min() ?? 0) < duration
        }
    }

    @Test func agreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 3)
            let duration = Int64(seed % 8) + 1
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let third = EventChannel<Item<Three>>()
            let every = all(first, second, third, within: .nanoseconds(duration))
            let reuses = Recorder(every)
            let consumes = Recorder(all(first, second, third, within: .nanoseconds(duration), consumption: .consume))
            script.play(seed: seed, into: Inlet(first), Inlet(second), Inlet(third))

            let found = reused(script.accepted, inputs: 3, where: meets(within: duration))
            #expect(reuses.elements.map { [$0.0.id, $0.1.id, $0.2.id] } == found.map { $0.map(\.id) }, "seed \(seed)")
            #expect(reuses.nanoseconds == found.map { $0.map(\.time).max() }, "seed \(seed)")
            #expect(reuses.isLawful, "seed \(seed)")
            #expect(every.late.count == script.late.count, "seed \(seed)")
            #expect(every.dropped.count == 0, "seed \(seed)")

            let once = consumed(script.accepted, inputs: 3, where: meets(within: duration))
            #expect(
                consumes.elements.map { [$0.0.id, $0.1.id, $0.2.id] } == once.map { $0.map(\.id) },
                "seed \(seed)"
            )
            #expect(consumes.nanoseconds == once.map { $0.map(\.time).max() }, "seed \(seed)")
            #expect(consumes.isLawful && consumes.isFinal(reaching: false), "seed \(seed)")
        }
    }

    /// The same elements in another order of arrival, without watermarks before the end.
    @Test func theOrderOfArrivalMakesNoDifference() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let times = (0..<8).map { _ in Int64.random(in: -5...5, using: &generator) }
            for consumption in [ConsumptionPolicy.reuse, .consume] {
                let results = (0..<3).map { _ in
                    let first = EventChannel<Item<One>>()
                    let second = EventChannel<Item<Two>>()
                    let recorder = Recorder(all(first, second, within: .nanoseconds(4), consumption: consumption))
                    // Of two elements of one stream at the same time, the first to arrive is the first.
                    let order = times.indices.shuffled(using: &generator)
                        .map { ($0, times[$0] * 8 + Int64($0)) }
                    for (id, time) in order {
                        if id % 2 == 0 { first.publish(Item(id, at: time)) } else { second.publish(Item(id, at: time)) }
                    }
                    first.finish()
                    second.finish()
                    return recorder.elements.map { [$0.0.id, $0.1.id] }.sorted { $0.lexicographicallyPrecedes($1) }
                }
                #expect(results[0] == results[1] && results[1] == results[2], "seed \(seed)")
            }
        }
    }

    @Test func theStreamsMayBeInAnyOrder() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 2)
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let one = Recorder(all(first, second, within: .nanoseconds(3)))
            let other = Recorder(all(second, first, within: .nanoseconds(3)))
            script.play(seed: seed, into: Inlet(first), Inlet(second))
            let pairs = one.elements.map { [$0.0.id, $0.1.id] }
            let swapped = other.elements.map { [$0.1.id, $0.0.id] }
            #expect(Set(pairs) == Set(swapped) && pairs.count == swapped.count, "seed \(seed)")
        }
    }

    /// CEPSwift cuts time into buffers and misses half of the neighbours: 24,918 of 49,997.
    @Test func noNeighboursAreMissed() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let pairs = all(first, second, within: .nanoseconds(2), limit: 200)
        let recorder = Recorder(pairs)
        var generator = SeededGenerator(seed: 5)
        var neighbours = 0
        var previous: Bool?
        for id in 0..<20_000 {
            let isFirst = Bool.random(using: &generator)
            if let previous, previous != isFirst { neighbours += 1 }
            previous = isFirst
            if isFirst { first.publish(Item(id, at: Int64(id))) } else { second.publish(Item(id, at: Int64(id))) }
            if id % 100 == 0 {
                let now = Timestamp(nanosecondsSinceEpoch: Int64(id))
                first.advance(to: now)
                second.advance(to: now)
            }
        }
        #expect(recorder.elements.count == neighbours)
        #expect(pairs.dropped.count == 0 && pairs.late.count == 0)
        #expect(recorder.elements.allSatisfy { abs($0.0.id - $0.1.id) == 1 })
    }

    /// CEPSwift counts A A B as a full buffer of two without both, and never fires.
    @Test func aSecondElementOfTheSameStreamHidesNothing() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder(all(first, second, within: .seconds(5)))
        first.publish(Item(0, at: 0))
        first.publish(Item(1, at: 1))
        second.publish(Item(2, at: 2))
        #expect(recorder.elements.map { [$0.0.id, $0.1.id] } == [[0, 2], [1, 2]])
    }

    /// In CEPSwift, `ab` never fires again once `ab.merge(c)` was made.
    @Test func aConjunctionCanBePartOfAnother() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let third = EventChannel<Item<Three>>()
        let two = all(first, second, within: .seconds(1))
        let three = all(two, third, within: .seconds(1))
        let twos = Recorder(two)
        let threes = Recorder(three)
        first.publish(Item(0, at: 0))
        second.publish(Item(1, at: 1))
        third.publish(Item(2, at: 2))
        #expect(twos.elements.map { [$0.0.id, $0.1.id] } == [[0, 1]])
        #expect(threes.elements.map { [$0.0.0.id, $0.0.1.id, $0.1.id] } == [[0, 1, 2]])
    }

    @Test func sixStreamsMakeOneTuple() {
        let ones = EventChannel<Item<One>>()
        let twos = EventChannel<Item<Two>>()
        let recorder = Recorder(all(ones, twos, ones, twos, ones, twos, within: .nanoseconds(2)))
        ones.publish(Item(0, at: 1))
        twos.publish(Item(1, at: 0))
        let ids = recorder.elements.map { [$0.0.id, $0.1.id, $0.2.id, $0.3.id, $0.4.id, $0.5.id] }
        #expect(ids == [[0, 1, 0, 1, 0, 1]])
    }

    @Test func beyondTheLimitTheOldestIsForgotten() {
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let pairs = all(first, second, within: .nanoseconds(100), consumption: consumption, limit: 2)
            let recorder = Recorder(pairs)
            for id in 0..<4 { first.publish(Item(id, at: Int64(id))) }
            second.publish(Item(9, at: 9))
            first.finish()
            second.finish()
            #expect(recorder.elements.map(\.0.id) == (consumption == .reuse ? [2, 3] : [2]))
            #expect(pairs.dropped.count == 2)
        }
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = all(EventChannel<Item<One>>(), EventChannel<Item<Two>>(), within: .zero)
        }
    }
}
