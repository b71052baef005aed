import TestStreams
import Testing
import WeirCore
import WeirSequences
import WeirTesting

@Suite struct SequenceTests {
    func ascends(within duration: Int64) -> ([Arrival]) -> Bool {
        { $0[0].time < $0[1].time && $0[1].time < $0[2].time && $0[2].time - $0[0].time < duration }
    }

    @Test func agreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 3, upTo: 18)
            let duration = Int64(seed % 12) + 1
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let third = EventChannel<Item<Three>>()
            let every = sequence(first, second, third, within: .nanoseconds(duration))
            let reuses = Recorder(every)
            let consumes = Recorder(
                sequence(first, second, third, within: .nanoseconds(duration), consumption: .consume)
            )
            script.play(seed: seed, into: Inlet(first), Inlet(second), Inlet(third))

            let all = reused(script.accepted, inputs: 3, where: ascends(within: duration))
            #expect(reuses.elements.map { [$0.0.id, $0.1.id, $0.2.id] } == all.map { $0.map(\.id) }, "seed \(seed)")
            #expect(reuses.nanoseconds == all.map { $0[2].time }, "seed \(seed)")
            #expect(reuses.isLawful, "seed \(seed)")
            #expect(every.late.count == script.late.count, "seed \(seed)")
            #expect(every.dropped.count == 0, "seed \(seed)")

            let once = consumed(script.accepted, inputs: 3, where: ascends(within: duration))
            #expect(
                consumes.elements.map { [$0.0.id, $0.1.id, $0.2.id] } == once.map { $0.map(\.id) },
                "seed \(seed)"
            )
            #expect(consumes.nanoseconds == once.map { $0[2].time }, "seed \(seed)")
            #expect(consumes.isLawful && consumes.isFinal(reaching: false), "seed \(seed)")
        }
    }

    @Test func aSequenceOfTwoIsThen() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 2)
            let duration = Duration.nanoseconds(seed % 8 + 1)
            for consumption in [ConsumptionPolicy.reuse, .consume] {
                let first = EventChannel<Item<One>>()
                let second = EventChannel<Item<Two>>()
                let short = Recorder(sequence(first, second, within: duration, consumption: consumption))
                let then = Recorder(first.then(second, within: duration, consumption: consumption))
                script.play(seed: seed, into: Inlet(first), Inlet(second))
                #expect(
                    short.elements.map { [$0.0.id, $0.1.id] } == then.elements.map { [$0.0.id, $0.1.id] },
                    "seed \(seed)"
                )
                #expect(short.times == then.times, "seed \(seed)")
            }
        }
    }

    @Test func sixStreamsOfDifferentTypesMakeOneTuple() {
        let letters = EventChannel<Item<Character>>()
        let numbers = EventChannel<Item<Int>>()
        let texts = EventChannel<Item<String>>()
        let ones = EventChannel<Item<One>>()
        let twos = EventChannel<Item<Two>>()
        let found = sequence(letters, numbers, texts, ones, twos, numbers, within: .nanoseconds(6))
        let recorder = Recorder(found)
        letters.publish(Item(0, at: 0))
        numbers.publish(Item(1, at: 1))
        texts.publish(Item(2, at: 2))
        ones.publish(Item(3, at: 3))
        twos.publish(Item(4, at: 4))
        numbers.publish(Item(5, at: 5))
        numbers.publish(Item(6, at: 6))
        let expected: (Item<Character>, Item<Int>, Item<String>, Item<One>, Item<Two>, Item<Int>) = (
            Item(0, at: 0), Item(1, at: 1), Item(2, at: 2), Item(3, at: 3), Item(4, at: 4), Item(5, at: 5)
        )
        #expect(recorder.elements.count == 1)
        #expect(recorder.elements.first.map { $0 == expected } ?? false)
    }

    @Test func optionalElementsAreElements() {
        let numbers = EventChannel<Item<One>>()
        let recorder = Recorder(sequence(Nothing(numbers), Nothing(numbers), within: .nanoseconds(2)))
        numbers.publish(Item(0, at: 0))
        numbers.publish(Item(1, at: 1))
        #expect(recorder.elements.count == 1)
    }

    @Test(arguments: [ConsumptionPolicy.reuse, .consume])
    func watermarksRemoveElements(_ consumption: ConsumptionPolicy) {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let pairs = sequence(first, second, within: .nanoseconds(3), consumption: consumption, limit: 8)
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
        let recorder = Recorder(sequence(first, second, within: .nanoseconds(5)))
        first.advance(to: .epoch)
        second.advance(to: .epoch)
        second.publish(Item(1, at: 1))
        first.publish(Item(0, at: 0))
        #expect(recorder.elements.map { [$0.0.id, $0.1.id] } == [[0, 1]])
    }

    @Test func beyondTheLimitTheOldestIsForgotten() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let pairs = sequence(first, second, within: .nanoseconds(100), limit: 2)
        let recorder = Recorder(pairs)
        for id in 0..<4 { first.publish(Item(id, at: Int64(id))) }
        second.publish(Item(9, at: 9))
        #expect(recorder.elements.map(\.0.id) == [2, 3])
        #expect(pairs.dropped.count == 2)
    }

    @Test func aDurationOrLimitOfNothingTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = sequence(EventChannel<Item<One>>(), EventChannel<Item<Two>>(), within: .seconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            _ = sequence(EventChannel<Item<One>>(), EventChannel<Item<Two>>(), within: .seconds(1), limit: 0)
        }
    }
}

/// Turns every element into `nil`.
private struct Nothing<Upstream: EventStream>: EventStream {
    typealias Element = Int?
    let upstream: Upstream

    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int? {
        upstream.attach(NothingSink(downstream: sink))
    }
}

private struct NothingSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == Int? {
    var downstream: Downstream

    mutating func receive(_ element: borrowing Input, at time: Timestamp) { downstream.receive(nil, at: time) }
    mutating func advance(to watermark: Timestamp) { downstream.advance(to: watermark) }
    mutating func finish(_ completion: Completion) { downstream.finish(completion) }
}
