import TestStreams
import Testing
import WeirCore
import WeirFlow
import WeirTesting

@Suite struct OrderedTests {
    /// The operator as its documentation puts it, over a sorted list.
    private func reference(_ arrivals: [Arrival], delay: Int64, limit: Int) -> Outcome<Keyed> {
        var outcome = Outcome<Keyed>()
        var waiting: [Keyed] = []
        var watermark = Timestamp.distantPast
        var latest = Timestamp.distantPast
        let step = max(1, delay / 8)
        func floor(_ time: Timestamp) -> Int64 {
            Int64((Double(time.nanosecondsSinceEpoch) / Double(step)).rounded(.down))
        }
        func advance(_ mark: Timestamp) {
            guard mark > watermark else { return }
            let due = waiting.enumerated().filter { $0.element.timestamp <= mark }
                .sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }
            for (_, element) in due { outcome.emit(element, element.timestamp) }
            waiting.removeAll { $0.timestamp <= mark }
            watermark = mark
            outcome.signals.append(.watermark(mark))
        }
        for arrival in arrivals {
            switch arrival.signal {
            case .element(let element, let time):
                if time > latest {
                    latest = time
                    advance(Timestamp(nanosecondsSinceEpoch: floor(time - .nanoseconds(delay)) * step))
                }
                if time > watermark, waiting.count == limit, let oldest = waiting.map(\.timestamp).min() {
                    advance(waiting.map(\.timestamp).filter { floor($0) == floor(oldest) }.max() ?? oldest)
                }
                if time < watermark {
                    outcome.aside.append(element)
                } else if time == watermark {
                    outcome.emit(element, time)
                } else {
                    waiting.append(element)
                }
            case .watermark(let mark): advance(mark)
            case .completion(let completion):
                if case .finished = completion {
                    advance(.distantFuture)
                    if outcome.signals.last == .watermark(.distantFuture) { outcome.signals.removeLast() }
                }
                outcome.signals.append(.completion(completion))
            }
        }
        return outcome
    }

    @Test(arguments: [0, 1, 7, 15, 1_000_000, 2_000_000, 3_500_000, 20_000_000] as [Int64], [1, 3, 100])
    func agreesWithASortedList(delay: Int64, limit: Int) {
        compare(rounds: 2_000) {
            $0[0].ordered(within: .nanoseconds(delay), limit: limit)
        } aside: {
            $0.late
        } with: {
            reference($0, delay: delay, limit: limit)
        }
    }

    @Test func nothingWithinTheDelayIsLate() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let channel = EventChannel<Keyed>()
            let ordered = channel.ordered(within: .milliseconds(10), limit: 1_000)
            let recorder = Recorder(ordered)
            let events = (0..<30).map { index in
                Keyed(
                    timestamp: milliseconds(Int64(index) - .random(in: 0...10, using: &generator)),
                    key: 0,
                    value: index
                )
            }
            channel.publish(contentsOf: events)
            channel.finish()
            #expect(ordered.late.count == 0, "seed \(seed)")
            let sorted = events.sorted { ($0.timestamp, $0.value) < ($1.timestamp, $1.value) }
            #expect(recorder.elements == sorted, "seed \(seed)")
        }
    }

    @Test func worksAtTheEndsOfTime() {
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(channel.ordered(within: .seconds(1)))
        for nanoseconds in [Int64.min, .min + 5, .min + 2, .max - 1, .max] {
            channel.publish(Keyed(timestamp: Timestamp(nanosecondsSinceEpoch: nanoseconds), key: 0, value: 0))
        }
        channel.advance(to: .distantFuture)
        channel.finish()
        let expected = [Int64.min, .min + 2, .min + 5, .max - 1, .max].map { Timestamp(nanosecondsSinceEpoch: $0) }
        #expect(recorder.times == expected)
    }
}
