import TestStreams
import Testing
import WeirCore
import WeirSelection
import WeirTesting

@Suite struct EndingTests {
    @Test func whatHasWhatItWantsFinishesAtOnce() {
        let channel = EventChannel<Sample>()
        let recorders = [
            Recorder(channel.take(1)), Recorder(channel.first()), Recorder(channel.element(at: 0)),
            Recorder(channel.take(while: { $0.value < 2 })),
        ]
        channel.publish(contentsOf: [Sample(1, at: 1), Sample(2, at: 2)])
        for recorder in recorders {
            #expect(recorder.elements == [Sample(1, at: 1)])
            #expect(recorder.isFinished)
        }
        channel.publish(Sample(1, at: 3))
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 5))
        channel.finish()
        for recorder in recorders { #expect(recorder.signals.count == 2) }
    }

    /// As documented: nothing is a result, until it is said to be a failure.
    @Test func whatIsNotThereIsAFailureWhereThatIsWanted() {
        let channel = EventChannel<Sample>()
        let silent = [
            Recorder(channel.first { $0.value > 9 }), Recorder(channel.element(at: 3)),
            Recorder(channel.filter { $0.value > 9 }.first()), Recorder(channel.filter { $0.value > 9 }.last()),
        ]
        let failing = [
            Recorder(channel.first { $0.value > 9 }.failIfEmpty()), Recorder(channel.element(at: 3).failIfEmpty()),
            Recorder(channel.filter { $0.value > 9 }.first().failIfEmpty()),
            Recorder(channel.filter { $0.value > 9 }.last().failIfEmpty()),
        ]
        let found = Recorder(channel.last().failIfEmpty())
        channel.publish(contentsOf: [Sample(1, at: 1), Sample(2, at: 2)])
        channel.finish()
        for recorder in silent { #expect(recorder.signals == [.completion(.finished)]) }
        for recorder in failing {
            #expect(recorder.signals == [.completion(.failed(SelectionError.noElement))])
        }
        #expect(found.elements == [Sample(2, at: 2)])
        #expect(found.signals.last == .completion(.finished))
    }

    /// An operator in front keeps sending in the middle of an element.
    @Test func whatFollowsInTheSameElementIsIgnored() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.flatMap { 0..<$0.value }.take(2))
        channel.publish(Sample(5, at: 1))
        #expect(recorder.elements == [0, 1])
        #expect(recorder.isFinished)
    }

    /// A channel outlives most of its sinks: ended ones must be removed.
    @Test func whatHasEndedItselfIsDetached() {
        final class Witness: Sendable {}
        let channel = EventChannel<Sample>()
        let kept = Locked<[String: Unowned]>([:])
        struct Unowned: Sendable { weak var witness: Witness? }
        func attach(_ name: String, _ stream: some EventStream<Sample>) {
            let witness = Witness()
            stream.subscribe { _ in withExtendedLifetime(witness) {} }
            kept.withLock { $0[name] = Unowned(witness: witness) }
        }
        attach("take", channel.take(2))
        attach("first", channel.first())
        attach("first(where:)", channel.first { $0.value == 1 })
        attach("element(at:)", channel.element(at: 1))
        attach("take(while:)", channel.take { $0.value < 1 })
        attach("take(until:)", channel.take(until: Timestamp(millisecondsSinceEpoch: 2)))
        attach("all", channel.filter { _ in true })
        for value in 0..<2 { channel.publish(Sample(value, at: Int64(value))) }
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 2))
        channel.publish(Sample(2, at: 2))
        #expect(kept.withLock { $0.filter { $0.value.witness != nil }.keys.sorted() } == ["all"])
    }

    @Test func everySinkCountsForItself() {
        let channel = EventChannel<Sample>()
        let stream = channel.take(2)
        let early = Recorder(stream)
        channel.publish(Sample(1, at: 1))
        let late = Recorder(stream)
        for value in 2...4 { channel.publish(Sample(value, at: Int64(value))) }
        #expect(early.elements.map(\.value) == [1, 2])
        #expect(late.elements.map(\.value) == [2, 3])
    }

    @Test func aTapSeesElementsAndTheEndBeforeOthersDo() {
        let seen = Recorder<String>()
        let channel = EventChannel<Sample>()
        let log = EventChannel<Line>()
        log.map(\.text).attach(seen.sink)
        channel
            .tap {
                log.publish(Line(text: "tap \($0.value)"))
            } onCompletion: { _ in
                log.publish(Line(text: "tap end"))
            }
            .subscribeWithTime(
                { sample, _ in log.publish(Line(text: "sink \(sample.value)")) },
                onCompletion: { _ in log.publish(Line(text: "sink end")) }
            )
        channel.publish(Sample(1, at: 1))
        channel.finish()
        #expect(seen.elements == ["tap 1", "sink 1", "tap end", "sink end"])
    }

    @Test func elementsOfAnotherTypeAreCounted() {
        let channel = EventChannel<Sample>()
        let mixed = channel.map { $0.value.isMultiple(of: 2) ? $0.value as any Sendable : "odd" as any Sendable }
        let numbers = mixed.cast(to: Int.self)
        let recorder = Recorder(numbers)
        let refused = EventChannel<Line>()
        let texts = Recorder(refused)
        numbers.refused.subscribeWithTime { element, time in refused.publish(Line(text: "\(element)", timestamp: time))
        }
        for value in 1...5 { channel.publish(Sample(value, at: Int64(value))) }
        #expect(recorder.elements == [2, 4])
        #expect(numbers.refused.count == 3)
        #expect(texts.elements.map(\.text) == ["odd", "odd", "odd"])
        #expect(texts.times == [1, 3, 5].map(Timestamp.init(millisecondsSinceEpoch:)))
    }

    @Test func arrivalTimeReplacesEventTimeAndNeverGoesBack() {
        let clock = SetClock(1)
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel.stampedOnArrival(clock: clock).map(\.value))
        let rare = Recorder(channel.stampedOnArrival(clock: clock, watermarkEvery: .milliseconds(2)).map(\.value))
        channel.publish(Sample(7, at: 900))
        channel.publish(Sample(8, at: -900))
        clock.show(3)
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 1_000_000))
        clock.show(2)
        channel.publish(Sample(9, at: 0))
        clock.show(4)
        channel.publish(contentsOf: [Sample(10, at: 0)])
        channel.finish()
        let at = Timestamp.init(millisecondsSinceEpoch:)
        #expect(
            recorder.signals == [
                .watermark(at(1)), .element(7, at(1)), .element(8, at(1)), .watermark(at(3)), .element(9, at(3)),
                .watermark(at(4)), .element(10, at(4)), .completion(.finished),
            ]
        )
        #expect(
            rare.signals == [
                .watermark(at(1)), .element(7, at(1)), .element(8, at(1)), .watermark(at(3)), .element(9, at(3)),
                .element(10, at(4)), .completion(.finished),
            ]
        )
    }

    /// The clock's times, never earlier than one before, and a watermark when it has moved on far enough.
    @Test func arrivalTimesAgreeWithAClockThatIsReadForEachSignal() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let clock = SetClock(0)
            let channel = EventChannel<Sample>()
            let recorder = Recorder(channel.stampedOnArrival(clock: clock).map(\.value))
            var expected: [StreamSignal<Int>] = []
            var latest = Timestamp.distantPast
            for value in 0..<Int.random(in: 0...8, using: &generator) {
                let shown = Int64.random(in: -3...6, using: &generator)
                clock.show(shown)
                let now = Timestamp(millisecondsSinceEpoch: shown)
                if now > latest {
                    latest = now
                    expected.append(.watermark(now))
                }
                if Bool.random(using: &generator) {
                    channel.publish(Sample(value, at: .random(in: -9...9, using: &generator)))
                    expected.append(.element(value, latest))
                } else {
                    channel.advance(to: Timestamp(millisecondsSinceEpoch: Int64(value)))
                }
            }
            channel.finish()
            expected.append(.completion(.finished))
            guard recorder.signals == expected else {
                Issue.record("seed \(seed): \(recorder.signals) instead of \(expected)")
                return
            }
        }
    }

    @Test func badCountsTrapWithAReason() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().take(0) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().drop(-1) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().element(at: -1) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Sample>().stampedOnArrival(clock: WallClock(), watermarkEvery: .seconds(-1))
        }
    }
}

struct Line: Event {
    let text: String
    var timestamp = Timestamp.epoch
}

/// A clock that can be set back, unlike a `VirtualClock`.
final class SetClock: TimeSource {
    private let milliseconds: EventChannel<Sample>
    private let shown: Recorder<Sample>

    init(_ start: Int64) {
        milliseconds = EventChannel()
        shown = Recorder(milliseconds)
        show(start)
    }

    func show(_ time: Int64) { milliseconds.publish(Sample(0, at: time)) }

    func now() -> Timestamp { shown.times.last ?? .epoch }
}
