import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct CountWindowsTests {
    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let slide = Int.random(in: 1...5, using: &generator)
            let size = slide + (Bool.random(using: &generator) ? 0 : Int.random(in: 0...7, using: &generator))
            let channel = EventChannel<Sample>()
            let windows = channel.hopping(count: size, every: slide)
            let lists = Recorder(windows)
            let folded = Recorder(windows.aggregate(PlainSum()))
            let merged = Recorder(windows.aggregate(MergeableSum()))
            script.run(on: channel)
            let all = script.samples
            let watermark = script.lastWatermark
            let expected = stride(from: 0, to: all.count, by: slide).map { start in
                let inside = Array(all[start..<min(start + size, all.count)])
                let times = inside.map(\.nanoseconds)
                let isFull = inside.count == size
                return (
                    inside,
                    Seen(
                        start: times.min() ?? 0,
                        end: times.max() ?? 0,
                        values: byTime(inside).map(\.index),
                        time: isFull ? times[size - 1] : times.max().map { max($0, watermark) }
                    )
                )
            }
            let sums = expected.map { $0.0.map(\.value).reduce(0, +) }
            guard lists.seen(nil, { $0.map(\.index) }) == expected.map(\.1),
                folded.elements.map(\.value) == sums, merged.elements.map(\.value) == sums,
                merged.times == lists.times, lists.isFinished
            else {
                Issue.record("seed \(seed), size \(size), slide \(slide)")
                return
            }
        }
    }

    @Test func watermarksPassAndAFailureDiscardsWhatHasBegun() {
        struct Broken: Error {}
        let channel = EventChannel<Sample>()
        let (tumbling, hopping) = (
            Recorder(channel.tumbling(count: 2).count()), Recorder(channel.hopping(count: 2, every: 1).count())
        )
        channel.publish(Sample(1, at: 0))
        channel.advance(to: .epoch)
        channel.finish(.failed(Broken()))
        #expect(tumbling.signals == [.watermark(.epoch), .completion(.failed(Broken()))])
        #expect(hopping.signals == tumbling.signals)
    }

    /// The results at the completion are not late for the operators behind.
    @Test func theLastWindowIsNotOlderThanTheWatermark() {
        let channel = EventChannel<Sample>()
        let recorders = [
            Recorder(channel.tumbling(count: 3).count()), Recorder(channel.hopping(count: 4, every: 2).count()),
            Recorder(channel.tumbling(count: 3, emit: .every(.nanoseconds(1_000))).count()),
        ]
        for time in [1, 2, 3, 4] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 100))
        channel.publish(Sample(1, at: 100))
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 200))
        channel.finish()
        for recorder in recorders {
            #expect(recorder.times.last == Timestamp(nanosecondsSinceEpoch: 200))
            #expect(keepsTheOrderOfTime(recorder))
        }
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().tumbling(count: 0) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().tumbling(count: 1, emit: .every(.zero)) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().hopping(count: 2, every: 3) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().hopping(count: 2, every: 0) }
    }
}
