import TestStreams
import Testing
import WeirCore
import WeirExpressions
import WeirSequences
import WeirTesting

@Suite struct ExpressionFollowedByTests {
    /// 10,000 random short streams, out of order and with equal times, cut into a batch and single events.
    @Test func agreesWithABruteForceSearchForNeighbours() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let levels = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Level(.random(in: 0...3, using: &generator), at: .random(in: -5...5, using: &generator))
            }
            let channel = EventChannel<Level>()
            let jumps = Recorder(channel.followedByWhere { abs($0.value - $1.value) > 1 })
            let falls = Recorder(channel.followedByWhere { $1.value < $0.value && $1.value > 0 })
            let cut = Int.random(in: 0...levels.count, using: &generator)
            channel.publish(contentsOf: Array(levels[..<cut]))
            let watermark = Timestamp(millisecondsSinceEpoch: .random(in: -5...5, using: &generator))
            channel.advance(to: watermark)
            for level in levels[cut...] { channel.publish(level) }
            channel.finish()

            func expected(_ condition: (Level, Level) -> Bool) -> [StreamSignal<[Level]>] {
                var signals: [StreamSignal<[Level]>] = []
                for index in 0...levels.count {
                    if index == cut { signals.append(.watermark(watermark)) }
                    guard index > 0, index < levels.count, condition(levels[index - 1], levels[index]) else { continue }
                    signals.append(.element([levels[index - 1], levels[index]], levels[index].timestamp))
                }
                return signals + [.completion(.finished)]
            }
            guard
                lists(jumps) == expected({ abs($0.value - $1.value) > 1 }),
                lists(falls) == expected({ $1.value < $0.value && $1.value > 0 })
            else {
                Issue.record("seed \(seed): \(levels), \(jumps.signals), \(falls.signals)")
                return
            }
        }
    }

    @Test func everySubscriberHasAMemoryOfItsOwn() {
        let channel = EventChannel<Level>()
        let ascending = channel.followedByWhere { previous, current in previous.value < current.value }
        let recorders = [Recorder(ascending), Recorder(ascending)]
        for value in 0...2 { channel.publish(Level(value, at: 0)) }
        for recorder in recorders {
            #expect(recorder.elements.map { [$0.0.value, $0.1.value] } == [[0, 1], [1, 2]])
        }
        #expect(ascending.condition.description == "previous(value) < value")
    }

    /// Pairs as lists, which can be compared.
    private func lists(_ recorder: Recorder<(Level, Level)>) -> [StreamSignal<[Level]>] {
        recorder.signals.map { signal in
            switch signal {
            case .element(let pair, let time): .element([pair.0, pair.1], time)
            case .watermark(let watermark): .watermark(watermark)
            case .completion(let completion): .completion(completion)
            }
        }
    }
}
