import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct SlidingWindowsTests {
    /// The samples that are not older than one before them, or than the watermark.
    private static func inOrder(_ script: Script) -> [Sample] {
        var (kept, newest) = ([Sample](), Int64.min)
        for step in script.steps {
            switch step {
            case .publish(let batch, _):
                for sample in batch where sample.nanoseconds >= newest {
                    kept.append(sample)
                    newest = sample.nanoseconds
                }
            case .advance(let time):
                newest = max(newest, time)
            }
        }
        return kept
    }

    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator, ordered: seed % 2 == 0)
            let size = Int64.random(in: 1...12, using: &generator)
            let channel = EventChannel<Sample>()
            let windows = channel.sliding(.nanoseconds(size))
            let lists = Recorder(windows)
            let folded = Recorder(windows.aggregate(PlainSum()))
            let inverted = Recorder(windows.aggregate(InvertibleSum()))
            let merged = Recorder(windows.aggregate(MergeableSum()))
            let both = Recorder(windows.sum(of: \.value))
            let (least, greatest) = (Recorder(windows.min(of: \.value)), Recorder(windows.max(of: \.value)))
            script.run(on: channel)
            let kept = Self.inOrder(script)
            let expected = kept.indices.map { last in
                let now = kept[last].nanoseconds
                let inside = kept[...last].filter { $0.nanoseconds > now - size }
                return (now, inside)
            }
            let sums = expected.map { $0.1.map(\.value).reduce(0, +) }
            let seen = expected.map { Seen(start: $0.0 - size, end: $0.0, values: $0.1.map(\.index), time: $0.0) }
            guard lists.seen(nil, { $0.map(\.index) }) == seen,
                folded.elements.map(\.value) == sums, inverted.elements.map(\.value) == sums,
                merged.elements.map(\.value) == sums, both.elements.map(\.value) == sums,
                least.elements.map(\.value) == expected.map({ $0.1.map(\.value).min() ?? 0 }),
                greatest.elements.map(\.value) == expected.map({ $0.1.map(\.value).max() ?? 0 }),
                windows.late.count == UInt64(7 * (script.samples.count - kept.count)),
                keepsTheOrderOfTime(lists)
            else {
                Issue.record("seed \(seed), size \(size)")
                return
            }
        }
    }

    @Test func byCountAgreeWithTheLastElements() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let count = Int.random(in: 1...8, using: &generator)
            let channel = EventChannel<Sample>()
            let windows = channel.sliding(count: count)
            let folded = Recorder(windows.aggregate(PlainList()))
            let merged = Recorder(windows.aggregate(MergeableSum()))
            let both = Recorder(windows.sum(of: \.value))
            let greatest = Recorder(windows.max(of: \.value))
            script.run(on: channel)
            let all = script.samples
            let expected = all.indices.map { Array(all[...$0].suffix(count)) }
            let seen = expected.map { window in
                let (first, last) = (window[0].nanoseconds, window[window.count - 1].nanoseconds)
                return Seen(start: first, end: last, values: window.map(\.index), time: last)
            }
            guard folded.seen(nil, { $0 }) == seen,
                merged.elements.map(\.value) == expected.map({ $0.map(\.value).reduce(0, +) }),
                both.elements.map(\.value) == merged.elements.map(\.value),
                greatest.elements.map(\.value) == expected.map({ $0.map(\.value).max() ?? 0 })
            else {
                Issue.record("seed \(seed), count \(count)")
                return
            }
        }
    }

    /// However great a number was, it leaves no trace.
    @Test(arguments: [1e9, 1e200])
    func theVarianceForgetsAnOutlier(outlier: Double) {
        let channel = TestChannel<Double>()
        let recorder = Recorder(channel.sliding(count: 3).variance(of: { $0 }))
        let numbers = [outlier, 1, 2, 3, 5]
        for (index, number) in numbers.enumerated() {
            channel.send(.element(number, Timestamp(nanosecondsSinceEpoch: Int64(index))))
        }
        let variances = recorder.elements.suffix(2).map(\.value)
        #expect(abs(variances[0] - 1) < 1e-12 && abs(variances[1] - 7.0 / 3) < 1e-12, "\(variances)")
    }

    @Test func theMaximumFollowsIEEE754() {
        let channel = EventChannel<Sample>()
        let numbers = [1, .nan, 2, -0.0, 0.0, -0.0, -1]
        let windows = channel.sliding(count: 2)
        let (least, greatest) = (
            Recorder(windows.min(of: { numbers[$0.value] })), Recorder(windows.max(of: { numbers[$0.value] }))
        )
        for index in numbers.indices { channel.publish(Sample(index, at: 0)) }
        #expect("\(least.elements.map(\.value))" == "[1.0, nan, nan, -0.0, -0.0, -0.0, -1.0]")
        #expect("\(greatest.elements.map(\.value))" == "[1.0, nan, nan, 2.0, 0.0, 0.0, -0.0]")
    }

    @Test func theLimitHandsBackWhatItLeavesNoRoomFor() {
        let channel = EventChannel<Sample>()
        let windows = channel.sliding(.nanoseconds(10), limit: 2).count()
        let recorder = Recorder(windows)
        for time in [0, 1, 2, 10] as [Int64] { channel.publish(Sample(1, at: time)) }
        #expect(recorder.elements.map(\.value) == [1, 2, 2])
        #expect(windows.refused.count == 1)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().sliding(.zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().sliding(count: 0) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().sliding(.seconds(1), limit: 0) }
    }
}
