import TestThreads
import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// Asynchronous work is interrupted: what was at work is done again, what was done is not.
@Suite struct MapAsyncStateTests {
    private struct Broken: Error {}

    private struct Run {
        let channel = EventChannel<Keyed>(clock: EventClock(VirtualClock()))
        let gates = Gates()
        let mapped: MapAsync<EventChannel<Keyed>, String>
        let recorder: Recorder<String>

        init(limit: Int, ordered: Bool, capacity: Int = 1024) {
            let gates = gates
            mapped = channel.mapAsync(
                limit: limit,
                ordered: ordered,
                capacity: capacity,
                overflowPolicy: .dropOldest
            ) { element in
                try await gates.pass(element.key)
                return "\(element.key)"
            }
            recorder = Recorder(mapped)
        }

        func publish(_ keys: ClosedRange<Int>) {
            for key in keys {
                channel.publish(Keyed(timestamp: Timestamp(secondsSinceEpoch: Int64(key)), key: key, value: key))
            }
        }
    }

    @Test(arguments: [1, 3], [true, false])
    func whatIsInFlightIsSaved(limit: Int, ordered: Bool) async throws {
        let first = Run(limit: limit, ordered: ordered)
        first.publish(1...3)
        first.channel.advance(to: Timestamp(secondsSinceEpoch: 3))
        first.publish(4...6)
        // One is done: with several at a time, in order, its result waits for those before.
        let done = limit == 1 ? 1 : 2
        first.gates.open(done)
        let comesAtOnce = !ordered || limit == 1
        if comesAtOnce {
            #expect(await eventually { first.recorder.elements == ["\(done)"] })
        } else {
            #expect(await eventually { first.gates.waiting == [1, 3, 4] })
        }
        let checkpoint = try Checkpoint(bytes: try first.channel.checkpoint().bytes)
        let second = Run(limit: limit, ordered: ordered)
        try second.channel.restore(checkpoint)
        #expect(try second.channel.checkpoint().bytes == checkpoint.bytes)
        // The one that is done is not begun again.
        second.publish(7...7)
        second.channel.finish()
        for number in 1...7 where number != done { second.gates.open(number) }
        #expect(await eventually { second.recorder.isFinished })
        let all = first.recorder.elements + second.recorder.elements
        #expect(all.sorted() == (1...7).map { "\($0)" })
        if ordered { #expect(all == (1...7).map { "\($0)" }) }
        #expect(second.recorder.signals.contains(.watermark(Timestamp(secondsSinceEpoch: 3))))
    }

    @Test func refusedElementsAndFailuresAreKept() async throws {
        let first = Run(limit: 1, ordered: true, capacity: 1)
        first.publish(1...5)
        #expect(first.mapped.refused.count == 3)
        first.channel.finish(.failed(Broken()))
        #expect(await eventually { first.recorder.isFinished })
        let other = Run(limit: 1, ordered: true, capacity: 1)
        other.publish(1...5)
        let checkpoint = try other.channel.checkpoint()
        let second = Run(limit: 1, ordered: true, capacity: 1)
        try second.channel.restore(checkpoint)
        #expect(second.mapped.refused.count == 3)
        second.gates.open(1)
        second.gates.open(5)
        second.channel.finish()
        #expect(await eventually { second.recorder.isFinished })
        #expect(second.recorder.elements == ["1", "5"])
    }

    @Test func lessWaitsThanBefore() async throws {
        let first = Run(limit: 1, ordered: true, capacity: 9)
        first.publish(1...6)
        let second = Run(limit: 1, ordered: true, capacity: 2)
        try second.channel.restore(first.channel.checkpoint())
        second.publish(7...7)
        #expect(second.mapped.refused.count == 4)
        for number in [1, 6, 7] { second.gates.open(number) }
        second.channel.finish()
        #expect(await eventually { second.recorder.isFinished })
        #expect(second.recorder.elements == ["1", "6", "7"])
    }
}
