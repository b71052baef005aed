import TestStreams
import TestThreads
import Testing
import WeirCore
import WeirLogic
import WeirTesting

@Suite struct MeetingThreadsTests {
    @Test func threadsThatMeetLoseNothingAndKeepTheirOrder() {
        let channels = (0..<4).map { _ in EventChannel<Item<One>>() }
        let recorder = Recorder(any(channels[0], channels[1], channels[2], channels[3]))
        let count = 5000
        TestThreads.run(
            channels.enumerated().map { thread, channel in
                {
                    for step in 0..<count {
                        channel.publish(Item(thread, at: Int64(step)))
                        if step % 100 == 99 { channel.advance(to: Timestamp(nanosecondsSinceEpoch: Int64(step))) }
                    }
                    channel.finish()
                }
            }
        )
        #expect(recorder.isLawful)
        #expect(recorder.elements.count == 4 * count)
        for thread in 0..<4 {
            let times = recorder.elements.filter { $0.id == thread }.map(\.timestamp.nanosecondsSinceEpoch)
            #expect(times == (0..<Int64(count)).map { $0 })
        }
    }

    @Test func aSinkMayPublishIntoAnyOfTheInputs() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let both = any(first, second)
        let recorder = Recorder(both)
        both.subscribe { element in
            switch element {
            case .first(let item): second.publish(Item(item.id + 1, at: 0))
            case .second(let item): if item.id < 3000 { first.publish(Item(item.id + 1, at: 0)) }
            }
        }
        first.publish(Item(0, at: 0))
        let ids = recorder.elements.map { element in
            switch element {
            case .first(let item): item.id
            case .second(let item): item.id
            }
        }
        #expect(ids == Array(0...3001))
    }

    @Test func afterCancellingInsideTheSinkNothingComes() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder<Int>()
        let handle = Locked<Subscription?>(nil)
        let subscription = any(first, second).subscribe { element in
            var sink = recorder.sink
            sink.receive(0, at: .epoch)
            guard case .first = element else { return }
            second.publish(Item(1, at: 1))
            handle.withLock { $0 }?.cancel()
        }
        handle.withLock { $0 = subscription }
        first.publish(Item(0, at: 0))
        first.publish(Item(2, at: 2))
        #expect(recorder.elements.count == 1)
    }
}
