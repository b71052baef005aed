import TestStreams
import Testing
import WeirCore
import WeirLogic
import WeirTesting

@Suite struct RepeatedTests {
    @Test func agreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 1)
            let duration = Int64(seed % 9) + 1
            let least = Int(seed % 4) + 1
            let most = least + Int(seed / 4 % 3)
            let channel = EventChannel<Item<One>>()
            let groups = channel.repeated(atLeast: least, atMost: most, within: .nanoseconds(duration))
            let recorder = Recorder(groups)
            let late = Locked<[Int]>([])
            groups.late.subscribe { item in late.withLock { $0.append(item.id) } }
            script.play(seed: seed, into: Inlet(channel))

            // Elements that the operator reports as late are older than one before them; the rest is in order.
            let lost = late.withLock { $0 }
            #expect(Set(script.late.map(\.id)).isSubset(of: lost), "seed \(seed)")
            var rest = script.accepted.filter { !lost.contains($0.id) }
            #expect(rest.map(\.time) == rest.map(\.time).sorted(), "seed \(seed)")
            for arrival in script.accepted where lost.contains(arrival.id) {
                #expect(rest.contains { $0.id < arrival.id && $0.time > arrival.time }, "seed \(seed)")
            }

            var expected: [(ids: [Int], time: Int64)] = []
            while let first = rest.first {
                let group = Array(rest.prefix { $0.time < first.time + duration }.prefix(most))
                let isFull = group.count == most
                if group.count >= least {
                    expected.append((group.map(\.id), isFull ? group[most - 1].time : first.time + duration))
                }
                rest.removeFirst(group.count >= least ? group.count : 1)
            }
            #expect(recorder.elements.map { $0.map(\.id) } == expected.map(\.ids), "seed \(seed)")
            #expect(recorder.nanoseconds == expected.map(\.time), "seed \(seed)")
            #expect(recorder.isLawful, "seed \(seed)")
        }
    }

    @Test func aGroupIsEmittedAtTheDeadlineOrWhenItIsFull() {
        let channel = EventChannel<Item<One>>()
        let recorder = Recorder(channel.repeated(atLeast: 2, atMost: 3, within: .nanoseconds(10)))
        channel.publish(Item(0, at: 0))
        channel.publish(Item(1, at: 9))
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 9))
        #expect(recorder.elements.isEmpty)
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 10))
        #expect(recorder.nanoseconds == [10])
        for id in 2..<5 { channel.publish(Item(id, at: 20)) }
        #expect(recorder.elements.map { $0.map(\.id) } == [[0, 1], [2, 3, 4]])
    }

    /// A buffer that starts again at fixed points, like CEPSwift's, would cut these three apart.
    @Test func aGroupMayStartAnywhere() {
        for start in 0..<20 as Range<Int64> {
            let channel = EventChannel<Item<One>>()
            let recorder = Recorder(channel.repeated(atLeast: 3, within: .nanoseconds(10)))
            channel.publish(Item(0, at: 0))
            for step in 0..<3 { channel.publish(Item(step + 1, at: 10 + start + Int64(step) * 4)) }
            #expect(recorder.elements.map { $0.map(\.id) } == [[1, 2, 3]])
        }
    }

    @Test func aFailureDiscardsTheGroup() {
        let channel = EventChannel<Item<One>>()
        let recorder = Recorder(channel.repeated(atLeast: 1, atMost: 2, within: .nanoseconds(10)))
        channel.publish(Item(0, at: 0))
        channel.finish(.failed(ChannelError.overflow(capacity: 1)))
        #expect(recorder.elements.isEmpty && recorder.isFinished)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Item<One>>().repeated(atLeast: 0, within: .seconds(1))
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Item<One>>().repeated(atLeast: 2, atMost: 1, within: .seconds(1))
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Item<One>>().repeated(atLeast: 1, within: .zero)
        }
    }
}
