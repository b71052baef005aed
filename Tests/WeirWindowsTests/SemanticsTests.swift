import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

/// What windows promise, one sentence per test.
@Suite struct SemanticsTests {
    private func at(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanosecondsSinceEpoch: nanoseconds) }

    @Test func aWindowClosesWhenTheWatermarkReachesItsEndAndNotBefore() {
        let channel = EventChannel<Sample>()
        let recorders = [
            Recorder(channel.tumbling(.nanoseconds(10)).count()),
            Recorder(channel.hopping(.nanoseconds(10), every: .nanoseconds(10)).count()),
            Recorder(channel.fixed(from: at(0), to: at(10)).count()),
            Recorder(channel.sessions(gap: .nanoseconds(5)).count()),
            Recorder(channel.windows(on: Blocks(size: 10)).count()),
        ]
        channel.publish(Sample(1, at: 5))
        channel.advance(to: at(9))
        for recorder in recorders { #expect(recorder.elements.isEmpty) }
        channel.advance(to: at(10))
        for recorder in recorders { #expect(recorder.elements.map(\.value) == [1]) }
    }

    @Test func anElementExactlyAtTheEndBelongsToTheNextWindow() {
        let channel = EventChannel<Sample>()
        let tumbling = Recorder(channel.tumbling(.nanoseconds(10)).count())
        let gridded = Recorder(channel.windows(on: Blocks(size: 10)).count())
        let sessions = Recorder(channel.sessions(gap: .nanoseconds(10)).count())
        for time in [0, 10] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.finish()
        for recorder in [tumbling, gridded, sessions] {
            #expect(recorder.elements.map(\.value) == [1, 1])
            #expect(recorder.elements.map(\.start) == [at(0), at(10)])
        }
    }

    /// `ceil(size / slide)` windows; where the slide does not divide the size, one less for elements between.
    @Test func anElementIsInAsManyHoppingWindowsAsStartWithinASize() {
        for size in 1...12 as ClosedRange<Int64> {
            for slide in 1...size {
                let most = Int((size + slide - 1) / slide)
                for time in -13...13 as ClosedRange<Int64> {
                    let channel = EventChannel<Sample>()
                    let recorder = Recorder(channel.hopping(.nanoseconds(size), every: .nanoseconds(slide)).count())
                    channel.publish(Sample(1, at: time))
                    channel.finish()
                    let count = recorder.elements.count
                    let isBetween = ((time % slide) + slide) % slide >= (size - 1) % slide + 1
                    #expect(count == (isBetween ? most - 1 : most), "\(size) every \(slide) at \(time)")
                    #expect(recorder.elements.allSatisfy { $0.start <= at(time) && at(time) < $0.end })
                }
            }
        }
    }

    @Test func aSlidingWindowExcludesItsStartAndIncludesItsEnd() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.sliding(.nanoseconds(10)))
        for time in [0, 1, 10, 11] as [Int64] { channel.publish(Sample(1, at: time)) }
        #expect(recorder.elements.map { $0.value.map(\.nanoseconds) } == [[0], [0, 1], [1, 10], [10, 11]])
        #expect(recorder.elements.map(\.start) == [-10, -9, 0, 1].map(at))
    }

    @Test func equalTimesKeepTheOrderOfArrival() {
        let channel = EventChannel<Sample>()
        let recorders = [
            Recorder(channel.tumbling(.nanoseconds(10))), Recorder(channel.sessions(gap: .nanoseconds(10))),
            Recorder(channel.windows(on: Blocks(size: 10))), Recorder(channel.tumbling(count: 4)),
            Recorder(channel.fixed(from: at(0), to: at(10))),
        ]
        for (index, time) in ([3, 1, 3, 1] as [Int64]).enumerated() {
            channel.publish(Sample(0, at: time, index: index))
        }
        channel.finish()
        for recorder in recorders { #expect(recorder.elements.map { $0.value.map(\.index) } == [[1, 3, 0, 2]]) }
    }

    @Test func windowsBeforeTheEpochAreRoundedDown() {
        let channel = EventChannel<Sample>()
        let tumbling = Recorder(channel.tumbling(.nanoseconds(10)))
        let hopping = Recorder(channel.hopping(.nanoseconds(10), every: .nanoseconds(5)))
        channel.publish(Sample(1, at: -1))
        channel.finish()
        #expect(tumbling.elements.map(\.start) == [at(-10)])
        #expect(hopping.elements.map(\.start) == [at(-10), at(-5)])
    }

    /// No window ends after the end of time, but every element is in one, or late.
    @Test(arguments: [1, 3, 7] as [Int64])
    func whatIsAtTheEndOfTimeIsNotLost(width: Int64) {
        let channel = EventChannel<Sample>()
        let hopping = channel.hopping(.nanoseconds(width * 3), every: .nanoseconds(width))
        let recorder = Recorder(hopping.aggregate(MergeableSum()))
        let times: [Int64] = [.max - 40, .max - 2, .max - 1, .max]
        for time in times { channel.publish(Sample(1, at: time)) }
        channel.advance(to: .distantFuture)
        channel.publish(Sample(1, at: .max))
        channel.finish()
        let found = recorder.elements.contains { $0.end == .distantFuture && $0.value >= 2 }
        #expect(found)
        // The last one in any case; the one before it where a pane would begin with it.
        #expect(hopping.late.count == (Int64.max % width == 0 ? 2 : 1))
    }

    @Test func theCompletionFlushesAndAFailureDiscards() {
        struct Broken: Error {}
        for completion in [Completion.finished, .failed(Broken()), .interrupted] {
            let channel = EventChannel<Sample>()
            let recorders = [
                Recorder(channel.tumbling(.nanoseconds(10)).count()), Recorder(channel.tumbling(count: 3).count()),
                Recorder(channel.sessions(gap: .nanoseconds(10)).count()),
                Recorder(channel.hopping(.nanoseconds(10), every: .nanoseconds(10)).count()),
                Recorder(channel.windows(on: Blocks(size: 10)).count()),
                Recorder(channel.fixed(from: at(0), to: at(10)).count()),
                Recorder(channel.landmark(from: at(0), emit: .onClose).count()),
                Recorder(channel.windows(opensWhen: { _ in true }, closesWhen: { _ in false }).count()),
            ]
            channel.publish(Sample(1, at: 5))
            channel.finish(completion)
            for recorder in recorders {
                switch completion {
                case .finished: #expect(recorder.elements.map(\.value) == [1])
                case .failed, .interrupted: #expect(recorder.signals == [.completion(completion)])
                }
            }
        }
    }

    @Test func aWatermarkThatGoesBackIsIgnoredAndCounted() {
        let channel = EventChannel<Sample>()
        let windows = channel.tumbling(.nanoseconds(10))
        let recorder = Recorder(windows)
        channel.advance(to: at(20))
        channel.advance(to: at(5))
        channel.publish(Sample(1, at: 7))
        #expect(windows.late.count == 1)
        #expect(channel.metrics.ignoredWatermarks == 1)
        #expect(recorder.signals == [.watermark(at(20))])
    }

    /// A watermark before each element that moves time on far enough, and never one that goes back.
    @Test func watermarksAgreeWithTheMaximumSoFar() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let channel = EventChannel<Sample>()
            let input = Recorder(channel)
            let lag = Int64(seed % 3) * Int64.random(in: 0...5, using: &generator)
            let step = Int64(seed % 2) * Int64.random(in: 0...5, using: &generator)
            let recorder = Recorder(channel.watermarks(lag: .nanoseconds(lag), every: .nanoseconds(step)))
            script.run(on: channel)
            var expected: [StreamSignal<Sample>] = []
            var latest = Timestamp.distantPast
            for signal in input.signals {
                switch signal {
                case .element(_, let time):
                    let watermark = time - .nanoseconds(lag)
                    if watermark > latest, latest == .distantPast || watermark >= latest + .nanoseconds(step) {
                        expected.append(.watermark(watermark))
                        latest = watermark
                    }
                    expected.append(signal)
                case .watermark(let time):
                    if time > latest { expected.append(signal) }
                    latest = max(latest, time)
                case .completion: expected.append(signal)
                }
            }
            guard recorder.signals == expected else {
                Issue.record("seed \(seed): \(recorder.signals) instead of \(expected)")
                return
            }
        }
    }
}
