import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

extension [Arrival] {
    /// The watermark that was in force at each signal.
    var watermarksBefore: [Timestamp] {
        var current = Timestamp.distantPast
        return map { arrival in
            defer { if case .watermark(let mark) = arrival.signal { current = mark } }
            return current
        }
    }
}

@Suite struct SingleInputTests {
    @Test(arguments: [1, 2, 5] as [Int64])
    func distinctWithinADuration(duration: Int64) {
        compare {
            $0[0].distinct(by: \.key, within: .milliseconds(duration))
        } aside: {
            $0.late
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var passed: [Int: Timestamp] = [:]
            for (arrival, watermark) in Swift.zip(arrivals, arrivals.watermarksBefore) {
                guard case .element(let element, let time) = arrival.signal else {
                    outcome.signals.append(arrival.signal)
                    continue
                }
                if time < watermark {
                    outcome.aside.append(element)
                } else if let last = passed[element.key], abs((time - last).wholeNanoseconds) < duration * 1_000_000 {
                    continue
                } else {
                    passed[element.key] = max(passed[element.key] ?? time, time)
                    outcome.emit(element, time)
                }
            }
            return outcome
        }
    }

    @Test(arguments: [1, 2, 3])
    func distinctWithinTheLast(count: Int) {
        compare {
            $0[0].distinct(by: \.value, last: count)
        } aside: {
            $0.late
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var passed: [Int] = []
            for arrival in arrivals {
                if case .element(let element, _) = arrival.signal {
                    if passed.suffix(count).contains(element.value) { continue }
                    passed.append(element.value)
                }
                outcome.signals.append(arrival.signal)
            }
            return outcome
        }
    }

    /// What repeats within the duration for ever leaves no more behind than the keys there are.
    @Test func distinctForgetsTheOldestKeyAtTheLimit() {
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(channel.distinct(by: \.key, within: .seconds(1), limit: 2))
        for (second, key) in [(0, 1), (0, 2), (2, 1), (2, 3), (2, 2), (2, 1), (2, 3)] as [(Int64, Int)] {
            channel.publish(Keyed(timestamp: Timestamp(secondsSinceEpoch: second), key: key, value: 0))
        }
        // At 3, key 2 is the oldest; at 2, key 1 is; and so on.
        #expect(recorder.elements.map(\.key) == [1, 2, 1, 3, 2, 1, 3])
    }

    @Test func partitionPutsEveryElementIntoOnePart() {
        for side in [true, false] {
            compare { channels in
                let parts = channels[0].partition { $0.value > 4 }
                return side ? parts.matching : parts.others
            } with: { arrivals in
                Outcome(
                    signals: arrivals.map(\.signal).filter { signal in
                        guard case .element(let element, _) = signal else { return true }
                        return (element.value > 4) == side
                    }
                )
            }
        }
    }

    @Test func shareChangesNothing() {
        compare {
            $0[0].share()
        } with: {
            Outcome(signals: $0.map(\.signal))
        }
    }

    @Test func aDuplicateRunsTheStreamOnce() {
        let channel = EventChannel<Keyed>()
        let runs = Locked(0)
        let (left, right) = channel.tap { _ in runs.withLock { $0 += 1 } }.duplicate()
        let recorders = [Recorder(left), Recorder(right), Recorder(left)]
        channel.publish(Keyed(timestamp: .epoch, key: 0, value: 1))
        channel.finish()
        for recorder in recorders {
            #expect(recorder.elements.map(\.value) == [1])
            #expect(recorder.isFinished)
        }
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func shareRunsTheStreamOnceForAllSinks() {
        let channel = EventChannel<Keyed>()
        let shared = channel.distinct(by: \.value, last: 1).share()
        let first = Recorder(shared)
        channel.publish(Keyed(timestamp: .epoch, key: 0, value: 1))
        let second = Recorder<Keyed>()
        let subscription = shared.attach(second.sink)
        channel.publish(Keyed(timestamp: .epoch, key: 0, value: 1))
        channel.publish(Keyed(timestamp: .epoch, key: 0, value: 2))
        subscription.cancel()
        channel.publish(Keyed(timestamp: .epoch, key: 0, value: 3))
        channel.finish()
        #expect(first.elements.map(\.value) == [1, 2, 3])
        #expect(second.elements.map(\.value) == [2])
        #expect(!second.isFinished)
        #expect(Recorder(shared).isFinished)
    }

    @Test func concatGoesOnWithTheNextStream() {
        compare(inputs: 2) {
            $0[0].concat($0[1])
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var current = 0
            var watermark = Timestamp.distantPast
            // A channel tells those who come late how far it is, or how it ended.
            var secondMark = Timestamp.distantPast
            var secondEnd: StreamSignal<Keyed>?
            for arrival in arrivals {
                if arrival.input == 1, current == 0 {
                    if case .completion = arrival.signal { secondEnd = arrival.signal }
                    if case .watermark(let mark) = arrival.signal { secondMark = mark }
                }
                guard arrival.input == current else { continue }
                switch arrival.signal {
                case .watermark(let mark) where mark <= watermark: break
                case .completion(.finished) where current == 0:
                    current = 1
                    if let secondEnd { return Outcome(signals: outcome.signals + [secondEnd]) }
                    guard secondMark > watermark else { continue }
                    watermark = secondMark
                    outcome.signals.append(.watermark(secondMark))
                case .completion: return Outcome(signals: outcome.signals + [arrival.signal])
                case .watermark(let mark):
                    watermark = mark
                    outcome.signals.append(arrival.signal)
                case .element: outcome.signals.append(arrival.signal)
                }
            }
            return outcome
        }
    }

    @Test func cancellingAConcatStopsTheStreamThatRuns() {
        let channels = [EventChannel<Keyed>(), EventChannel<Keyed>()]
        let recorder = Recorder<Keyed>()
        let subscription = channels[0].concat(channels[1]).attach(recorder.sink)
        channels[0].finish()
        subscription.cancel()
        channels[1].publish(Keyed(timestamp: .epoch, key: 0, value: 0))
        #expect(recorder.signals.isEmpty)
    }
}
