import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

/// What a reference of two inputs is told.
private enum Meeting {
    case element(Int, Keyed)
    case watermark(Timestamp)
    case inputEnd(Int)
    case completion(Completion)

    /// Plays signals of two inputs, and tells of the earlier of their watermarks.
    ///
    /// - Parameters:
    ///   - arrivals: The signals.
    ///   - body: Returns whether the stream is over.
    static func play(_ arrivals: [Arrival], _ body: (Meeting) -> Bool) {
        var marks = [Timestamp.distantPast, .distantPast]
        var watermark = Timestamp.distantPast
        for arrival in arrivals {
            switch arrival.signal {
            case .element(let element, _):
                if body(.element(arrival.input, element)) { return }
                continue
            case .watermark(let mark): marks[arrival.input] = mark
            case .completion(.finished):
                if body(.inputEnd(arrival.input)) { return }
                marks[arrival.input] = .distantFuture
                if marks == [.distantFuture, .distantFuture] {
                    _ = body(.completion(.finished))
                    return
                }
            case .completion(let completion):
                _ = body(.completion(completion))
                return
            }
            guard let earliest = marks.min(), earliest > watermark else { continue }
            watermark = earliest
            if body(.watermark(earliest)) { return }
        }
    }
}

@Suite struct SeveralStreamsTests {
    /// Gathers elements of input 0 until input 1 has one.
    private func gathered<Value: Equatable & Sendable>(
        _ arrivals: [Arrival],
        limit: Int,
        _ value: ([Keyed]) -> Value,
        time: ([Keyed]) -> Timestamp
    ) -> Outcome<Value> {
        var outcome = Outcome<Value>()
        var members: [Keyed] = []
        var watermark = Timestamp.distantPast
        func emit(_ now: Timestamp) {
            if !members.isEmpty { outcome.emit(value(members), max(now, time(members))) }
            members = []
        }
        Meeting.play(arrivals) { event in
            switch event {
            case .element(0, let element):
                if members.count < limit { members.append(element) } else { outcome.aside.append(element) }
            case .element(_, let element): emit(element.timestamp)
            case .watermark(let mark):
                watermark = mark
                outcome.signals.append(.watermark(mark))
            case .inputEnd:
                emit(watermark)
                outcome.signals.append(.completion(.finished))
                return true
            case .completion(let completion): outcome.signals.append(.completion(completion))
            }
            return false
        }
        return outcome
    }

    @Test func sampleBy() {
        compare(inputs: 2, rounds: 3_000) {
            $0[0].sample(by: $0[1])
        } with: {
            gathered($0, limit: .max, { $0[$0.count - 1] }, time: { $0[$0.count - 1].timestamp })
        }
    }

    @Test(arguments: [1, 3, 100])
    func bufferBy(limit: Int) {
        compare(inputs: 2, rounds: 2_000) {
            $0[0].buffer(by: $0[1], limit: limit)
        } aside: {
            $0.refused
        } with: {
            gathered($0, limit: limit, { $0 }, time: { $0.map(\.timestamp).max() ?? .epoch })
        }
    }

    @Test func dropUntil() {
        compare(inputs: 2, rounds: 3_000) {
            $0[0].dropUntil($0[1])
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var isOpen = false
            for arrival in arrivals {
                switch (arrival.input, arrival.signal) {
                case (1, .element): isOpen = true
                case (0, .element): if isOpen { outcome.signals.append(arrival.signal) }
                case (1, .completion(.finished)), (1, .watermark): break
                case (1, .completion):
                    if isOpen { continue }
                    outcome.signals.append(arrival.signal)
                    return outcome
                case (_, .completion):
                    outcome.signals.append(arrival.signal)
                    return outcome
                default: outcome.signals.append(arrival.signal)
                }
            }
            return outcome
        }
    }

