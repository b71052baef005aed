import Testing
import WeirCore
import WeirFlow
import WeirTesting

@Suite struct MergeTests {
    /// The documented behaviour, over a list.
    private func reference(_ arrivals: [Arrival], inputs: Int, limit: Int) -> Outcome<Keyed> {
        var outcome = Outcome<Keyed>()
        var waiting: [(input: Int, element: Keyed)] = []
        var watermark = Timestamp.distantPast
        func release(_ isDue: (Timestamp) -> Bool) {
            let due = waiting.enumerated().filter { isDue($0.element.element.timestamp) }
                .sorted {
                    ($0.element.element.timestamp, $0.element.input, $0.offset)
                        < ($1.element.element.timestamp, $1.element.input, $1.offset)
                }
            for (_, entry) in due { outcome.emit(entry.element, entry.element.timestamp) }
            waiting.removeAll { isDue($0.element.timestamp) }
        }
        func forward(_ mark: Timestamp) {
            guard mark > watermark else { return }
            watermark = mark
            outcome.signals.append(.watermark(mark))
        }
        for event in ReferenceJunction.events(arrivals, inputs: inputs) {
            switch event {
            case .element(let input, let element):
                if element.timestamp >= watermark, waiting.count == limit,
                    let oldest = waiting.map(\.element.timestamp).min()
                {
                    release { $0 == oldest }
                    forward(oldest)
                }
                if element.timestamp < watermark {
                    outcome.aside.append(element)
                } else {
                    waiting.append((input, element))
                }
            case .watermark(let mark):
                if mark > watermark { release { $0 < mark } }
                forward(mark)
            case .completion(let completion):
                if case .finished = completion { release { _ in true } }
                outcome.signals.append(.completion(completion))
            }
        }
        return outcome
    }

    @Test(arguments: [1, 3, 100])
    func mergeOfTwo(limit: Int) {
        compare(inputs: 2, rounds: 4_000) {
            $0[0].merge($0[1], limit: limit)
        } aside: {
            $0.late
        } with: {
            reference($0, inputs: 2, limit: limit)
        }
    }

    @Test(arguments: [1, 4, 100])
    func mergeOfMany(limit: Int) {
        compare(inputs: 3, rounds: 4_000) {
            $0.merged(limit: limit)
        } aside: {
            $0.late
        } with: {
            reference($0, inputs: 3, limit: limit)
        }
        let none = Recorder([EventChannel<Keyed>]().merged())
        #expect(none.signals == [.completion(.finished)])
    }

    @Test func priorityDecidesAtEqualTimes() {
        let (high, low) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let recorder = Recorder(high.merge(low))
        low.publish(Keyed(timestamp: milliseconds(1), key: 1, value: 0))
        low.advance(to: milliseconds(5))
        high.publish(Keyed(timestamp: milliseconds(1), key: 0, value: 0))
        #expect(recorder.elements.isEmpty)
        high.advance(to: milliseconds(1))
        #expect(recorder.elements.isEmpty)
        high.advance(to: milliseconds(2))
        #expect(recorder.elements.map(\.key) == [0, 1])
    }

    @Test func takeUntilAnotherStreamSpeaks() {
        compare(inputs: 2) {
            $0[0].take(until: $0[1])
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var watermark = Timestamp.distantPast
            for arrival in arrivals {
                switch (arrival.input, arrival.signal) {
                case (_, .completion(let completion)) where !completion.isFinished:
                    outcome.signals.append(.completion(completion))
                    return outcome
                case (1, .element), (0, .completion):
                    outcome.signals.append(.completion(.finished))
                    return outcome
                case (0, .watermark(let mark)):
                    if mark > watermark { outcome.signals.append(arrival.signal) }
                    watermark = max(watermark, mark)
                case (0, _): outcome.signals.append(arrival.signal)
                default: break
                }
            }
            return outcome
        }
    }

    @Test func enrichFromATableThatNeverChanges() {
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(channel.enrich(with: [1: "one"], by: \.key))
        for key in 0...1 { channel.publish(Keyed(timestamp: milliseconds(3), key: key, value: 0)) }
        channel.advance(to: milliseconds(4))
        channel.finish()
        #expect(recorder.elements.map(\.1) == [nil, "one"])
        #expect(recorder.elements.map(\.0.key) == [0, 1])
        #expect(recorder.times == [milliseconds(3), milliseconds(3)])
        #expect(recorder.signals.count == 4)
    }

    @Test func badLimitsTrap() async {
        await #expect(processExitsWith: .failure) { _ = [EventChannel<Keyed>()].merged(limit: 0) }
    }
}
