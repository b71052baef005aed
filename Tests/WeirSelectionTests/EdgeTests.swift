import TestStreams
import Testing
import WeirCore
import WeirSelection
import WeirTesting

/// What operators add, hold back and leave out at the ends of a stream.
@Suite struct EdgeTests {
    private let extra = [Sample(7, at: 3), Sample(8, at: -2)]

    /// Forwards what `body` says, and watermarks no later than the elements that it holds.
    private func holding(
        _ signals: [StreamSignal<Sample>],
        _ count: Int,
        emitsAtEnd: Bool
    ) -> [StreamSignal<Sample>] {
        var result: [StreamSignal<Sample>] = []
        var held: [(Sample, Timestamp)] = []
        var sent = Timestamp.distantPast
        for signal in signals {
            switch signal {
            case .element(let element, let time):
                held.append((element, time))
                if held.count > count {
                    let oldest = held.removeFirst()
                    if !emitsAtEnd { result.append(.element(oldest.0, oldest.1)) }
                }
            case .watermark(let mark):
                let safe = ([mark] + held.map(\.1)).min() ?? mark
                if safe > sent { result.append(.watermark(safe)) }
                sent = max(sent, safe)
            case .completion(let completion):
                if emitsAtEnd, completion.isFinished { result += held.map { .element($0.0, $0.1) } }
                result.append(signal)
            }
        }
        return result
    }

    @Test(arguments: [1, 2, 3, 50])
    func takeLast(count: Int) {
        Script.compare {
            $0.takeLast(count)
        } with: {
            holding($0, count, emitsAtEnd: true)
        }
    }

    @Test(arguments: [1, 2, 3, 50])
    func dropLast(count: Int) {
        Script.compare {
            $0.dropLast(count)
        } with: {
            holding($0, count, emitsAtEnd: false)
        }
    }

    @Test func prepend() {
        let given = extra.map { StreamSignal.element($0, $0.timestamp) }
        Script.compare {
            $0.prepend(extra) { $0.timestamp }
        } with: {
            $0.isEmpty ? [] : given + $0
        }
        Script.compare {
            $0.prepend(extra[0], extra[1])
        } with: {
            $0.isEmpty ? [] : given + $0
        }
    }

    @Test func append() {
        let given = extra.map { StreamSignal.element($0, $0.timestamp) }
        Script.compare {
            $0.append(extra) { $0.timestamp }
        } with: { signals in
            signals.flatMap { $0.isFinish ? given + [$0] : [$0] }
        }
    }

    @Test func replaceEmpty() {
        let earliest = Timestamp(millisecondsSinceEpoch: 1)
        Script.compare {
            $0.replaceEmpty(with: extra[0], notBefore: earliest)
        } with: { signals in
            guard signals.elementIndices.isEmpty, signals.last?.isFinish == true else { return signals }
            let marks = signals.compactMap { if case .watermark(let mark) = $0 { mark } else { nil } }
            return signals.dropLast() + [
                .element(extra[0], ([earliest] + marks).max() ?? earliest), .completion(.finished),
            ]
        }
    }

    @Test func materialize() {
        Script.compare {
            $0.materialize().map { "\($0)" }
        } with: { signals in
            var latest = Timestamp.distantPast
            return signals.flatMap { signal -> [StreamSignal<String>] in
                switch signal {
                case .element(let element, let time):
                    latest = max(latest, time)
                    return [.element("\(StreamNotification.element(element))", time)]
                case .watermark(let mark):
                    latest = max(latest, mark)
                    return [.watermark(mark)]
                case .completion(let completion):
                    return [
                        .element("\(StreamNotification<Sample>.completion(completion))", latest),
                        .completion(.finished),
                    ]
                }
            }
        }
        Script.compare {
            $0.materialize().dematerialize()
        } with: {
            $0
        }
    }

    @Test func theFirstCompletionAmongTheValuesEnds() {
        let channel = TestChannel<StreamNotification<Int>>()
        let recorder = Recorder(channel.dematerialize())
        channel.send(.element(.element(1), .epoch))
        channel.send(.element(.completion(.interrupted), .epoch))
        channel.send(.element(.element(2), .epoch))
        channel.send(.completion(.finished))
        #expect(recorder.signals == [.element(1, .epoch), .completion(.interrupted)])
    }

    @Test func takeThrough() {
        Script.compare {
            $0.takeThrough { $0.value > 1 }
        } with: { signals in
            let last = signals.firstIndex { ($0.element?.value ?? 0) > 1 }
            return signals.ending(before: last.map { $0 + 1 })
        }
    }

    @Test func tapsTellOfTheLifeOfASubscription() {
        let channel = TestChannel<Int>()
        let notes = Locked<[String]>([])
        @Sendable func note(_ text: String) { notes.withLock { $0.append(text) } }
        let stream = channel.tap(
            onAttach: { note("attached") },
            onElement: { element, _ in note("\(element)") },
            onWatermark: { _ in note("watermark") },
            onCompletion: { note("\($0)") },
            onDetach: { note("detached") }
        )
        let first = stream.subscribe { _ in }
        channel.send(.element(1, .epoch))
        channel.send(.watermark(.epoch))
        first.cancel()
        first.cancel()
        #expect(notes.withLock { $0 } == ["attached", "1", "watermark", "detached"])
        let second = stream.subscribe { _ in }
        channel.send(.completion(.finished))
        second.cancel()
        // A test channel tells a new sink its last watermark.
        #expect(notes.withLock { $0 }.suffix(3) == ["attached", "watermark", "finished"])
        // An operator that has enough detaches.
        let third = TestChannel<Int>()
        third.tap(onDetach: { note("enough") }).first().subscribe { _ in }
        third.send(.element(1, .epoch))
        #expect(notes.withLock { $0 }.last == "enough")
        Script.compare {
            $0.tap(onElement: { _, _ in })
        } with: {
            $0
        }
    }

    @Test func statesAreSaved() {
        func check<Output: EventStream>(
            sourceLocation: SourceLocation = #_sourceLocation,
            _ build: (EventChannel<Labelled>) -> Output
        ) {
            #expect(RestoreTrials.difference(build) == nil, sourceLocation: sourceLocation)
        }
        let given = Labelled(timestamp: .epoch, value: 3)
        for count in [1, 3, 90] {
            check { $0.takeLast(count) }
            check { $0.dropLast(count) }
        }
        check { $0.prepend(given, given) }
        check { $0.append(given).prepend(given) }
        check { $0.filter { $0.value > 9 }.replaceEmpty(with: given) }
        check { $0.materialize() }
        check { $0.materialize().dematerialize().map(\.label) }
        check { $0.takeThrough { $0.value == 4 } }
        check { $0.tap(onElement: { _, _ in }).dropLast(2).takeLast(2) }
    }
}

extension StreamSignal {
    /// Whether the stream has said everything.
    fileprivate var isFinish: Bool {
        if case .completion(.finished) = self { true } else { false }
    }
}
