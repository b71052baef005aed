import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct SessionWindowsTests {
    private static func sessions(of samples: [Sample], gap: (Sample) -> Int64) -> [Seen] {
        var sessions: [(end: Int64, samples: [Sample])] = []
        for sample in byTime(samples) {
            let end = sample.nanoseconds + gap(sample)
            if let last = sessions.last, sample.nanoseconds < last.end {
                sessions[sessions.count - 1].samples.append(sample)
                sessions[sessions.count - 1].end = max(last.end, end)
            } else {
                sessions.append((end, [sample]))
            }
        }
        return sessions.map { end, samples in
            Seen(start: samples[0].nanoseconds, end: end, values: samples.map(\.index), time: end - 1)
        }
    }

    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let gap = Int64.random(in: 1...6, using: &generator)
            let channel = EventChannel<Sample>()
            let windows = channel.sessions(gap: .nanoseconds(gap))
            let varying = channel.sessions(gap: { .nanoseconds(gap + Int64($0.value + 4) / 4) })
            let (lists, varyingLists) = (Recorder(windows), Recorder(varying))
            let (plain, merged) = (
                Recorder(windows.aggregate(PlainSum())), Recorder(windows.aggregate(MergeableSum()))
            )
            script.run(on: channel)
            let kept = script.onTime().kept
            let values = Dictionary(uniqueKeysWithValues: kept.map { ($0.index, $0.value) })
            let expected = Self.sessions(of: kept) { _ in gap }
            let sums = expected.map { $0.values.map { values[$0] ?? 0 }.reduce(0, +) }
            guard lists.seen(nil, { $0.map(\.index) }) == expected,
                varyingLists.seen(nil, { $0.map(\.index) })
                    == Self.sessions(of: kept, gap: { gap + Int64($0.value + 4) / 4 }),
                plain.elements.map(\.value) == sums, merged.elements.map(\.value) == sums,
                keepsTheOrderOfTime(lists), keepsTheOrderOfTime(varyingLists)
            else {
                Issue.record("seed \(seed), gap \(gap): \(lists.seen(nil) { $0.map(\.index) }) instead of \(expected)")
                return
            }
        }
    }

    /// Every final session was emitted with all its elements, whatever was emitted before.
    @Test func lateElementsLeadToTheSameSessionsInTheEnd() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let gap = Int64.random(in: 1...6, using: &generator)
            let lateness = Int64.random(in: 0...8, using: &generator)
            let emission: Emission = [.onClose, .onEveryElement, .every(.nanoseconds(3))][Int(seed % 3)]
            let channel = EventChannel<Sample>()
            let recorder = Recorder(
                channel.sessions(gap: .nanoseconds(gap), allowedLateness: .nanoseconds(lateness), emit: emission)
            )
            script.run(on: channel)
            var final: [Int: (start: Int64, indexes: [Int])] = [:]
            for result in recorder.elements {
                let indexes = result.value.map(\.index)
                for index in indexes { final[index] = (result.start.nanosecondsSinceEpoch, indexes) }
            }
            for session in Self.sessions(of: script.onTime(allowing: lateness).kept, gap: { _ in gap }) {
                for index in session.values {
                    guard final[index]?.indexes == session.values, final[index]?.start == session.start,
                        keepsTheOrderOfTime(recorder)
                    else {
                        Issue.record("seed \(seed), gap \(gap), lateness \(lateness): \(session)")
                        return
                    }
                }
            }
        }
    }

    @Test func anElementExactlyAtTheEndBeginsTheNextSession() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.sessions(gap: .nanoseconds(10)).count())
        for time in [-10, 0, 9, 19] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.finish()
        #expect(recorder.elements.map(\.value) == [1, 2, 1])
    }

    @Test func theLimitsHandBackWhatTheyLeaveNoRoomFor() {
        let channel = EventChannel<Sample>()
        let few = channel.sessions(gap: .nanoseconds(2), limit: WindowLimit(windows: 2)).count()
        let small = channel.sessions(gap: .nanoseconds(2), limit: WindowLimit(elements: 2))
        let (fewResults, smallResults) = (Recorder(few), Recorder(small))
        for time in [0, 10, 20, 11] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.finish()
        #expect(fewResults.elements.map(\.value) == [1, 2])
        #expect(smallResults.elements.map(\.value.count) == [1, 1])
        #expect([few.refused.count, small.refused.count] == [1, 2])
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().sessions(gap: .zero) }
    }
}
