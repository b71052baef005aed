import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct AlignedWindowsTests {
    private static func windows(of samples: [Sample], size: Int64, slide: Int64) -> [Seen] {
        var starts: Set<Int64> = []
        for sample in samples {
            for start in (sample.nanoseconds - size + 1)...sample.nanoseconds where start % slide == 0 {
                starts.insert(start)
            }
        }
        return starts.sorted().map { start in
            let inside = byTime(samples).filter { start <= $0.nanoseconds && $0.nanoseconds < start + size }
            return Seen(start: start, end: start + size, values: inside.map(\.index), time: start + size - 1)
        }
    }

    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let slide = Int64.random(in: 1...6, using: &generator)
            let size = slide + (Bool.random(using: &generator) ? 0 : Int64.random(in: 0...9, using: &generator))
            let channel = EventChannel<Sample>()
            let windows = channel.hopping(.nanoseconds(size), every: .nanoseconds(slide))
            let lists = Recorder(windows)
            let plain = Recorder(windows.aggregate(PlainSum()))
            let merged = Recorder(windows.aggregate(MergeableSum()))
            let greatest = Recorder(windows.max(of: \.value))
            script.run(on: channel)
            let (kept, late) = script.onTime()
            let expected = Self.windows(of: kept, size: size, slide: slide)
            let byIndex = Dictionary(uniqueKeysWithValues: kept.map { ($0.index, $0.value) })
            func reduced(_ body: ([Int]) -> Int) -> [Seen] {
                expected.map {
                    var window = $0
                    window.values = [body($0.values.map { byIndex[$0] ?? 0 })]
                    return window
                }
            }
            let sums = reduced { $0.reduce(0, +) }
            guard lists.seen(nil, { $0.map(\.index) }) == expected,
                plain.seen(nil, { [$0] }) == sums,
                merged.seen(nil, { [$0] }) == sums,
                greatest.seen(nil, { [$0] }) == reduced({ $0.max() ?? 0 }),
                windows.late.count == UInt64(late.count * 4),
                keepsTheOrderOfTime(lists), keepsTheOrderOfTime(merged)
            else {
                Issue.record("seed \(seed), size \(size), slide \(slide): \(lists.seen(nil) { $0.map(\.index) })")
                return
            }
        }
    }

    /// The last result of a window holds all its accepted elements, whatever was emitted before.
    @Test func lateElementsLeadToTheSameResultsInTheEnd() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let slide = Int64.random(in: 1...6, using: &generator)
            let size = slide + (Bool.random(using: &generator) ? 0 : Int64.random(in: 0...9, using: &generator))
            let lateness = Int64.random(in: 0...8, using: &generator)
            let emission: Emission = [.onClose, .onEveryElement, .every(.nanoseconds(3))][Int(seed % 3)]
            let channel = EventChannel<Sample>()
            let windows = channel.hopping(
                .nanoseconds(size),
                every: .nanoseconds(slide),
                allowedLateness: .nanoseconds(lateness),
                emit: emission
            )
            let lists = Recorder(windows)
            let plain = Recorder(windows.aggregate(PlainList()))
            script.run(on: channel)
            let expected = Self.windows(of: script.onTime(allowing: lateness).kept, size: size, slide: slide)
            var final: [Int64: [Int]] = [:]
            var finalPlain: [Int64: Set<Int>] = [:]
            for result in lists.elements { final[result.start.nanosecondsSinceEpoch] = result.value.map(\.index) }
            for result in plain.elements { finalPlain[result.start.nanosecondsSinceEpoch] = Set(result.value) }
            let closings = lists.seen { $0.map(\.index) }.map(\.start)
            guard final == Dictionary(uniqueKeysWithValues: expected.map { ($0.start, $0.values) }),
                finalPlain == final.mapValues(Set.init),
                Set(closings).count == closings.count,
                lists.elements.map(\.phase) == plain.elements.map(\.phase),
                lists.times == plain.times,
                keepsTheOrderOfTime(lists), keepsTheOrderOfTime(plain)
            else {
                Issue.record("seed \(seed), size \(size), slide \(slide): \(lists.elements) \(plain.elements)")
                return
            }
        }
    }

    @Test func tumblingIsHoppingByItsOwnSize() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let channel = EventChannel<Sample>()
            let tumbling = Recorder(channel.tumbling(.nanoseconds(5)).sum(of: \.value))
            let hopping = Recorder(channel.hopping(.nanoseconds(5), every: .nanoseconds(5)).sum(of: \.value))
            script.run(on: channel)
            #expect(tumbling.signals == hopping.signals, "seed \(seed)")
        }
    }

    @Test func windowsOfWindowsAreTheLongerWindows() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let channel = EventChannel<Sample>()
            let long = Recorder(channel.tumbling(.nanoseconds(12)).sum(of: \.value))
            let nested = Recorder(
                channel.tumbling(.nanoseconds(4)).sum(of: \.value).tumbling(.nanoseconds(12)).sum(of: \.value)
            )
            script.run(on: channel)
            // What a watermark has closed may still be open in a longer window, so only without late elements.
            guard script.onTime().late.isEmpty else { continue }
            #expect(nested.elements == long.elements, "seed \(seed)")
        }
    }

    @Test func anElementAtTheEndBelongsToTheNextWindowAlsoBeforeTheEpoch() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.tumbling(.nanoseconds(10)).count())
        for time in [-11, -10, -1, 0, 9, 10] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 9))
        #expect(
            recorder.seen { [$0] } == [
                Seen(start: -20, end: -10, values: [1], time: -11), Seen(start: -10, end: 0, values: [2], time: -1),
            ]
        )
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 10))
        #expect(recorder.seen { [$0] }.last == Seen(start: 0, end: 10, values: [2], time: 9))
    }

    @Test func earlyResultsComeAtMultiplesOfTheirPeriodAndOnlyAfterChanges() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.tumbling(.nanoseconds(100), emit: .every(.nanoseconds(10))).count())
        channel.advance(to: .epoch)
        channel.publish(Sample(1, at: 1))
        for time in [9, 10, 19, 25, 31] as [Int64] { channel.advance(to: Timestamp(nanosecondsSinceEpoch: time)) }
        channel.publish(Sample(1, at: 32))
        for time in [39, 47, 100] as [Int64] { channel.advance(to: Timestamp(nanosecondsSinceEpoch: time)) }
        #expect(recorder.seen(.early) { [$0] }.map(\.time) == [10, 47])
        #expect(recorder.elements.map(\.value) == [1, 2, 2])
        #expect(recorder.elements.map(\.phase) == [.early, .early, .closing])
    }

    @Test func theLimitsHandBackWhatTheyLeaveNoRoomFor() {
        let channel = EventChannel<Sample>()
        let few = channel.tumbling(.nanoseconds(10), limit: WindowLimit(windows: 2)).count()
        let panes = channel.hopping(.nanoseconds(20), every: .nanoseconds(10), limit: WindowLimit(windows: 2)).count()
        let small = channel.tumbling(.nanoseconds(10), limit: WindowLimit(elements: 2))
        let (fewResults, paneResults, smallResults) = (Recorder(few), Recorder(panes), Recorder(small))
        for time in [0, 10, 20, 11] as [Int64] { channel.publish(Sample(1, at: time)) }
        #expect([few.refused.count, panes.refused.count, small.refused.count] == [1, 1, 2])
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 20))
        channel.publish(Sample(1, at: 25))
        channel.finish()
        #expect(fewResults.elements.map(\.value) == [1, 2, 1])
        #expect(paneResults.elements.map(\.value) == [1, 3, 3, 1])
        #expect(smallResults.elements.map(\.value.count) == [1, 1, 1])
    }

    @Test func aFailureDiscardsOpenWindows() {
        struct Broken: Error {}
        let channel = EventChannel<Sample>()
        let windows = channel.hopping(.nanoseconds(20), every: .nanoseconds(10))
        let (plain, merged) = (Recorder(windows.aggregate(PlainSum())), Recorder(windows.count()))
        channel.publish(Sample(1, at: 5))
        channel.finish(.failed(Broken()))
        #expect(plain.signals == [.completion(.failed(Broken()))])
        #expect(merged.signals == [.completion(.failed(Broken()))])
    }

    @Test func watermarksWithoutLagCloseWindowsOfAStreamInOrder() {
        let channel = EventChannel<Sample>()
        let windows = channel.watermarks(lag: .zero).tumbling(.nanoseconds(10)).count()
        let recorder = Recorder(windows)
        for time in [0, 9, 10, 3, 31] as [Int64] { channel.publish(Sample(1, at: time)) }
        #expect(recorder.elements.map(\.value) == [2, 1])
        #expect(windows.late.count == 1)
        #expect(keepsTheOrderOfTime(recorder) == false)
        channel.finish()
        #expect(keepsTheOrderOfTime(recorder))
    }

    @Test func theEndsOfTimeAreNoTraps() {
        let channel = EventChannel<Sample>()
        let windows = channel.hopping(.seconds(7), every: .seconds(2))
        let (plain, merged) = (Recorder(windows.aggregate(PlainSum())), Recorder(windows.count()))
        for time in [.min, .min + 1, .max - 1, .max] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.advance(to: .distantFuture)
        channel.finish()
        #expect(plain.isFinished && merged.isFinished)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().tumbling(.zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().tumbling(.seconds(-1)) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Sample>().hopping(.seconds(1), every: .seconds(2))
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Sample>().tumbling(.seconds(1), allowedLateness: .seconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Sample>().tumbling(.seconds(1), emit: .every(.zero))
        }
        await #expect(processExitsWith: .failure) { _ = WindowLimit(windows: 0) }
    }
}
