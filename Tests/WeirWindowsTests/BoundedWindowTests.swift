import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct BoundedWindowTests {
    @Test func fixedWindowsAgreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let start = Int64.random(in: -30...20, using: &generator)
            let end = start + .random(in: 1...20, using: &generator)
            let lateness = Int64.random(in: 0...8, using: &generator)
            let emission: Emission = [.onClose, .onEveryElement, .every(.nanoseconds(3))][Int(seed % 3)]
            let channel = EventChannel<Sample>()
            let window = channel.fixed(
                from: Timestamp(nanosecondsSinceEpoch: start),
                to: Timestamp(nanosecondsSinceEpoch: end),
                allowedLateness: .nanoseconds(lateness),
                emit: emission
            )
            let recorder = Recorder(window)
            script.run(on: channel)
            let (kept, late) = script.onTime(allowing: lateness)
            let expected = byTime(kept).filter { start <= $0.nanoseconds && $0.nanoseconds < end }
            guard recorder.elements.last?.value ?? [] == expected,
                recorder.seen(.closing, { $0.map(\.index) }).count <= 1,
                recorder.elements.last?.phase != .early,
                window.late.count == UInt64(late.count),
                keepsTheOrderOfTime(recorder)
            else {
                Issue.record("seed \(seed), from \(start) to \(end), lateness \(lateness): \(recorder.signals)")
                return
            }
        }
    }

    @Test func landmarkWindowsAgreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let start = Int64.random(in: -30...10, using: &generator)
            let channel = EventChannel<Sample>()
            let fromTime = Recorder(channel.landmark(from: Timestamp(nanosecondsSinceEpoch: start)).sum(of: \.value))
            let fromElement = Recorder(channel.landmark(when: { $0.value > 5 }).sum(of: \.value))
            script.run(on: channel)
            let kept = script.onTime().kept
            for (recorder, samples) in [
                (fromTime, kept.filter { $0.nanoseconds >= start }),
                (
                    fromElement,
                    kept.firstIndex { $0.value > 5 }.map { first in
                        kept[first...].filter { $0.nanoseconds >= kept[first].nanoseconds }
                    } ?? []
                ),
            ] {
                let sums = samples.indices.map { samples[...$0].map(\.value).reduce(0, +) }
                guard recorder.elements.dropLast().map(\.value) == sums,
                    recorder.elements.last?.value == sums.last,
                    recorder.elements.last.map({ $0.phase == .closing }) ?? sums.isEmpty,
                    recorder.elements.last?.end == samples.map(\.timestamp).max(),
                    keepsTheOrderOfTime(recorder)
                else {
                    Issue.record("seed \(seed), from \(start): \(recorder.signals)")
                    return
                }
            }
        }
    }

    @Test func anElementAtTheEndIsNotInTheWindowAndAFailureDiscardsIt() {
        struct Broken: Error {}
        let channel = EventChannel<Sample>()
        let fixed = Recorder(channel.fixed(from: .epoch, to: Timestamp(nanosecondsSinceEpoch: 10)).count())
        let landmark = Recorder(channel.landmark(from: .epoch, emit: .onClose).count())
        for time in [-1, 0, 9, 10] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 10))
        channel.finish(.failed(Broken()))
        #expect(fixed.seen { [$0] } == [Seen(start: 0, end: 10, values: [2], time: 9)])
        #expect(landmark.elements.isEmpty)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().fixed(from: .epoch, to: .epoch) }
    }
}
