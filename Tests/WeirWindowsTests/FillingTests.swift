import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirSelection
import WeirTesting
import WeirWindows

/// Results for windows without elements.
@Suite struct FillingTests {
    private static func second(_ time: Timestamp) -> Int { Int(time.nanosecondsSinceEpoch / 1_000_000_000) }

    @Test(arguments: seeds(200))
    func everyWindowHasAResult(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let channel = TestChannel<Int>()
        let counts = channel.tumbling(.seconds(10)).count()
        let plain = Recorder(counts)
        let filled = counts.filling { last in last > 100 ? last : last + 100 }
        let recorder = Recorder(filled)
        var now = Int.random(in: 0..<50, using: &random)
        var watermark = 0
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
            now += Int.random(in: 0..<35, using: &random)
            channel.publish(1, at: Timestamp(secondsSinceEpoch: Int64(now)))
            guard Bool.random(using: &random) else { continue }
            watermark = now
            channel.advance(to: Timestamp(secondsSinceEpoch: Int64(watermark)))
        }
        watermark = now + Int.random(in: 0..<60, using: &random)
        channel.advance(to: Timestamp(secondsSinceEpoch: Int64(watermark)))
        channel.finish()
        // Each window from the first one on, whose end the watermark has reached, or that holds something.
        var expected: [WindowResult<Int>] = []
        let results = plain.elements
        if let first = results.first, let last = results.last {
            let end = max(Self.second(last.end), watermark / 10 * 10)
            for start in stride(from: Self.second(first.start), to: end, by: 10) {
                if let result = results.first(where: { Self.second($0.start) == start }) {
                    expected.append(result)
                } else if let before = expected.last?.value {
                    expected.append(
                        WindowResult(
                            start: Timestamp(secondsSinceEpoch: Int64(start)),
                            end: Timestamp(secondsSinceEpoch: Int64(start + 10)),
                            value: before > 100 ? before : before + 100
                        )
                    )
                }
            }
        }
        #expect(recorder.elements == expected)
        #expect(recorder.times == expected.map { $0.end.shifted(byNanoseconds: -1) })
        #expect(filled.gaps.count == 0)
    }

    @Test func aLongGapIsToldAndNotFilled() {
        let channel = TestChannel<Int>()
        let filled = channel.tumbling(.seconds(1)).count().filling(limit: 3) { _ in 0 }
        let recorder = Recorder(filled)
        let gaps = Recorder<Range<Timestamp>>()
        filled.gaps.subscribeWithTime { gap, time in
            var sink = gaps.sink
            sink.receive(gap, at: time)
        }
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 0))
        channel.advance(to: Timestamp(secondsSinceEpoch: 1_000_000_000))
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 1_000_000_000))
        channel.finish()
        #expect(recorder.elements.map(\.value) == [1, 0, 0, 0, 1])
        #expect(
            gaps.elements == [Timestamp(secondsSinceEpoch: 4)..<Timestamp(secondsSinceEpoch: 1_000_000_000)]
        )
    }

    @Test func aGapAtTheEndIsToldToo() {
        let channel = TestChannel<Int>()
        let filled = channel.tumbling(.seconds(1)).count().filling(limit: 2) { _ in 0 }
        let recorder = Recorder(filled)
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 0))
        channel.advance(to: Timestamp(secondsSinceEpoch: 100))
        #expect(filled.gaps.count == 0)
        channel.finish()
        #expect(recorder.elements.map(\.value) == [1, 0, 0] && filled.gaps.count == 1)
    }

    @Test func aLateResultReplacesTheOneBefore() {
        let channel = TestChannel<Int>()
        let recorder = Recorder(
            channel.tumbling(.seconds(10), allowedLateness: .seconds(60)).count().filling { $0 }
        )
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 1))
        channel.advance(to: Timestamp(secondsSinceEpoch: 10))
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 2))
        channel.advance(to: Timestamp(secondsSinceEpoch: 20))
        #expect(recorder.elements.map(\.value) == [1, 2, 2])
        #expect(recorder.elements.map(\.phase) == [.closing, .late, .closing])
    }

    @Test func theEndOfTimeFillsNothing() {
        let channel = TestChannel<Int>()
        let recorder = Recorder(channel.tumbling(.seconds(1)).count().filling { _ in 0 })
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 0))
        channel.advance(to: .distantFuture)
        channel.finish()
        #expect(recorder.elements.map(\.value) == [1])
    }

    @Test func itsStateIsSaved() {
        let difference = RestoreTrials.difference(counting: { [$0.gaps.count] }) {
            $0.tumbling(.milliseconds(2)).sum(of: \.value).filling(limit: 2) { $0 + 1 }
        }
        #expect(difference == nil)
    }
}

extension TestChannel {
    fileprivate func publish(_ element: Element, at time: Timestamp) { send(.element(element, time)) }

    fileprivate func advance(to watermark: Timestamp) { send(.watermark(watermark)) }

    fileprivate func finish() { send(.completion(.finished)) }
}
