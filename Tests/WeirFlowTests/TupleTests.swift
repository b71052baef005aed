import TestStreams
import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

/// The forms of `combineLatest` and `zip` for more than two streams.
@Suite struct TupleTests {
    @Test func combineLatest() {
        compare(inputs: 3) {
            $0[0].combineLatest($0[1], $0[2]).map { (first, second, third) in [first, second, third] }
        } with: { arrivals in
            var latest: [Keyed?] = [nil, nil, nil]
            return walk(arrivals, inputs: 3) { input, element, outcome in
                latest[input] = element
                let row = latest.compactMap { $0 }
                if row.count == 3 { outcome.emit(row, row.map(\.timestamp).max() ?? .epoch) }
                return false
            } onInputEnd: {
                latest[$0] == nil
            }
        }
    }

    @Test(arguments: [1, 2, 100], [LimitPolicy.dropNewest, .dropOldest])
    func zip(limit: Int, policy: LimitPolicy) {
        compare(inputs: 3, rounds: 3_000) {
            $0[0].zip($0[1], $0[2], overflowPolicy: policy, limit: limit).map { row in [row.0, row.1, row.2] }
        } with: { arrivals in
            var waiting: [[Keyed]] = [[], [], []]
            var ended = [false, false, false]
            return walk(arrivals, inputs: 3) { input, element, outcome in
                if waiting[input].count == limit {
                    if policy == .dropNewest { return false }
                    waiting[input].removeFirst()
                }
                waiting[input].append(element)
                let row = waiting.compactMap(\.first)
                guard row.count == 3 else { return false }
                outcome.emit(row, row.map(\.timestamp).max() ?? .epoch)
                for input in waiting.indices { waiting[input].removeFirst() }
                return waiting.indices.contains { ended[$0] && waiting[$0].isEmpty }
            } onInputEnd: { input in
                ended[input] = true
                return waiting[input].isEmpty
            }
        }
    }

    /// Nothing is lost: what makes no row is refused, in the place of its stream.
    @Test(arguments: [LimitPolicy.dropNewest, .dropOldest, .fail])
    func zipHandsBackWhatMakesNoRow(policy: LimitPolicy) {
        for seed in seeds(2_000) {
            var generator = SeededGenerator(seed: seed)
            let channels = (0..<4).map { _ in EventChannel<Keyed>() }
            let zipped = channels[0].zip(channels[1], channels[2], channels[3], overflowPolicy: policy, limit: 2)
            let refused = Locked<[[Int]]>([[], [], [], []])
            zipped.refused.subscribe { part in
                refused.withLock { refused in
                    if let element = part.0 { refused[0].append(element.value) }
                    if let element = part.1 { refused[1].append(element.value) }
                    if let element = part.2 { refused[2].append(element.value) }
                    if let element = part.3 { refused[3].append(element.value) }
                }
            }
            let recorder = Recorder(zipped)
            var published: [[Int]] = [[], [], [], []]
            for value in 0..<20 where !recorder.isFinished {
                let input = Int.random(in: 0..<4, using: &generator)
                published[input].append(value)
                channels[input].publish(Keyed(timestamp: .epoch, key: input, value: value))
            }
            for channel in channels { channel.finish() }
            let rows = recorder.elements.map { [$0.0.value, $0.1.value, $0.2.value, $0.3.value] }
            let refusals = refused.withLock { $0 }
            for input in 0..<4 {
                let all = (refusals[input] + rows.map { $0[input] }).sorted()
                #expect(all == published[input], "seed \(seed)")
            }
            #expect(recorder.isFinished && zipped.refused.count == refusals.map { UInt64($0.count) }.reduce(0, +))
        }
    }

    @Test func sixStreams() {
        let numbers = EventChannel<Keyed>()
        let texts = TestChannel<String>()
        let latest = Recorder(numbers.combineLatest(texts, numbers, texts, numbers, texts).map { ($0.0.value, $0.5) })
        let rows = Recorder(texts.zip(numbers, texts, numbers, texts, numbers).map { ($0.0, $0.3.value) })
        texts.send("a", atColumn: 1)
        numbers.publish(Keyed(timestamp: .epoch, key: 0, value: 7))
        texts.send("b", atColumn: 2)
        // The text reaches three inputs, one after the other, and the one that is looked at last.
        #expect(latest.difference(from: "-a(aab)", ["a": (7, "a"), "b": (7, "b")], by: ==) == nil)
        #expect(rows.elements.elementsEqual([("a", 7)], by: ==))
        #expect(rows.times == [texts.scale.time(of: 1)])
    }
}
