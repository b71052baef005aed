import TestStreams
import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

extension EventStream where Element == (Keyed, Keyed) {
    /// The pairs as something that can be compared.
    var listed: Map<Self, [Keyed]> { map { [$0.0, $0.1] } }
}

@Suite struct PairingTests {
    @Test func combineLatest() {
        compare(inputs: 2) {
            $0[0].combineLatest($0[1]).listed
        } with: { arrivals in
            var latest: [Keyed?] = [nil, nil]
            return walk(arrivals) { input, element, outcome in
                latest[input] = element
                let pair = latest.compactMap { $0 }
                if pair.count == 2 { outcome.emit(pair, max(pair[0].timestamp, pair[1].timestamp)) }
                return false
            } onInputEnd: {
                latest[$0] == nil
            }
        }
    }

    @Test func withLatest() {
        compare(inputs: 2) {
            $0[0].withLatest(from: $0[1]).listed
        } with: { arrivals in
            var latest: Keyed?
            return walk(arrivals) { input, element, outcome in
                if input == 1 {
                    latest = element
                } else if let latest {
                    outcome.emit([element, latest], element.timestamp)
                }
                return false
            } onInputEnd: {
                $0 == 0
            }
        }
    }

    @Test func withLatestHandsBackWhatCameTooEarly() {
        let (left, right) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let paired = left.withLatest(from: right)
        let early = Locked<[Int]>([])
        paired.refused.subscribeWithTime { element, time in
            #expect(time == element.timestamp)
            early.withLock { $0.append(element.value) }
        }
        let recorder = Recorder(paired)
        for value in 0..<3 { left.publish(Keyed(timestamp: .epoch, key: 0, value: value)) }
        right.publish(Keyed(timestamp: .epoch, key: 0, value: 7))
        left.publish(Keyed(timestamp: .epoch, key: 0, value: 3))
        #expect(early.withLock { $0 } == [0, 1, 2] && paired.refused.count == 3)
        #expect(recorder.elements.map { [$0.0.value, $0.1.value] } == [[3, 7]])
    }

    @Test(arguments: [1, 2, 100], [LimitPolicy.dropNewest, .dropOldest])
    func zip(limit: Int, policy: LimitPolicy) {
        compare(inputs: 2, rounds: 3_000) {
            $0[0].zip($0[1], overflowPolicy: policy, limit: limit).listed
        } with: { arrivals in
            var waiting: [[Keyed]] = [[], []]
            var ended = [false, false]
            return walk(arrivals) { input, element, outcome in
                if waiting[input].count == limit {
                    if policy == .dropNewest { return false }
                    waiting[input].removeFirst()
                }
                waiting[input].append(element)
                guard let left = waiting[0].first, let right = waiting[1].first else { return false }
                outcome.emit([left, right], max(left.timestamp, right.timestamp))
                waiting[0].removeFirst()
                waiting[1].removeFirst()
                return (0...1).contains { ended[$0] && waiting[$0].isEmpty }
            } onInputEnd: { input in
                ended[input] = true
                return waiting[input].isEmpty
            }
        }
    }

    @Test func zipFailsOrCountsWhatFindsNoRoom() {
        let (left, right) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let failing = left.zip(right, limit: 1)
        let recorder = Recorder(failing)
        let dropping = left.zip(right, overflowPolicy: .dropOldest, limit: 1)
        dropping.attach(Recorder<(Keyed, Keyed)>().sink)
        for value in 0...1 { left.publish(Keyed(timestamp: .epoch, key: 0, value: value)) }
        #expect(recorder.isFinished)
        // The one that waited, too.
        #expect(failing.refused.count == 2)
        #expect(dropping.refused.count == 1)
        left.advance(to: .epoch)
        right.publish(Keyed(timestamp: .epoch, key: 0, value: 7))
        right.finish()
        #expect(recorder.elements.isEmpty)
    }

