import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct WindowOriginTests {
    /// The windows by definition: those that start at a distance from the origin that `slide` divides, and hold something.
    private func reference(_ script: Script, _ size: Int64, _ slide: Int64, _ origin: WindowOrigin) -> [Seen] {
        let kept = script.onTime().kept
        let start: Int64
        switch origin {
        case .epoch: start = 0
        case .offset(let offset): start = offset.wholeNanoseconds
        case .firstElement: start = kept.first?.nanoseconds ?? 0
        }
        return (-300...300 as ClosedRange<Int64>).filter { ($0 - start) % slide == 0 }.compactMap { start in
            let inside = kept.filter { $0.nanoseconds >= start && $0.nanoseconds < start + size }
            guard !inside.isEmpty else { return nil }
            let sum = inside.reduce(0) { $0 + $1.value }
            return Seen(start: start, end: start + size, values: [sum], time: start + size - 1)
        }
    }

    @Test func everyOriginAgreesWithTheDefinition() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let slide = Int64.random(in: 1...12, using: &generator)
            let size = slide + Int64.random(in: 0...12, using: &generator)
            let origins: [WindowOrigin] = [
                .epoch, .offset(.nanoseconds(Int64.random(in: -40...40, using: &generator))), .firstElement,
            ]
            let origin = origins[Int(seed % 3)]
            let channel = EventChannel<Sample>()
            let every = Duration.nanoseconds(slide)
            let tumbling = Recorder(channel.tumbling(every, startingAt: origin).aggregate(PlainSum()))
            let windows = channel.hopping(.nanoseconds(size), every: every, startingAt: origin)
            let (plain, merged) = (Recorder(windows.aggregate(PlainSum())), Recorder(windows.aggregate(MergeableSum())))
            script.run(on: channel)
            #expect(tumbling.seen { [$0] } == reference(script, slide, slide, origin), "seed \(seed)")
            let expected = reference(script, size, slide, origin)
            #expect(plain.seen { [$0] } == expected, "seed \(seed)")
            #expect(merged.seen { [$0] } == expected, "seed \(seed)")
            #expect(keepsTheOrderOfTime(tumbling) && keepsTheOrderOfTime(merged), "seed \(seed)")
        }
    }

    /// Each sink has windows of its own.
    @Test func theFirstElementIsThatOfTheSink() {
        let channel = EventChannel<Sample>()
        let windows = channel.tumbling(.nanoseconds(10), startingAt: .firstElement)
        let first = Recorder(windows.count())
        channel.publish(Sample(1, at: 3))
        let second = Recorder(windows.count())
        channel.publish(Sample(1, at: 7))
        channel.finish()
        #expect(first.elements.map(\.start.nanosecondsSinceEpoch) == [3])
        #expect(second.elements.map(\.start.nanosecondsSinceEpoch) == [7])
    }

    @Test(arguments: [WindowOrigin.offset(.seconds(-300_000_000_000)), .offset(.nanoseconds(Int64.max)), .firstElement])
    func theEndsOfTimeAreNoTraps(origin: WindowOrigin) {
        let channel = EventChannel<Sample>()
        let (size, slide) = (Duration.nanoseconds(Int64.max), Duration.nanoseconds(Int64.max / 3 * 2))
        let windows = channel.hopping(size, every: slide, startingAt: origin)
        let (plain, merged) = (Recorder(windows.aggregate(PlainSum())), Recorder(windows.count()))
        for time in [.min, .min + 1, 0, .max - 1, .max] as [Int64] { channel.publish(Sample(1, at: time)) }
        channel.advance(to: .distantFuture)
        channel.finish()
        #expect(plain.isFinished && merged.isFinished)
    }
}