    @Test(arguments: [1, 3, 100])
    func elementsEqual(limit: Int) {
        compare(inputs: 2, rounds: 3_000) {
            $0[0].map { $0.value / 9 }.elementsEqual($0[1].map { $0.value / 9 }, limit: limit)
        } with: { arrivals in
            var outcome = Outcome<Bool>()
            var lists: [[Int]] = [[], []]
            var isOver = [false, false]
            var latest = Timestamp.distantPast
            func answer(_ areEqual: Bool) -> Bool {
                outcome.emit(areEqual, latest)
                outcome.signals.append(.completion(.finished))
                return true
            }
            /// What is known by now.
            func judge() -> Bool {
                let (left, right) = (lists[0], lists[1])
                if Swift.zip(left, right).contains(where: { $0 != $1 }) { return answer(false) }
                if isOver[0], right.count > left.count { return answer(false) }
                if isOver[1], left.count > right.count { return answer(false) }
                if isOver == [true, true] { return answer(true) }
                guard abs(left.count - right.count) > limit else { return false }
                outcome.signals.append(.completion(.failed(FlowError.overflow(limit: limit))))
                return true
            }
            Meeting.play(arrivals) { event in
                switch event {
                case .element(let input, let element):
                    latest = max(latest, element.timestamp)
                    lists[input].append(element.value / 9)
                    return judge()
                case .watermark(let mark):
                    latest = max(latest, mark)
                    outcome.signals.append(.watermark(mark))
                case .inputEnd(let input):
                    isOver[input] = true
                    return judge()
                case .completion(let completion): outcome.signals.append(.completion(completion))
                }
                return false
            }
            return outcome
        }
    }

    @Test func races() {
        func expected(_ arrivals: [Arrival]) -> Outcome<Keyed> {
            var outcome = Outcome<Keyed>()
            var winner: Int?
            var marks: [Int: Timestamp] = [:]
            for arrival in arrivals {
                if winner == nil {
                    if case .watermark(let mark) = arrival.signal {
                        marks[arrival.input] = mark
                        continue
                    }
                    winner = arrival.input
                    if let mark = marks[arrival.input] { outcome.signals.append(.watermark(mark)) }
                }
                if arrival.input == winner { outcome.signals.append(arrival.signal) }
            }
            return outcome
        }
        compare(inputs: 2, rounds: 3_000, { $0[0].race(with: $0[1]) }, with: expected)
        compare(inputs: 3, rounds: 3_000, { $0.race() }, with: expected)
    }

    @Test func noStreamsRaceToTheEnd() {
        #expect(Recorder([EventChannel<Keyed>]().race()).signals == [.completion(.finished)])
    }

    @Test func losersAreDetached() {
        let (first, second) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let detached = Locked(0)
        let note: @Sendable () -> Void = { detached.withLock { $0 += 1 } }
        let subscription = first.tap(onDetach: note).race(with: second.tap(onDetach: note)).subscribe { _ in }
        second.publish(Keyed(timestamp: .epoch, key: 1, value: 1))
        #expect(detached.withLock { $0 } == 1)
        subscription.cancel()
        #expect(detached.withLock { $0 } == 2)
    }

    @Test func sharedStreamsReplayTheirLastElements() {
        let channel = EventChannel<Keyed>()
        let shared = channel.map(\.value).share(replaying: 2)
        let first = Recorder(shared)
        for value in 1...3 { channel.publish(Keyed(timestamp: milliseconds(Int64(value)), key: 0, value: value)) }
        channel.advance(to: milliseconds(3))
        let second = Recorder(shared)
        channel.finish()
        let third = Recorder(shared)
        let last: [StreamSignal<Int>] = [.element(2, milliseconds(2)), .element(3, milliseconds(3))]
        #expect(first.elements == [1, 2, 3])
        #expect(second.signals == last + [.watermark(milliseconds(3)), .completion(.finished)])
        #expect(third.signals == last + [.completion(.finished)])
    }
}