    @Test func zipHandsBackWhatFindsNoPartner() {
        let (left, right) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let zipped = left.zip(right, limit: 9)
        let alone = Locked<[Int]>([])
        zipped.refused.subscribe { element in
            if case .first(let left) = element { alone.withLock { $0.append(left.value) } }
        }
        let recorder = Recorder(zipped)
        for value in 0..<3 { left.publish(Keyed(timestamp: .epoch, key: 0, value: value)) }
        right.publish(Keyed(timestamp: .epoch, key: 0, value: 7))
        right.finish()
        #expect(recorder.isFinished)
        #expect(alone.withLock { $0 } == [1, 2])
    }

    @Test(arguments: [0, 1, 3] as [Int64], [2, 1_000])
    func intervalJoin(distance: Int64, limit: Int) {
        compare(inputs: 2, rounds: 4_000) {
            $0[0].join($0[1], within: .milliseconds(distance), limit: limit, by: \.key, and: \.key).listed
        } with: {
            joined($0, from: -distance, to: distance, limit: limit)
        }
    }

    @Test(arguments: [(0, 3), (1, 4), (-4, -1), (-1, 3), (2, 2)] as [(Int64, Int64)], [2, 1_000])
    func asymmetricJoin(bounds: (Int64, Int64), limit: Int) {
        let (shortest, longest) = bounds
        compare(inputs: 2, rounds: 4_000) {
            $0[0].join(
                $0[1],
                from: .milliseconds(shortest),
                to: .milliseconds(longest),
                limit: limit,
                by: \.key,
                and: \.key
            ).listed
        } with: {
            joined($0, from: shortest, to: longest, limit: limit)
        }
    }

    /// What a join emits whose right elements are younger by some milliseconds.
    private func joined(
        _ arrivals: [Arrival],
        from shortest: Int64,
        to longest: Int64,
        limit: Int
    ) -> Outcome<[Keyed]> {
        var known: [[Keyed]] = [[], []]
        var watermarks = [Timestamp.distantPast, .distantPast]
        var log = arrivals[...]
        // How long an element of either side is remembered.
        let memory = [Duration.milliseconds(longest), .milliseconds(-shortest)]
        // The watermark of both, as of each element.
        return walk(arrivals) { input, element, outcome in
            while let next = log.popFirst() {
                if case .watermark(let mark) = next.signal { watermarks[next.input] = mark }
                if case .completion = next.signal { watermarks[next.input] = .distantFuture }
                if case .element = next.signal { break }
            }
            let watermark = min(watermarks[0], watermarks[1])
            func isForgotten(_ element: Keyed, _ side: Int) -> Bool {
                guard watermark > .distantPast else { return false }
                return watermark == .distantFuture || element.timestamp < watermark - memory[side]
            }
            for side in 0...1 {
                while let first = known[side].first, isForgotten(first, side) { known[side].removeFirst() }
                if known[side].count == limit { known[side].removeAll { isForgotten($0, side) } }
            }
            guard element.timestamp >= watermark else { return false }
            for other in known[1 - input] where other.key == element.key {
                let distance = input == 0 ? other.timestamp - element.timestamp : element.timestamp - other.timestamp
                guard distance >= .milliseconds(shortest), distance <= .milliseconds(longest) else { continue }
                outcome.emit(
                    input == 0 ? [element, other] : [other, element],
                    max(element.timestamp, other.timestamp)
                )
            }
            if known[input].count < limit, !isForgotten(element, input) { known[input].append(element) }
            return false
        } onInputEnd: { _ in
            false
        }
    }

    /// Pairs that the watermark has not passed are remembered, and no longer: of this stream 10 ms, of the other nothing.
    @Test func asymmetricJoinRemembersOneSideOnly() {
        let (left, right) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let join = left.join(right, from: .zero, to: .milliseconds(10), limit: 11, by: \.key, and: \.key)
        let recorder = Recorder(join)
        for time in 0..<1_000 {
            let event = Keyed(timestamp: milliseconds(Int64(time)), key: 0, value: time)
            left.publish(event)
            right.publish(event)
            left.advance(to: milliseconds(Int64(time) + 1))
            right.advance(to: milliseconds(Int64(time) + 1))
        }
        #expect(join.refused.count == 0 && join.late.count == 0)
        #expect(recorder.elements.count == 11 * 1_000 - 55)
    }

