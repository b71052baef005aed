import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct CustomWindowsTests {
    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let channel = EventChannel<Sample>()
            let recorder = Recorder(
                channel.windows(opensWhen: { $0.value > 4 }, closesWhen: { $0.value.isMultiple(of: 3) })
                    .aggregate(PlainList())
            )
            script.run(on: channel)
            var (windows, rest) = ([[Int]](), script.samples[...])
            while let first = rest.firstIndex(where: { $0.value > 4 }) {
                let last = rest[(first + 1)...].firstIndex { $0.value.isMultiple(of: 3) } ?? rest.endIndex - 1
                windows.append(rest[first...last].map(\.index))
                rest = rest[(last + 1)...]
            }
            guard recorder.elements.map(\.value) == windows, recorder.isFinished else {
                Issue.record("seed \(seed): \(recorder.elements) instead of \(windows)")
                return
            }
        }
    }

    @Test func windowsThatLastTooLongClose() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(
            channel.windows(opensWhen: { $0.value == 1 }, closesWhen: { $0.value == 2 }, within: .nanoseconds(10))
                .count()
        )
        for (value, time) in [(1, 0), (0, 9), (1, 10), (1, 11), (2, 12), (1, 13)] as [(Int, Int64)] {
            channel.publish(Sample(value, at: time))
        }
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 22))
        #expect(recorder.elements.map(\.value) == [2, 3])
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 23))
        #expect(
            recorder.seen { [$0] } == [
                Seen(start: 0, end: 9, values: [2], time: 9), Seen(start: 10, end: 12, values: [3], time: 12),
                Seen(start: 13, end: 13, values: [1], time: 22),
            ]
        )
        channel.finish()
        #expect(keepsTheOrderOfTime(recorder))
    }

    @Test func theLimitHandsBackWhatItLeavesNoRoomFor() {
        struct Broken: Error {}
        let channel = EventChannel<Sample>()
        let windows = channel.windows(opensWhen: { $0.value == 1 }, closesWhen: { $0.value == 2 }, limit: 2)
        let recorder = Recorder(windows)
        for value in [1, 0, 0, 2, 1] { channel.publish(Sample(value, at: 0)) }
        channel.finish(.failed(Broken()))
        #expect(recorder.elements.map { $0.value.map(\.value) } == [[1, 0]])
        #expect(windows.refused.count == 2)
    }

    @Test func anElementBeyondTheLimitClosesTheWindowWithoutBeingInIt() {
        let channel = EventChannel<Sample>()
        let windows = channel.windows(opensWhen: { $0.value == 1 }, closesWhen: { $0.value == 2 }, limit: 2)
        let recorder = Recorder(windows)
        for (time, value) in [1, 0, 0, 2].enumerated() { channel.publish(Sample(value, at: Int64(time))) }
        #expect(recorder.seen { $0.map(\.value) } == [Seen(start: 0, end: 1, values: [1, 0], time: 3)])
        #expect(windows.refused.count == 2)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Sample>().windows(opensWhen: { _ in true }, closesWhen: { _ in true }, within: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Sample>().windows(opensWhen: { _ in true }, closesWhen: { _ in true }, limit: 0)
        }
    }
}
