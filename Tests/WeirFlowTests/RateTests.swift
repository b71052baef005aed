import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

@Suite struct RateTests {
    /// A reference that gets the signals one by one, with everything before them.
    private func reference<Element: Equatable & Sendable>(
        _ arrivals: [Arrival],
        _ handle: (StreamSignal<Keyed>, inout Outcome<Element>) -> Bool
    ) -> Outcome<Element> {
        var outcome = Outcome<Element>()
        for arrival in arrivals where !handle(arrival.signal, &outcome) { break }
        return outcome
    }

    private func pass<Element>(_ signal: StreamSignal<Keyed>) -> StreamSignal<Element>? {
        switch signal {
        case .element: nil
        case .watermark(let watermark): .watermark(watermark)
        case .completion(let completion): .completion(completion)
        }
    }

    @Test(arguments: [1, 3] as [Int64])
    func throttle(duration: Int64) {
        compare {
            $0[0].throttle(for: .milliseconds(duration))
        } with: { arrivals in
            var last: Timestamp?
            return reference(arrivals) { signal, outcome in
                if case .element(_, let time) = signal {
                    if let last, time < last + .milliseconds(duration) { return true }
                    last = time
                }
                outcome.signals.append(signal)
                return true
            }
        }
    }

    @Test(arguments: [1, 3] as [Int64])
    func debounce(duration: Int64) {
        compare {
            $0[0].debounce(for: .milliseconds(duration))
        } aside: {
            $0.late
        } with: { arrivals in
            var held: Keyed?
            var newest = Timestamp.distantPast
            return reference(arrivals) { signal, outcome in
                func emit(by time: Timestamp?) {
                    guard let last = held else { return }
                    let due = last.timestamp + .milliseconds(duration)
                    if let time, time < due { return }
                    outcome.emit(last, due)
                    held = nil
                }
                switch signal {
                case .element(let element, let time):
                    if time < newest {
                        outcome.aside.append(element)
                        return true
                    }
                    emit(by: time)
                    (held, newest) = (element, time)
                    return true
                case .watermark(let watermark):
                    emit(by: watermark)
                    newest = max(newest, watermark)
                case .completion(.finished): emit(by: nil)
                case .completion: break
                }
                outcome.signals.append(signal)
                return true
            }
        }
    }

    @Test(arguments: [1, 3, 5] as [Int64])
    func conflateSampleAndBuffer(interval: Int64) {
        let length = interval * 1_000_000
        func gathered(_ arrivals: [Arrival]) -> Outcome<[Keyed]> {
            var current: (number: Int, elements: [Keyed])?
            var reached = Int.min
            func number(_ time: Timestamp) -> Int {
                Int((Double(time.nanosecondsSinceEpoch) / Double(length)).rounded(.down))
            }
            return reference(arrivals) { signal, outcome in
                func close() {
                    guard let closing = current else { return }
                    outcome.emit(
                        closing.elements,
                        Timestamp(nanosecondsSinceEpoch: Int64(closing.number + 1) * length)
                    )
                    current = nil
                }
                func reach(_ time: Timestamp) {
                    guard number(time) > reached else { return }
                    close()
                    reached = number(time)
                }
                switch signal {
                case .element(let element, let time):
                    guard number(time) >= reached else {
                        outcome.aside.append(element)
                        return true
                    }
                    reach(time)
                    current = (reached, (current?.elements ?? []) + [element])
                    return true
                case .watermark(let watermark): reach(watermark)
                case .completion(.finished): close()
                case .completion: break
                }
                if let signal: StreamSignal<[Keyed]> = pass(signal) { outcome.signals.append(signal) }
                return true
            }
        }
        func mapped<Value>(_ arrivals: [Arrival], _ transform: ([Keyed]) -> Value) -> Outcome<Value> {
            let all = gathered(arrivals)
            return Outcome(
                signals: all.signals.map { signal in
                    switch signal {
                    case .element(let elements, let time): .element(transform(elements), time)
                    case .watermark(let watermark): .watermark(watermark)
                    case .completion(let completion): .completion(completion)
                    }
                },
                aside: all.aside
            )
        }
        compare(rounds: 4_000, { $0[0].buffer(every: .milliseconds(interval)) }, aside: { $0.late }, with: gathered)
        compare(rounds: 4_000) {
            $0[0].buffer(every: .milliseconds(interval), limit: 2)
        } aside: {
            $0.late
        } with: { arrivals in
            let all = gathered(arrivals)
            return Outcome(
                signals: all.signals.map { signal in
                    guard case .element(let elements, let time) = signal else { return signal }
                    return .element(Array(elements.prefix(2)), time)
                },
                aside: all.aside
            )
        }
        compare(rounds: 4_000) {
            $0[0].sample(every: .milliseconds(interval))
        } aside: {
            $0.late
        } with: { arrivals in
            mapped(arrivals) { $0[$0.count - 1] }
        }
        compare(rounds: 4_000) {
            $0[0].conflate(every: .milliseconds(interval), { $0.value }, { $0 += $1.value })
        } aside: {
            $0.late
        } with: { arrivals in
            mapped(arrivals) { $0.reduce(0) { $0 + $1.value } }
        }
    }