    /// No order of arrival and no place of a watermark makes a pair come twice, or not at all.
    @Test func intervalJoinFindsEachPairOnce() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let sides = (0...1).map { side in
                (0..<Int.random(in: 0...6, using: &generator)).map { index in
                    Keyed(
                        timestamp: milliseconds(.random(in: -5...5, using: &generator)),
                        key: .random(in: 0...2, using: &generator),
                        value: side * 100 + index
                    )
                }
            }
            let channels = [EventChannel<Keyed>(), EventChannel<Keyed>()]
            let join = channels[0].join(channels[1], within: .milliseconds(3), by: \.key, and: \.key)
            let recorder = Recorder(join)
            let all = (sides[0].map { (0, $0) } + sides[1].map { (1, $0) }).shuffled(using: &generator)
            for (index, (side, element)) in all.enumerated() {
                channels[side].publish(element)
                let rest = all[(index + 1)...]
                for channel in 0...1 {
                    channels[channel].advance(to: rest.map(\.1.timestamp).min() ?? .distantFuture)
                }
            }
            let pairs = sides[0].flatMap { left in
                sides[1].filter { right in
                    left.key == right.key
                        && abs(left.timestamp.nanosecondsSinceEpoch - right.timestamp.nanosecondsSinceEpoch)
                            <= 3_000_000
                }.map { [left.value, $0.value] }
            }
            let found = recorder.elements.map { [$0.0.value, $0.1.value] }
            #expect(Set(found) == Set(pairs), "seed \(seed)")
            #expect(found.count == pairs.count, "seed \(seed)")
            #expect(join.late.count == 0)
        }
    }

    /// Keys that are met once and not again, so that their numbers are given to others; and some that come back too late.
    @Test func intervalJoinForgetsKeys() {
        let channels = [EventChannel<Keyed>(), EventChannel<Keyed>()]
        let recorder = Recorder(channels[0].join(channels[1], within: .milliseconds(3), by: \.key, and: \.key))
        for key in 0..<2_000 {
            let time = Int64(key)
            channels[0].publish(Keyed(timestamp: milliseconds(time), key: key, value: key))
            channels[1].publish(Keyed(timestamp: milliseconds(time), key: key - 2, value: key))
            channels[1].publish(Keyed(timestamp: milliseconds(time), key: key - 100, value: -1))
            for channel in channels { channel.advance(to: milliseconds(time)) }
        }
        #expect(recorder.elements.map(\.0.value) == Array(0..<1_998))
        #expect(recorder.elements.map(\.1.value) == Array(2..<2_000))
    }

    /// Elements behind one from the far future are removed all the same, so that there is room for further ones.
    @Test(arguments: [8, 20, 100, 1_000])
    func intervalJoinForgetsWhatIsBehindAnElementOfTheFarFuture(limit: Int) {
        let channels = [EventChannel<Keyed>(), EventChannel<Keyed>()]
        let join = channels[0].join(channels[1], within: .milliseconds(3), limit: limit, by: \.key, and: \.key)
        let recorder = Recorder(join)
        for channel in channels { channel.publish(Keyed(timestamp: .distantFuture, key: -1, value: 0)) }
        for index in 0..<5_000 {
            let time = milliseconds(Int64(index))
            channels[0].publish(Keyed(timestamp: time, key: index % 7, value: index))
            channels[1].publish(Keyed(timestamp: time, key: index % 7, value: index))
            for channel in channels { channel.advance(to: time) }
        }
        #expect(join.refused.count == 0)
        #expect(recorder.elements.dropFirst().map(\.0.value) == Array(0..<5_000))
        #expect(recorder.elements.dropFirst().map(\.1.value) == Array(0..<5_000))
    }
}
