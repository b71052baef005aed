import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirSelection
import WeirTesting
import WeirWindows

/// Several aggregates of one window are those that it would have one by one.
@Suite struct SeveralAggregatesTests {
    /// Compares tuples of two to six with the single aggregates, on one kind of window.
    private func agree<Windows: WindowedStream>(
        on windows: (EventChannel<Sample>) -> Windows,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Windows.Input == Sample {
        for seed in seeds(1_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let channel = EventChannel<Sample>()
            let stream = windows(channel)
            let (counts, sums) = (Recorder(stream.count()), Recorder(stream.aggregate(MergeableSum())))
            let (lists, taken) = (Recorder(stream.aggregate(PlainList())), Recorder(stream.aggregate(InvertibleSum())))
            let two = Recorder(stream.aggregate(Count(), InvertibleSum()))
            let three = Recorder(stream.aggregate(Count(), MergeableSum(), Count()))
            let four = Recorder(stream.aggregate(PlainList(), Count(), PlainSum(), MergeableSum()))
            let five = Recorder(stream.aggregate(Count(), Sum(of: \.value), Count(), Count(), Sum(of: \.value)))
            let six = Recorder(
                stream.aggregate(Count(), MergeableSum(), Count(), MergeableSum(), Count(), MergeableSum())
            )
            script.run(on: channel)
            let (count, sum) = (counts.elements.map(\.value), sums.elements.map(\.value))
            let list = lists.elements.map(\.value)
            let isRight =
                two.elements.map(\.value.0) == count && two.elements.map(\.value.1) == taken.elements.map(\.value)
                && three.elements.map { [$0.value.0, $0.value.1, $0.value.2] } == zip(count, sum).map { [$0, $1, $0] }
                && four.elements.map(\.value.0) == list && four.elements.map(\.value.1) == count
                && four.elements.map(\.value.2) == sum && four.elements.map(\.value.3) == sum
                && five.elements.map { [$0.value.0, $0.value.1, $0.value.2, $0.value.3, $0.value.4] }
                    == zip(count, sum).map { [$0, $1, $0, $0, $1] }
                && six.elements.map { [$0.value.0, $0.value.1, $0.value.2, $0.value.3, $0.value.4, $0.value.5] }
                    == zip(count, sum).map { [$0, $1, $0, $1, $0, $1] }
            guard isRight, six.times == counts.times, four.times == counts.times else {
                Issue.record("seed \(seed)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    @Test func tumblingWindows() {
        agree { $0.tumbling(.nanoseconds(7)) }
    }

    @Test func hoppingWindows() {
        agree { $0.hopping(.nanoseconds(9), every: .nanoseconds(3)) }
    }

    @Test func slidingWindows() {
        agree { $0.sliding(.nanoseconds(5)) }
    }

    @Test func runningAggregates() {
        let channel = EventChannel<Sample>()
        let two = Recorder(channel.running(Count(), Sum(of: \.value)).map { (count, sum) in [count, sum] })
        let six = Recorder(
            channel.running(Count(), PlainSum(), Count(), MergeableSum(), PlainList(), Mean(of: \.number))
                .map { row in [row.0, row.1, row.2, row.3, row.4.count, Int(row.5)] }
        )
        for value in [4, 2, 9] { channel.publish(Sample(value, at: 0)) }
        #expect(two.elements == [[1, 4], [2, 6], [3, 15]])
        #expect(six.elements == [[1, 4, 1, 4, 1, 4], [2, 6, 2, 6, 2, 3], [3, 15, 3, 15, 3, 5]])
    }

    /// What a user writes: closures take the tuple apart.
    @Test func resultsCanBeUsed() {
        let channel = EventChannel<Sample>()
        let windows = channel.tumbling(.nanoseconds(10)).aggregate(
            Mean(of: \.number),
            Quantile(0.5, of: \.number),
            Count()
        )
        let kept = Recorder(windows.filter { window in window.value.2 > 1 }.map { $0.value.0 })
        let parts = Recorder(
            windows.map { window in
                let (mean, median, count) = window.value
                return [mean, median, Double(count)]
            }
        )
        for (value, time) in [(1, 0), (5, 1), (7, 10)] as [(Int, Int64)] { channel.publish(Sample(value, at: time)) }
        channel.finish()
        #expect(kept.elements == [3])
        #expect(parts.elements.map(\.count) == [3, 3] && parts.elements[1][2] == 1)
    }
}
