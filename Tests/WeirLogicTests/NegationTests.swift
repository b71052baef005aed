import TestStreams
import Testing
import WeirCore
import WeirLogic
import WeirSequences
import WeirTesting

@Suite struct NegationTests {
    @Test func unlessAgreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 2)
            let duration = Int64(seed % 8) + 1
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let alone = first.unless(second, within: .nanoseconds(duration))
            let recorder = Recorder(alone)
            let pairs = Recorder(first.then(second, within: .nanoseconds(duration)))
            script.play(seed: seed, into: Inlet(first), Inlet(second))

            let expected = script.accepted
                .filter { candidate in
                    candidate.input == 0
                        && !script.accepted.contains {
                            $0.input == 1 && $0.time > candidate.time && $0.time - candidate.time < duration
                        }
                }
                .sorted { ($0.time, $0.id) < ($1.time, $1.id) }
            #expect(recorder.elements.map(\.id) == expected.map(\.id), "seed \(seed)")
            #expect(recorder.nanoseconds == expected.map { $0.time + duration }, "seed \(seed)")
            #expect(recorder.isLawful && recorder.isFinal(reaching: true), "seed \(seed)")
            #expect(alone.late.count == script.late.count, "seed \(seed)")

            // Every element is alone or part of a pair, and none is both.
            let paired = Set(pairs.elements.map(\.0.id))
            let firsts = Set(script.accepted.filter { $0.input == 0 }.map(\.id))
            #expect(paired.isDisjoint(with: expected.map(\.id)), "seed \(seed)")
            #expect(paired.union(expected.map(\.id)) == firsts, "seed \(seed)")
        }
    }

    @Test func unlessFiresExactlyAtTheDeadlineOnce() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let recorder = Recorder(first.unless(second, within: .nanoseconds(10)))
        func advance(to time: Int64) {
            first.advance(to: Timestamp(nanosecondsSinceEpoch: time))
            second.advance(to: Timestamp(nanosecondsSinceEpoch: time))
        }
        first.publish(Item(0, at: -5))
        advance(to: 4)
        #expect(recorder.elements.isEmpty)
        advance(to: 5)
        #expect(recorder.elements.map(\.id) == [0])
        #expect(recorder.nanoseconds == [5])
        second.publish(Item(1, at: 5))
        advance(to: 100)
        first.finish()
        second.finish()
        #expect(recorder.elements.count == 1)
    }

    @Test func watermarksRemoveElements() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let forbidden = EventChannel<Item<Three>>()
        let alone = first.unless(second, within: .nanoseconds(1), limit: 8)
        let pairs = without(forbidden, between: first, and: second, within: .nanoseconds(3), limit: 8)
        let silences = first.absent(for: .nanoseconds(2), limit: 8)
        let loners = Recorder(alone)
        let found = Recorder(pairs)
        let quiet = Recorder(silences)
        for time in 0..<1000 as Range<Int64> {
            first.publish(Item(Int(time), at: time))
            second.publish(Item(Int(time), at: time))
            forbidden.publish(Item(Int(time), at: time))
            if time % 4 == 0 {
                first.advance(to: Timestamp(nanosecondsSinceEpoch: time))
                second.advance(to: Timestamp(nanosecondsSinceEpoch: time))
                forbidden.advance(to: Timestamp(nanosecondsSinceEpoch: time))
            }
        }
        first.finish()
        second.finish()
        forbidden.finish()
        #expect(alone.dropped.count == 0 && pairs.dropped.count == 0 && silences.dropped.count == 0)
        #expect(loners.elements.count == 1000)
        #expect(found.elements.count == 999)
        #expect(quiet.elements.isEmpty)
    }

    @Test func aFailureLeavesUnlessUndecided() {
        let first = EventChannel<Item<One>>()
        let second = EventChannel<Item<Two>>()
        let alone = first.unless(second, within: .nanoseconds(10), limit: 2)
        let recorder = Recorder(alone)
        for id in 0..<3 { first.publish(Item(id, at: Int64(id))) }
        #expect(alone.dropped.count == 1)
        second.finish(.failed(ChannelError.overflow(capacity: 1)))
        #expect(recorder.elements.isEmpty && recorder.isFinished)
        #expect(alone.dropped.count == 3)
    }

    @Test func withoutAgreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 3)
            let duration = Int64(seed % 10) + 1
            let forbidden = EventChannel<Item<Three>>()
            let first = EventChannel<Item<One>>()
            let second = EventChannel<Item<Two>>()
            let pairs = without(forbidden, between: first, and: second, within: .nanoseconds(duration))
            let reuses = Recorder(pairs)
            let consumes = Recorder(
                without(forbidden, between: first, and: second, within: .nanoseconds(duration), consumption: .consume)
            )
            script.play(seed: seed, into: Inlet(first), Inlet(second), Inlet(forbidden))

            let bans = script.accepted.filter { $0.input == 2 }.map(\.time)
            let isPair: ([Arrival]) -> Bool = { pair in
                pair[0].time < pair[1].time && pair[1].time - pair[0].time < duration
                    && !bans.contains { $0 > pair[0].time && $0 < pair[1].time }
            }
            let every = combinations(of: script.accepted, inputs: 2, where: isPair)
                .sorted { ($0[1].time, $0[1].id, $0[0].time, $0[0].id) < ($1[1].time, $1[1].id, $1[0].time, $1[0].id) }
            #expect(reuses.elements.map { [$0.0.id, $0.1.id] } == every.map { $0.map(\.id) }, "seed \(seed)")
            #expect(reuses.nanoseconds == every.map { $0[1].time }, "seed \(seed)")
            #expect(reuses.isLawful && reuses.isFinal(reaching: false), "seed \(seed)")
            #expect(pairs.late.count == script.late.count, "seed \(seed)")

            let once = consumed(script.accepted.filter { $0.input < 2 }, inputs: 2, where: isPair)
            #expect(consumes.elements.map { [$0.0.id, $0.1.id] } == once.map { $0.map(\.id) }, "seed \(seed)")
            #expect(consumes.isLawful && consumes.isFinal(reaching: false), "seed \(seed)")
        }
    }

    @Test func absentAgreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            let script = Script(seed: seed, inputs: 1)
            let duration = Int64(seed % 8) + 1
            let start = seed % 3 == 0 ? Int64(seed % 17) - 10 : nil
            let channel = EventChannel<Item<One>>()
            let silences = channel.absent(
                for: .nanoseconds(duration),
                from: start.map { Timestamp(nanosecondsSinceEpoch: $0) }
            )
            let recorder = Recorder(silences)
            script.play(seed: seed, into: Inlet(channel), finishing: false)
            var watermark = Int64.min
            for case .watermark(let time) in recorder.signals { watermark = time.nanosecondsSinceEpoch }
            channel.finish()

            // Sorted, with one element per time: the last to arrive.
            var points: [(time: Int64, id: Int?)] = start.map { [($0, nil)] } ?? []
            for arrival in script.accepted.sorted(by: { ($0.time, $0.id) < ($1.time, $1.id) })
            where arrival.time >= start ?? .min {
                if points.last?.time == arrival.time { points.removeLast() }
                points.append((arrival.time, arrival.id))
            }
            var expected: [(time: Int64, id: Int?)] = []
            for (index, point) in points.enumerated() {
                let end = index + 1 < points.count ? points[index + 1].time : watermark
                if end >= point.time, end - point.time >= duration { expected.append(point) }
            }
            #expect(recorder.elements.map(\.last?.id) == expected.map(\.id), "seed \(seed)")
            #expect(recorder.elements.map(\.since.nanosecondsSinceEpoch) == expected.map(\.time), "seed \(seed)")
            #expect(recorder.nanoseconds == expected.map { $0.time + duration }, "seed \(seed)")
            #expect(recorder.isLawful, "seed \(seed)")
            #expect(silences.late.count == script.late.count, "seed \(seed)")
        }
    }

    @Test func absentFiresExactlyAtTheDeadlineOncePerSilence() {
        let channel = EventChannel<Item<One>>()
        let recorder = Recorder(channel.absent(for: .nanoseconds(10)))
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: -100))
        channel.publish(Item(0, at: -15))
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: -6))
        #expect(recorder.elements.isEmpty)
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: -5))
        #expect(recorder.nanoseconds == [-5])
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 100))
        #expect(recorder.elements.count == 1)
        channel.publish(Item(1, at: 100))
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 200))
        #expect(recorder.nanoseconds == [-5, 110])
    }

    @Test func absentRemembersFewElements() {
        let channel = EventChannel<Item<One>>()
        let silences = channel.absent(for: .nanoseconds(10), limit: 2)
        let recorder = Recorder(silences)
        for time in 0..<1000 { channel.publish(Item(time, at: Int64(time % 10))) }
        #expect(silences.dropped.count == 0)
        channel.publish(Item(1000, at: 100))
        channel.publish(Item(1001, at: 200))
        #expect(silences.dropped.count == 2)
        channel.finish()
        #expect(recorder.elements.map(\.last?.id) == [1000])
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Item<One>>().absent(for: .zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Item<One>>().absent(for: .seconds(1), limit: 1) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Item<One>>().unless(EventChannel<Item<Two>>(), within: .seconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Item<One>>()
            _ = without(channel, between: channel, and: channel, within: .zero)
        }
    }
}
