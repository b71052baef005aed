import TestStreams
import Testing
import WeirCore
import WeirSelection
import WeirTesting

struct Sample: Event, Equatable {
    let timestamp: Timestamp
    let value: Int

    init(_ value: Int, at milliseconds: Int64) {
        self.value = value
        timestamp = Timestamp(millisecondsSinceEpoch: milliseconds)
    }

    /// Samples with random values and times that rise, repeat, and fall.
    static func random(count: Int, using generator: inout SeededGenerator) -> [Sample] {
        (0..<count).map { _ in
            Sample(.random(in: -3...3, using: &generator), at: .random(in: -4...4, using: &generator))
        }
    }
}

@Suite struct SelectionTests {
    @Test func agreesWithTheOperationsOfArrays() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let samples = Sample.random(count: .random(in: 0...20, using: &generator), using: &generator)
            let channel = EventChannel<Sample>()
            let filtered = Recorder(channel.filter { $0.value > 0 })
            let twice = Recorder(channel.filter { $0.value > 0 }.filter { $0.value < 3 })
            let both = Recorder(channel.filter { $0.value > 0 && $0.value < 3 })
            let mapped = Recorder(channel.map { Double($0.value) * 2 })
            let sums = Recorder(channel.scan(into: 0) { $0 += $1.value })
            let cut = Int.random(in: 0...samples.count, using: &generator)
            channel.publish(contentsOf: Array(samples[..<cut]))
            for sample in samples[cut...] { channel.publish(sample) }

            var sum = 0
            let runningSums = samples.map {
                sum += $0.value
                return sum
            }
            guard filtered.elements == samples.filter({ $0.value > 0 }),
                filtered.times == samples.filter({ $0.value > 0 }).map(\.timestamp),
                twice.signals == both.signals,
                mapped.elements == samples.map({ Double($0.value) * 2 }),
                mapped.times == samples.map(\.timestamp),
                sums.elements == runningSums
            else {
                Issue.record("seed \(seed): \(samples)")
                return
            }
        }
    }

    @Test func watermarksAndTheCompletionPassThroughEveryOperator() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.filter { _ in false }.map(\.value).scan(into: 0) { $0 += $1 })
        channel.publish(Sample(1, at: 1))
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 2))
        channel.finish(.failed(ChannelError.overflow(capacity: 3)))
        #expect(
            recorder.signals == [
                .watermark(Timestamp(millisecondsSinceEpoch: 2)),
                .completion(.failed(ChannelError.overflow(capacity: 3))),
            ]
        )
    }
}
