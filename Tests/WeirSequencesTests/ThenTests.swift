import TestStreams
import Testing
import WeirCore
import WeirSequences
import WeirTesting

@Suite struct ThenTests {
    func follows(within duration: Int64) -> ([Arrival]) -> Bool {
        { $0[1].time > $0[0].time && $0[1].time - $0[0].time < duration }
    }

    @Test func agreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 2)
            let duration = Int64(seed % 8) + 1
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let every = first.then(second, within: .nanoseconds(duration))
            let once = first.then(second, within: .nanoseconds(duration), consumption: .consume)
            let reuses = Recorder(every)
            let consumes = Recorder(once)
            script.play(seed: seed, into: Inlet(first), Inlet(second))

            let pairs = reused(script.accepted, inputs: 2, where: follows(within: duration))
            #expect(reuses.elements.map { [$0.0.id, $0.1.id] } == pairs.map { $0.map(\.id) }, "seed \(seed)")
            #expect(reuses.nanoseconds == pairs.map { $0[1].time }, "seed \(seed)")
            #expect(reuses.isLawful, "seed \(seed)")
            #expect(every.late.count == script.late.count, "seed \(seed)")
            #expect(every.dropped.count == 0, "seed \(seed)")

            let disjoint = consumed(script.accepted, inputs: 2, where: follows(within: duration))
            #expect(consumes.elements.map { [$0.0.id, $0.1.id] } == disjoint.map { $0.map(\.id) }, "seed \(seed)")
            #expect(consumes.nanoseconds == disjoint.map { $0[1].time }, "seed \(seed)")
            #expect(consumes.isLawful && consumes.isFinal(reaching: false), "seed \(seed)")
        }
    }

    @Test func equalTimesDoNotFollowAndTheDurationIsOpen() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder(first.then(second, within: .nanoseconds(10)))
        first.publish(Item(0, at: 0))
        for time in [0, 1, 9, 10] as [Int64] { second.publish(Item(Int(time), at: time)) }
        #expect(recorder.elements.map(\.1.id) == [1, 9])
    }

    @Test(arguments: [ConsumptionPolicy.reuse, .consume])
    func watermarksRemoveElements(_ consumption: ConsumptionPolicy) {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let pairs = first.then(second, within: .nanoseconds(3), consumption: consumption, limit: 8)
        let recorder = Recorder(pairs)
        for time in 0..<1000 as Range<Int64> {
            first.publish(Item(Int(time), at: time))
            second.publish(Item(Int(time), at: time))
            if time % 4 == 0 {
                first.advance(to: Timestamp(nanosecondsSinceEpoch: time))
                second.advance(to: Timestamp(nanosecondsSinceEpoch: time))
            }
        }
        first.finish()
        second.finish()
        #expect(pairs.dropped.count == 0)
        #expect(recorder.elements.count == (consumption == .reuse ? 2 * 1000 - 3 : 999))
    }

    @Test func anElementAtTheWatermarkIsNotLate() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder(first.then(second, within: .nanoseconds(5)))
        first.advance(to: .epoch)
        second.advance(to: .epoch)
        second.publish(Item(1, at: 1))
        first.publish(Item(0, at: 0))
        #expect(recorder.elements.map { [$0.0.id, $0.1.id] } == [[0, 1]])
    }

    @Test func beyondTheLimitTheOldestIsForgotten() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let pairs = first.then(second, within: .nanoseconds(100), limit: 2)
        let recorder = Recorder(pairs)
        let dropped = Locked<[Int64]>([])
        pairs.dropped.subscribeWithTime { _, time in dropped.withLock { $0.append(time.nanosecondsSinceEpoch) } }
        for id in 0..<4 { first.publish(Item(id, at: Int64(id))) }
        second.publish(Item(9, at: 9))
        #expect(recorder.elements.map(\.0.id) == [2, 3])
        #expect(dropped.withLock { $0 } == [0, 1])
        #expect(pairs.dropped.count == 2)
    }

    @Test func aFailureComesAtOnceAndSettlesNothing() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder(first.then(second, within: .nanoseconds(10), consumption: .consume))
        first.publish(Item(0, at: 0))
        second.publish(Item(1, at: 1))
        second.finish(.failed(ChannelError.overflow(capacity: 1)))
        #expect(recorder.signals.count == 1)
        #expect(recorder.isFinished)
        first.publish(Item(2, at: 2))
    }

    @Test func cancellingDetachesBothInputs() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder<(Item<One>, Item<Two>)>()
        let subscription = first.then(second, within: .nanoseconds(10)).attach(recorder.sink)
        first.publish(Item(0, at: 0))
        subscription.cancel()
        second.publish(Item(1, at: 1))
        #expect(recorder.signals.isEmpty)
    }

    @Test func aDurationOrLimitOfNothingTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Item<One>>().then(EventChannel<Item<Two>>(), within: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Item<One>>().then(EventChannel<Item<Two>>(), within: .seconds(1), limit: 0)
        }
    }
}
