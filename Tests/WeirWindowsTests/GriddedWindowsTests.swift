import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

/// Windows whose lengths differ: the bounds are the squares, on both sides of the epoch.
struct Squares: WindowGrid {
    func window(containing time: Timestamp) -> Range<Timestamp> {
        let nanoseconds = time.nanosecondsSinceEpoch
        var root: Int64 = 0
        while (root + 1) * (root + 1) <= (nanoseconds < 0 ? -nanoseconds - 1 : nanoseconds) { root += 1 }
        let bounds = (root * root, (root + 1) * (root + 1))
        let (start, end) = nanoseconds < 0 ? (-bounds.1, -bounds.0) : bounds
        return Timestamp(nanosecondsSinceEpoch: start)..<Timestamp(nanosecondsSinceEpoch: end)
    }
}

struct Blocks: WindowGrid {
    let size: Int64

    func window(containing time: Timestamp) -> Range<Timestamp> {
        let nanoseconds = time.nanosecondsSinceEpoch
        let start = Int64((Double(nanoseconds) / Double(size)).rounded(.down)) * size
        return Timestamp(nanosecondsSinceEpoch: start)..<Timestamp(nanosecondsSinceEpoch: start + size)
    }
}

@Suite struct GriddedWindowsTests {
    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let channel = EventChannel<Sample>()
            let windows = channel.windows(on: Squares())
            let lists = Recorder(windows)
            let sums = Recorder(windows.aggregate(PlainSum()))
            script.run(on: channel)
            let (kept, late) = script.onTime()
            let groups = Dictionary(grouping: kept) { Squares().window(containing: $0.timestamp) }
                .sorted { $0.key.lowerBound < $1.key.lowerBound }
            let expected = groups.map { range, samples in
                Seen(
                    start: range.lowerBound.nanosecondsSinceEpoch,
                    end: range.upperBound.nanosecondsSinceEpoch,
                    values: byTime(samples).map(\.index),
                    time: range.upperBound.nanosecondsSinceEpoch - 1
                )
            }
            guard lists.seen(nil, { $0.map(\.index) }) == expected,
                sums.elements.map(\.value) == groups.map({ $0.value.map(\.value).reduce(0, +) }),
                windows.late.count == UInt64(late.count * 2),
                keepsTheOrderOfTime(lists), keepsTheOrderOfTime(sums)
            else {
                Issue.record("seed \(seed): \(lists.signals) instead of \(expected)")
                return
            }
        }
    }

    /// A grid of equal windows is what tumbling windows are, with all that can be asked of these.
    @Test func ofOneSizeAreTumblingWindows() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let size = Int64.random(in: 1...7, using: &generator)
            let lateness = Duration.nanoseconds(Int64.random(in: 0...8, using: &generator))
            let emission: Emission = [.onClose, .onEveryElement, .every(.nanoseconds(3))][Int(seed % 3)]
            let limit = WindowLimit(
                windows: .random(in: 1...5, using: &generator),
                elements: .random(in: 1...20, using: &generator)
            )
            let channel = EventChannel<Sample>()
            let tumbling = channel.tumbling(.nanoseconds(size), allowedLateness: lateness, emit: emission, limit: limit)
            let gridded = channel.windows(
                on: Blocks(size: size),
                allowedLateness: lateness,
                emit: emission,
                limit: limit
            )
            let (lists, sameLists) = (Recorder(tumbling), Recorder(gridded))
            let (sums, sameSums) = (
                Recorder(tumbling.aggregate(PlainSum())), Recorder(gridded.aggregate(PlainSum()))
            )
            script.run(on: channel)
            guard lists.signals == sameLists.signals, sums.signals == sameSums.signals,
                tumbling.late.count == gridded.late.count, tumbling.refused.count == gridded.refused.count
            else {
                Issue.record("seed \(seed): \(sameLists.signals) instead of \(lists.signals)")
                return
            }
        }
    }

    @Test func badGridsTrap() async {
        struct Broken: WindowGrid {
            func window(containing time: Timestamp) -> Range<Timestamp> { .epoch ..< .epoch }
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Sample>()
            channel.windows(on: Broken()).subscribe { _ in }
            channel.publish(Sample(1, at: 3))
        }
    }
}
