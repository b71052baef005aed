import TestThreads
import Testing
import WeirCore
import WeirFlow
import WeirTesting

@Suite struct MapAsyncTests {
    private struct Broken: Error {}

    private let channel = EventChannel<Keyed>()
    private let gates = Gates()

    private func publish(_ keys: Int...) {
        for key in keys {
            channel.publish(Keyed(timestamp: Timestamp(secondsSinceEpoch: Int64(key)), key: key, value: key))
        }
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(secondsSinceEpoch: seconds) }

    @Test func orderedValuesKeepTheOrder() async {
        let gates = gates
        let recorder = Recorder(
            channel.mapAsync(limit: 3) { element in
                try await gates.pass(element.key)
                return element.key * 10
            }
        )
        publish(1, 2, 3, 4)
        channel.advance(to: time(4))
        publish(5)
        channel.finish()
        #expect(await eventually { gates.waiting == [1, 2, 3] })
        gates.open(2)
        #expect(await eventually { gates.waiting == [1, 3, 4] })
        #expect(recorder.signals.isEmpty)
        gates.open(1)
        #expect(await eventually { recorder.elements == [10, 20] })
        for number in 3...5 { gates.open(number) }
        #expect(await eventually { recorder.isFinished })
        #expect(
            recorder.signals == (1...4).map { .element($0 * 10, time(Int64($0))) } + [
                .watermark(time(4)), .element(50, time(5)), .completion(.finished),
            ]
        )
    }

    @Test func unorderedValuesComeWhenTheyAreDone() async {
        let gates = gates
        let recorder = Recorder(
            channel.mapAsync(limit: 2, ordered: false) { element in
                try await gates.pass(element.key)
                return element.key
            }
        )
        publish(1, 2)
        channel.advance(to: time(2))
        publish(3)
        gates.open(2)
        gates.open(3)
        #expect(await eventually { recorder.elements == [2, 3] })
        #expect(!recorder.signals.contains(.watermark(time(2))))
        gates.open(1)
        channel.finish()
        #expect(await eventually { recorder.isFinished })
        #expect(
            recorder.signals == [
                .element(2, time(2)), .element(3, time(3)), .element(1, time(1)), .watermark(time(2)),
                .completion(.finished),
            ]
        )
    }

    @Test(arguments: [1, 2, 8], [false, true])
    func allComeOnce(limit: Int, ordered: Bool) async {
        let running = Locked((now: 0, most: 0))
        let recorder = Recorder(
            channel.mapAsync(limit: limit, ordered: ordered) { element in
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                await Task.yield()
                running.withLock { $0.now -= 1 }
                return element.key
            }
        )
        for key in 0..<500 {
            channel.publish(Keyed(timestamp: time(Int64(key)), key: key, value: 0))
            channel.advance(to: time(Int64(key)))
        }
        channel.finish()
        #expect(await eventually { recorder.isFinished })
        #expect(running.withLock { $0.most } <= limit)
        #expect((ordered ? recorder.elements : recorder.elements.sorted()) == Array(0..<500))
        // No element is late.
        var watermark = Timestamp.distantPast
        for signal in recorder.signals {
            switch signal {
            case .element(_, let time): #expect(time >= watermark)
            case .watermark(let mark): watermark = mark
            case .completion: break
            }
        }
        #expect(watermark == time(499))
    }

    @Test func anErrorComesInItsPlace() async {
        let gates = gates
        let recorder = Recorder(
            channel.mapAsync(limit: 3) { element in
                try await gates.pass(element.key)
                if element.key == 2 { throw Broken() }
                return element.key
            }
        )
        publish(1, 2, 3)
        #expect(await eventually { gates.waiting == [1, 2, 3] })
        gates.open(2)
        gates.open(1)
        #expect(await eventually { recorder.isFinished })
        #expect(recorder.signals == [.element(1, time(1)), .completion(.failed(Broken()))])
        #expect(await eventually { gates.cancelled == [3] })
        publish(4)
        #expect(recorder.signals.count == 2)
    }

    @Test(arguments: [Completion.interrupted, .failed(Broken())])
    func aFailureOfTheStreamCancelsTheTasks(completion: Completion) async {
        let gates = gates
        let recorder = Recorder<Void>()
        channel.mapAsync(limit: 2) { try await gates.pass($0.key) }.attach(recorder.sink)
        publish(1, 2)
        #expect(await eventually { gates.waiting == [1, 2] })
        channel.finish(completion)
        #expect(recorder.signals.count == 1 && recorder.isFinished)
        #expect(await eventually { gates.cancelled == [1, 2] })
    }

    @Test func cancellingCancelsTheTasks() async {
        let gates = gates
        let recorder = Recorder<Int>()
        let subscription = channel.mapAsync(limit: 2) { element in
            try await gates.pass(element.key)
            return element.key
        }.attach(recorder.sink)
        publish(1, 2, 3)
        #expect(await eventually { gates.waiting == [1, 2] })
        subscription.cancel()
        #expect(await eventually { gates.cancelled == [1, 2] })
        #expect(recorder.signals.isEmpty)
    }

    @Test(arguments: [(4, .max), (.max, 0), (.max, .max)] as [(Int, Int)])
    func roomMayBeWithoutBound(limit: Int, capacity: Int) async {
        let recorder = Recorder(channel.mapAsync(limit: limit, capacity: capacity) { $0.key })
        publish(1, 2)
        channel.finish()
        #expect(await eventually { recorder.isFinished })
        #expect(recorder.elements == [1, 2])
    }

    @Test(arguments: [LimitPolicy.dropNewest, .dropOldest, .fail])
    func whatFindsNoRoomIsOffered(policy: LimitPolicy) async {
        let gates = gates
        let stream = channel.mapAsync(limit: 1, capacity: 2, overflowPolicy: policy) { element in
            try await gates.pass(element.key)
            return element.key
        }
        let refused = Locked<[Int]>([])
        stream.refused.subscribe { element in refused.withLock { $0.append(element.key) } }
        let recorder = Recorder(stream)
        publish(1, 2, 3, 4)
        #expect(refused.withLock { $0 } == [policy == .dropOldest ? 2 : 4])
        for number in 1...4 { gates.open(number) }
        channel.finish()
        #expect(await eventually { recorder.isFinished })
        switch policy {
        case .dropNewest: #expect(recorder.elements == [1, 2, 3])
        case .dropOldest: #expect(recorder.elements == [1, 3, 4])
        case .fail: #expect(recorder.signals.last == .completion(.failed(FlowError.overflow(limit: 2))))
        }
    }
}
