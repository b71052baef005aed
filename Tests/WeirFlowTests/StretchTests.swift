import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// Operators that go by stretches of time which elements begin.
@Suite struct StretchTests {
    /// Puts elements into stretches that begin with their first one, and emits `value` of those that are over.
    private func stretches<Value: Equatable & Sendable>(
        _ arrivals: [Arrival],
        _ duration: Int64,
        count: Int,
        includingEnd: Bool,
        _ value: ([Keyed]) -> Value
    ) -> Outcome<Value> {
        var outcome = Outcome<Value>()
        var members: [Keyed] = []
        var end = Timestamp.distantPast
        for (arrival, watermark) in Swift.zip(arrivals, arrivals.watermarksBefore) {
            func close(at time: Timestamp) {
                if !members.isEmpty { outcome.emit(value(members), time) }
                members = []
            }
            switch arrival.signal {
            case .element(let element, let time):
                guard time >= watermark else {
                    outcome.aside.append(element)
                    continue
                }
                if includingEnd, time == end, !members.isEmpty {
                    members.append(element)
                    close(at: end)
                    continue
                }
                if time >= end { close(at: end) }
                if members.isEmpty { end = time + .milliseconds(duration) }
                members.append(element)
                if members.count == count { close(at: max(watermark, members.map(\.timestamp).max() ?? watermark)) }
                continue
            case .watermark(let mark): if mark >= end { close(at: end) }
            case .completion(.finished): close(at: end)
            case .completion: break
            }
            outcome.append(arrival.signal)
        }
        return outcome
    }

    @Test(arguments: [1, 2, 5] as [Int64])
    func audit(duration: Int64) {
        compare(rounds: 3_000) {
            $0[0].audit(for: .milliseconds(duration))
        } aside: {
            $0.late
        } with: {
            stretches($0, duration, count: .max, includingEnd: true) { $0[$0.count - 1] }
        }
    }

    @Test(arguments: [1, 2, 5] as [Int64], [1, 2, 4])
    func bufferWithin(duration: Int64, count: Int) {
        compare(rounds: 2_000) {
            $0[0].buffer(count, within: .milliseconds(duration))
        } aside: {
            $0.late
        } with: {
            stretches($0, duration, count: count, includingEnd: false) { $0 }
        }
    }

    @Test(arguments: [1, 3] as [Int64], [nil, 2] as [Int64?])
    func timeoutForTheFirst(first: Int64, next: Int64?) {
        let (first, next) = (Duration.milliseconds(first), next.map { Duration.milliseconds($0) })
        compare(rounds: 2_000) {
            $0[0].timeout(forFirst: first, after: next)
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var times: [Timestamp] = []
            var begin: Timestamp?
            for arrival in arrivals {
                let now: Timestamp? =
                    switch arrival.signal {
                    case .element(_, let time), .watermark(let time): time
                    case .completion: nil
                    }
                let youngest = times.isEmpty ? nil : (times + [begin].compactMap { $0 }).max()
                let deadline = youngest.map { time in next.map { time + $0 } } ?? begin.map { $0 + first }
                if let now, let deadline, now > deadline {
                    let duration = times.isEmpty ? first : next ?? first
                    outcome.signals.append(.completion(.failed(FlowError.timeout(duration))))
                    return outcome
                }
                if case .element(_, let time) = arrival.signal { times.append(time) }
                if case .watermark(let mark) = arrival.signal, begin == nil, times.isEmpty { begin = mark }
                outcome.signals.append(arrival.signal)
            }
            return outcome
        }
    }

    @Test func delayUntil() {
        let start = milliseconds(2)
        compare(rounds: 3_000) {
            $0[0].delay(until: start)
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var last = Timestamp.distantPast
            for arrival in arrivals {
                switch arrival.signal {
                case .element(let element, let time): outcome.emit(element, max(time, start))
                case .watermark(let mark):
                    if max(mark, start) > last { outcome.signals.append(.watermark(max(mark, start))) }
                    last = max(mark, start)
                case .completion: outcome.signals.append(arrival.signal)
                }
            }
            return outcome
        }
    }

    @Test(arguments: [1, 3] as [Int64])
    func timeoutThatSwitches(duration: Int64) {
        let duration = Duration.milliseconds(duration)
        compare(inputs: 2, rounds: 3_000) {
            $0[0].timeout(after: duration, switchingTo: $0[1])
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            // The first watermark counts like an element, unless one came before it.
            var (times, last) = ([Timestamp](), Timestamp.distantPast)
            var (current, otherEnd, otherMark) = (0, Completion?.none, Timestamp.distantPast)
            for arrival in arrivals {
                if arrival.input == 1, case .completion(let completion) = arrival.signal { otherEnd = completion }
                if arrival.input == 1, case .watermark(let mark) = arrival.signal { otherMark = mark }
                guard arrival.input == current else { continue }
                if current == 0 {
                    let now: Timestamp? =
                        switch arrival.signal {
                        case .element(_, let time), .watermark(let time): time
                        case .completion: nil
                        }
                    if let now, let youngest = times.max(), now > youngest + duration {
                        current = 1
                        if let otherEnd {
                            outcome.signals.append(.completion(otherEnd))
                            return outcome
                        }
                        // A channel tells a new sink its last watermark.
                        if otherMark > last {
                            last = otherMark
                            outcome.signals.append(.watermark(otherMark))
                        }
                        continue
                    }
                }
                switch arrival.signal {
                case .element(_, let time): times.append(time)
                case .watermark(let mark):
                    if times.isEmpty { times = [mark] }
                    guard mark > last else { continue }
                    last = mark
                case .completion:
                    outcome.signals.append(arrival.signal)
                    return outcome
                }
                outcome.signals.append(arrival.signal)
            }
            return outcome
        }
    }
}

extension Outcome {
    /// Adds a signal that is no element.
    fileprivate mutating func append(_ signal: StreamSignal<Keyed>) {
        switch signal {
        case .element: break
        case .watermark(let mark): signals.append(.watermark(mark))
        case .completion(let completion): signals.append(.completion(completion))
        }
    }
}