    /// The bucket, token by token, for rates whose spacing is whole milliseconds.
    @Test(arguments: [1, 2, 4] as [Int64], [1, 2, 3])
    func limit(spacing: Int64, burst: Int) {
        compare(rounds: 4_000) {
            $0[0].limit(1, per: .milliseconds(spacing), burst: burst)
        } aside: {
            $0.refused
        } with: { arrivals in
            var tokens = Double(burst)
            var latest: Int64?
            return reference(arrivals) { signal, outcome in
                if case .element(let element, let time) = signal {
                    let now = time.nanosecondsSinceEpoch / 1_000_000
                    let before = latest ?? now
                    // An older element would have needed the token when there were fewer.
                    let gained = Double(now - before) / Double(spacing)
                    let available = min(Double(burst), tokens + gained)
                    guard available > 0.999_999 else {
                        outcome.aside.append(element)
                        return true
                    }
                    if now >= before {
                        tokens = available - 1
                        latest = now
                    } else {
                        tokens -= 1
                    }
                }
                outcome.signals.append(signal)
                return true
            }
        }
    }

    @Test(arguments: [-2, 0, 3] as [Int64])
    func delay(duration: Int64) {
        compare {
            $0[0].delay(by: .milliseconds(duration))
        } with: { arrivals in
            Outcome(
                signals: arrivals.map { arrival in
                    switch arrival.signal {
                    case .element(let element, let time): .element(element, time + .milliseconds(duration))
                    case .watermark(let watermark): .watermark(watermark + .milliseconds(duration))
                    case .completion: arrival.signal
                    }
                }
            )
        }
    }

    @Test(arguments: [1, 3, 6] as [Int64])
    func timeout(duration: Int64) {
        let failure = Completion.failed(FlowError.timeout(.milliseconds(duration)))
        compare {
            $0[0].timeout(after: .milliseconds(duration))
        } with: { arrivals in
            var youngest: Timestamp?
            return reference(arrivals) { signal, outcome in
                var now: Timestamp?
                if case .element(_, let time) = signal { now = time }
                if case .watermark(let watermark) = signal { now = watermark }
                if let now, let youngest, now - youngest > .milliseconds(duration) {
                    outcome.signals.append(.completion(failure))
                    return false
                }
                if case .element(_, let time) = signal { youngest = max(youngest ?? time, time) }
                youngest = youngest ?? now
                outcome.signals.append(signal)
                return true
            }
        }
    }

    @Test(arguments: [1, 2, 3])
    func buffer(count: Int) {
        compare {
            $0[0].buffer(count)
        } with: { arrivals in
            var waiting: [Keyed] = []
            var watermark = Timestamp.distantPast
            return reference(arrivals) { signal, outcome in
                func emit() {
                    guard let youngest = waiting.map(\.timestamp).max() else { return }
                    outcome.emit(waiting, max(youngest, watermark))
                    waiting = []
                }
                switch signal {
                case .element(let element, _):
                    waiting.append(element)
                    if waiting.count == count { emit() }
                case .watermark(let mark): watermark = mark
                case .completion(.finished): emit()
                case .completion: break
                }
                if let signal: StreamSignal<[Keyed]> = pass(signal) { outcome.signals.append(signal) }
                return true
            }
        }
    }
}
