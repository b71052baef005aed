import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirTesting

@Suite struct SubjectTests {
    /// What a sink gets that comes after some signals, by the whole list of signals.
    private func compare<S: Subject<Int>>(
        _ make: () -> S,
        expected: ([StreamSignal<Int>], Int) -> [StreamSignal<Int>]
    ) {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            var signals: [StreamSignal<Int>] = (0..<Int.random(in: 0...8, using: &generator)).map { index in
                let time = Timestamp(millisecondsSinceEpoch: .random(in: -3...3, using: &generator))
                return Bool.random(using: &generator) ? .element(index, time) : .watermark(time)
            }
            if Bool.random(using: &generator) {
                signals.append(.completion(Bool.random(using: &generator) ? .finished : .failed(Trouble.some)))
                signals.append(.element(99, .epoch))
            }
            let position = Int.random(in: 0...signals.count, using: &generator)
            let subject = make()
            let recorder = Recorder<Int>()
            for (index, signal) in signals.enumerated() {
                if index == position { subject.attach(recorder.sink) }
                switch signal {
                case .element(let element, let time): subject.send(element, at: time)
                case .watermark(let watermark): subject.advance(to: watermark)
                case .completion(let completion): subject.finish(completion)
                }
            }
            if position == signals.count { subject.attach(recorder.sink) }
            guard recorder.signals != expected(signals, position) else { continue }
            Issue.record("seed \(seed): \(signals) from \(position) gave \(recorder.signals)")
            return
        }
    }

    /// The signals after a position that go through a subject, by their positions.
    private func passing(_ signals: [StreamSignal<Int>]) -> [(index: Int, signal: StreamSignal<Int>)] {
        var watermark = Timestamp.distantPast
        var result: [(index: Int, signal: StreamSignal<Int>)] = []
        for (index, signal) in signals.enumerated() {
            if case .watermark(let mark) = signal {
                guard mark > watermark else { continue }
                watermark = mark
            }
            result.append((index, signal))
            if case .completion = signal { break }
        }
        return result
    }

    private struct Parts {
        var before: [(element: Int, time: Timestamp)] = []
        var watermark: StreamSignal<Int>?
        var completion: StreamSignal<Int>?
        var after: [StreamSignal<Int>] = []

        var replayed: [StreamSignal<Int>] { before.map { .element($0.element, $0.time) } }
    }

    private func parts(_ signals: [StreamSignal<Int>], _ position: Int) -> Parts {
        var parts = Parts()
        for (index, signal) in passing(signals) {
            if index >= position {
                parts.after.append(signal)
                continue
            }
            switch signal {
            case .element(let element, let time): parts.before.append((element, time))
            case .watermark: parts.watermark = signal
            case .completion: parts.completion = signal
            }
        }
        return parts
    }

    @Test func passthrough() {
        compare {
            PassthroughSubject<Int>()
        } expected: { signals, position in
            let parts = parts(signals, position)
            if let completion = parts.completion { return [completion] }
            return [parts.watermark].compactMap { $0 } + parts.after
        }
    }

    @Test(arguments: [1, 2, 3])
    func replay(limit: Int) {
        compare {
            ReplaySubject<Int>(limit: limit)
        } expected: { signals, position in
            let parts = parts(signals, position)
            let start = Array(parts.replayed.suffix(limit))
            if let completion = parts.completion { return start + [completion] }
            return start + [parts.watermark].compactMap { $0 } + parts.after
        }
    }

    @Test func currentValue() {
        compare {
            CurrentValueSubject(-1, at: .epoch)
        } expected: { signals, position in
            let parts = parts(signals, position)
            if let completion = parts.completion { return [completion] }
            let start = parts.replayed.last ?? .element(-1, .epoch)
            return [start] + [parts.watermark].compactMap { $0 } + parts.after
        }
        let subject = CurrentValueSubject(1, at: .epoch)
        #expect(subject.value == 1)
        subject.send(2, at: .epoch)
        subject.finish()
        #expect(subject.value == 2)
    }

    @Test func lastValue() {
        compare {
            LastValueSubject<Int>()
        } expected: { signals, position in
            let parts = parts(signals, position)
            let all = parts.replayed + parts.after
            guard let end = parts.completion ?? all.last, case .completion(let completion) = end else { return [] }
            guard case .finished = completion else { return [end] }
            let last = all.last { if case .element = $0 { true } else { false } }
            return [last].compactMap { $0 } + [end]
        }
    }

    @Test func aSinkMaySendAndCancel() {
        let subject = PassthroughSubject<Sample>()
        let recorder = Recorder(subject)
        let subscriptions = Locked<[Subscription]>([])
        let subscription = subject.subscribe { sample in
            if sample.value < 3 { subject.send(Sample(sample.value + 1, at: 0)) }
            if sample.value == 2 { subscriptions.withLock { $0 }.first?.cancel() }
        }
        subscriptions.withLock { $0.append(subscription) }
        subject.send(Sample(0, at: 0))
        #expect(recorder.elements.map(\.value) == [0, 1, 2, 3])
        subject.send(Sample(0, at: 0))
        #expect(recorder.elements.map(\.value) == [0, 1, 2, 3, 0])
    }
}
