import Testing
import WeirCore
import WeirCreation
import WeirTesting

@Suite struct SortedTests {
    /// Against an insertion of each element behind those that are not after it.
    @Test func agreesWithInsertion() {
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let channel = EventChannel<Sample>()
            let limit = Int.random(in: 1...12, using: &generator)
            let stream = channel.sorted(limit: limit) { $0.value < $1.value }
            let recorder = Recorder(stream)
            var expected: [Sample] = []
            var latest = Timestamp.distantPast
            let count = Int.random(in: 0...15, using: &generator)
            for number in 0..<count {
                let sample = Sample(.random(in: 0...3, using: &generator), at: .random(in: -9...9, using: &generator))
                channel.publish(sample)
                latest = max(latest, sample.timestamp)
                guard number < limit else { continue }
                let place = expected.firstIndex { $0.value > sample.value } ?? expected.endIndex
                expected.insert(sample, at: place)
            }
            channel.finish()
            #expect(recorder.signals == [.element(expected, latest), .completion(.finished)], "seed \(seed)")
            #expect(stream.refused.count == UInt64(max(0, count - limit)), "seed \(seed)")
        }
    }

    @Test func whatBrokeOffHasNoResult() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.sorted { $0.value > $1.value })
        channel.publish(Sample(1, at: 0))
        channel.finish(.interrupted)
        #expect(recorder.signals == [.completion(.interrupted)])
    }

    @Test func comparableElementsNeedNoOrder() {
        let values = Values([3, 1, 2], at: { _ in .epoch })
        #expect(Recorder(values.sorted()).elements == [[1, 2, 3]])
    }
}
