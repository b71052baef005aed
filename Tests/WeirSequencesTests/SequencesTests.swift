import TestStreams
import Testing
import WeirCore
import WeirSequences
import WeirTesting

struct Level: Event, Equatable {
    let timestamp: Timestamp
    let value: Int

    init(_ value: Int, at milliseconds: Int64) {
        self.value = value
        timestamp = Timestamp(millisecondsSinceEpoch: milliseconds)
    }
}

@Suite struct SequencesTests {
    @Test func agreesWithABruteForceSearchForNeighbours() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let levels = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                Level(.random(in: 0...3, using: &generator), at: .random(in: -5...5, using: &generator))
            }
            let channel = EventChannel<Level>()
            let rises = Recorder(channel.followedBy { previous, current in current.value > previous.value })
            let pairs = Recorder(channel.pairwise())
            let cut = Int.random(in: 0...levels.count, using: &generator)
            channel.publish(contentsOf: Array(levels[..<cut]))
            for level in levels[cut...] { channel.publish(level) }

            let neighbours = zip(levels, levels.dropFirst()).map { [$0, $1] }
            let rising = neighbours.filter { $0[1].value > $0[0].value }
            guard pairs.elements.map({ [$0.0, $0.1] }) == neighbours,
                pairs.times == levels.dropFirst().map(\.timestamp),
                rises.elements.map({ [$0.0, $0.1] }) == rising, rises.times == rising.map({ $0[1].timestamp })
            else {
                Issue.record("seed \(seed): \(pairs.elements), \(rises.elements) of \(levels)")
                return
            }
        }
    }

    /// CEPSwift keeps the element before in the operator, so a second subscriber sees pairs (x, x).
    @Test func everySubscriberHasAMemoryOfItsOwn() {
        let channel = EventChannel<Level>()
        let ascending = channel.followedBy { _, _ in true }
        let first = Recorder(ascending)
        let second = Recorder(ascending)
        for value in 0...3 { channel.publish(Level(value, at: Int64(value))) }
        for recorder in [first, second] {
            #expect(recorder.elements.map { [$0.0.value, $0.1.value] } == [[0, 1], [1, 2], [2, 3]])
        }
    }

    @Test func watermarksAndTheCompletionPass() {
        let channel = EventChannel<Level>()
        let recorder = Recorder(channel.pairwise().followedBy { _, _ in true })
        channel.advance(to: .epoch)
        channel.finish()
        #expect(recorder.elements.isEmpty)
        #expect(recorder.signals.count == 2)
        #expect(recorder.isFinished)
    }
}
