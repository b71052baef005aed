import TestStreams
import Testing
import WeirCore
import WeirLogic
import WeirSelection
import WeirTesting

@Suite struct AnyTests {
    @Test func everyElementComesOnceWithItsMarkInTheOrderOfArrival() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 3)
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let third = EventChannel<Item<Three>>()
            let recorder = Recorder(any(first, second, third))
            script.play(seed: seed, into: Inlet(first), Inlet(second), Inlet(third))

            let arrivals = recorder.elements.map { element in
                switch element {
                case .first(let item): Arrival(input: 0, id: item.id, time: item.timestamp.nanosecondsSinceEpoch)
                case .second(let item): Arrival(input: 1, id: item.id, time: item.timestamp.nanosecondsSinceEpoch)
                case .third(let item): Arrival(input: 2, id: item.id, time: item.timestamp.nanosecondsSinceEpoch)
                }
            }
            #expect(arrivals == (script.accepted + script.late).sorted { $0.id < $1.id }, "seed \(seed)")
            #expect(recorder.nanoseconds == arrivals.map(\.time), "seed \(seed)")
            #expect(recorder.isFinished, "seed \(seed)")
        }
    }

    @Test func streamsOfOneTypeAreMergedWithoutAMark() {
        let channels = (0..<4).map { _ in EventChannel<Item<One>>() }
        let two: Recorder<Item<One>> = Recorder(any(channels[0], channels[1]))
        let three: Recorder<Item<One>> = Recorder(any(channels[0], channels[1], channels[2]))
        let four: Recorder<Item<One>> = Recorder(any(channels[0], channels[1], channels[2], channels[3]))
        for (id, channel) in channels.enumerated() {
            channel.publish(Item(id, at: 0))
            channel.advance(to: Timestamp(nanosecondsSinceEpoch: Int64(10 - id)))
        }
        #expect(two.elements.map(\.id) == [0, 1])
        #expect(three.elements.map(\.id) == [0, 1, 2])
        #expect(four.elements.map(\.id) == [0, 1, 2, 3])
        #expect(four.signals.last == .watermark(Timestamp(nanosecondsSinceEpoch: 7)))
        for channel in channels {
            #expect(!four.isFinished)
            channel.finish()
        }
        #expect(two.isFinished && three.isFinished && four.isFinished)
    }

    @Test func fourStreamsOfDifferentTypes() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let third = EventChannel<Item<Three>>()
        let fourth = EventChannel<Item<Int>>()
        let recorder = Recorder(any(first, second, third, fourth))
        fourth.publish(Item(4, at: 0))
        third.publish(Item(3, at: 0))
        second.publish(Item(2, at: 0))
        first.publish(Item(1, at: 0))
        #expect(
            recorder.elements == [
                .fourth(Item(4, at: 0)), .third(Item(3, at: 0)), .second(Item(2, at: 0)), .first(Item(1, at: 0)),
            ]
        )
    }

    @Test func fiveAndSixStreamsOfDifferentTypes() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let third = EventChannel<Item<Three>>()
        let fourth = EventChannel<Item<Int>>()
        let fifth = EventChannel<Item<String>>()
        let sixth = EventChannel<Item<Character>>()
        let five = Recorder(any(first, second, third, fourth, fifth))
        let six = Recorder(any(first, second, third, fourth, fifth, sixth))
        sixth.publish(Item(6, at: 0))
        fifth.publish(Item(5, at: 0))
        fourth.publish(Item(4, at: 0))
        third.publish(Item(3, at: 0))
        second.publish(Item(2, at: 0))
        first.publish(Item(1, at: 0))
        #expect(
            five.elements == [
                .fifth(Item(5, at: 0)), .fourth(Item(4, at: 0)), .third(Item(3, at: 0)), .second(Item(2, at: 0)),
                .first(Item(1, at: 0)),
            ]
        )
        #expect(
            six.elements == [
                .sixth(Item(6, at: 0)), .fifth(Item(5, at: 0)), .fourth(Item(4, at: 0)), .third(Item(3, at: 0)),
                .second(Item(2, at: 0)), .first(Item(1, at: 0)),
            ]
        )
        sixth.finish()
        for finish in [first.finish, second.finish, third.finish, fourth.finish, fifth.finish] {
            #expect(!five.isFinished && !six.isFinished)
            finish(.finished)
        }
        #expect(five.isFinished && six.isFinished)
    }

    @Test func fiveAndSixStreamsOfOneType() {
        let channels = (0..<6).map { _ in EventChannel<Item<One>>() }
        let (a, b, c) = (channels[0], channels[1], channels[2])
        let (d, e, f) = (channels[3], channels[4], channels[5])
        let five = Recorder(any(a, b, c, d, e).map { element in element.id })
        let six = Recorder(any(a, b, c, d, e, f).map { element in element.id })
        for (id, channel) in channels.enumerated() {
            channel.publish(Item(id, at: 0))
            channel.advance(to: Timestamp(nanosecondsSinceEpoch: Int64(10 - id)))
        }
        #expect(five.elements == [0, 1, 2, 3, 4] && six.elements == [0, 1, 2, 3, 4, 5])
        #expect(six.signals.last == .watermark(Timestamp(nanosecondsSinceEpoch: 5)))
    }
}
