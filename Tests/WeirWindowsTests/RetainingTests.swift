import TestStreams
import Testing
import WeirCore
import WeirTesting
import WeirWindows

/// What is retained, beside what a plain look at all elements so far says.
@Suite struct RetainingTests {
    private typealias Change = WindowChange<Sample>

    /// Sends random elements and watermarks, and checks after each what is retained.
    ///
    /// - Parameters:
    ///   - isOrdered: Whether the times ascend.
    ///   - sourceLocation: Where it is called.
    ///   - build: Makes the stream of the changes.
    ///   - expected: Says what is retained, from all elements that were not late, in the order of their coming, and the newest
    ///     time.
    private func check<Changes: EventStream>(
        isOrdered: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ build: (EventChannel<Sample>) -> Changes,
        _ expected: ([Sample], Timestamp) -> [Sample]
    ) where Changes.Element == WindowChange<Sample> {
        for seed in 0..<60 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let channel = EventChannel<Sample>()
            let recorder = Recorder<Change>(build(channel))
            var (all, retained, read): ([Sample], [Sample], Int) = ([], [], 0)
            var (now, newest, watermark) = (Int64(0), Timestamp.distantPast, Timestamp.distantPast)
            for step in 0..<80 {
                now += .random(in: 0...4, using: &generator)
                if Int.random(in: 0..<6, using: &generator) == 0 {
                    watermark = max(watermark, Timestamp(nanosecondsSinceEpoch: now - (isOrdered ? 0 : 5)))
                    newest = max(newest, watermark)
                    channel.advance(to: watermark)
                } else {
                    let time = isOrdered ? now : now - .random(in: 0...8, using: &generator)
                    let sample = Sample(.random(in: 0...9, using: &generator), at: time, index: step)
                    if isOrdered || sample.timestamp >= watermark {
                        all.append(sample)
                        newest = max(newest, sample.timestamp)
                    }
                    channel.publish(sample)
                }
                let changes = recorder.elements
                for change in changes[read...] {
                    switch change {
                    case .entered(let sample): retained.append(sample)
                    case .left(let sample):
                        guard let place = retained.firstIndex(of: sample) else {
                            Issue.record("seed \(seed), step \(step): \(sample) leaves and was not there")
                            return
                        }
                        retained.remove(at: place)
                    }
                }
                read = changes.count
                let right = expected(all, newest)
                guard Set(retained) == Set(right), retained.count == right.count else {
                    Issue.record(
                        "seed \(seed), step \(step): \(retained.map(\.index)), not \(right.map(\.index))",
                        sourceLocation: sourceLocation
                    )
                    return
                }
            }
        }
    }

    @Test func theLastElements() {
        for count in [1, 2, 5] {
            check(isOrdered: true) {
                $0.retaining(last: count)
            } _: { all, _ in
                all.suffix(count)
            }
        }
    }

    @Test func elementsOfAStretchOfTime() {
        for duration in [1, 5, 20] as [Int64] {
            check {
                $0.retaining(for: .nanoseconds(duration))
            } _: { all, newest in
                all.filter { $0.timestamp.shifted(byNanoseconds: duration) > newest }
            }
        }
    }

    @Test func theLatestOfEachKey() {
        check(isOrdered: true) {
            $0.retaining(latestBy: \.value)
        } _: { all, _ in
            Set(all.map(\.value)).compactMap { value in all.last { $0.value == value } }
        }
        // Of the keys, those that had an element last.
        check(isOrdered: true) {
            $0.retaining(latestBy: \.value, limit: 3)
        } _: { all, _ in
            var latest: [Sample] = []
            for sample in all.reversed() where latest.count < 3 && !latest.contains(where: { $0.value == sample.value })
            {
                latest.append(sample)
            }
            return latest
        }
    }

    @Test func theHighestAndTheLowest() {
        check(isOrdered: true) {
            $0.retaining(highest: 3, by: \.value)
        } _: { all, _ in
            // Of equal values the earlier ones.
            Array(all.sorted { ($1.value, $0.index) < ($0.value, $1.index) }.prefix(3))
        }
        check(isOrdered: true) {
            $0.retaining(lowest: 2, by: \.value)
        } _: { all, _ in
            Array(all.sorted { ($0.value, $0.index) < ($1.value, $1.index) }.prefix(2))
        }
    }

    @Test func theHighestOfTheLatestOfEachKey() {
        func ranked(_ all: [Sample], _ count: Int, descends: Bool) -> [Sample] {
            var kept: [Sample] = []
            for sample in all {
                kept.removeAll { $0.index % 4 == sample.index % 4 }
                kept.append(sample)
                kept.sort {
                    $0.value == $1.value ? $0.index < $1.index : descends ? $0.value > $1.value : $0.value < $1.value
                }
                if kept.count > count { kept.removeLast() }
            }
            return kept
        }
        check(isOrdered: true) {
            $0.retaining(highest: 2, by: \.value, latestBy: { $0.index % 4 })
        } _: { all, _ in
            ranked(all, 2, descends: true)
        }
        check(isOrdered: true) {
            $0.retaining(lowest: 3, by: \.value, latestBy: { $0.index % 4 })
        } _: { all, _ in
            ranked(all, 3, descends: false)
        }
    }

    @Test func theLastAsLongAsACondition() {
        check(isOrdered: true) { channel in
            channel.retaining { oldest, newest, count in newest.value - oldest.value < 4 && count < 6 }
        } _: { all, _ in
            var kept: [Sample] = []
            for sample in all {
                kept.append(sample)
                while let first = kept.first, !(sample.value - first.value < 4 && kept.count < 6) { kept.removeFirst() }
            }
            return kept
        }
    }

    /// What is kept for each key does not grow with the elements.
    @Test func fewKeysTakeLittle() throws {
        let channel = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        channel.retaining(latestBy: \.value).subscribe { _ in }
        for number in 0..<10_000 { channel.publish(Labelled(timestamp: .epoch, value: number % 4)) }
        #expect(try channel.checkpoint().bytes.count < 8192)
    }

    @Test func changesComeInOrderWithTheirTimes() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder<Change>(channel.retaining(for: .nanoseconds(10)))
        let samples = [Sample(1, at: 0), Sample(2, at: 4), Sample(3, at: 12)]
        for sample in samples { channel.publish(sample) }
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 20))
        channel.finish()
        func time(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanosecondsSinceEpoch: nanoseconds) }
        #expect(
            recorder.signals == [
                .element(.entered(samples[0]), time(0)), .element(.entered(samples[1]), time(4)),
                .element(.left(samples[0]), time(10)), .element(.entered(samples[2]), time(12)),
                .element(.left(samples[1]), time(14)), .watermark(time(20)), .completion(.finished),
            ]
        )
    }

    @Test func whatIsTooMuchOrTooLateIsOffered() {
        let channel = EventChannel<Sample>()
        let changes = channel.retaining(for: .nanoseconds(100), limit: 2)
        let late = Locked<[Sample]>([])
        let early = Locked<[Sample]>([])
        changes.late.subscribe { sample in late.withLock { $0.append(sample) } }
        changes.early.subscribe { sample in early.withLock { $0.append(sample) } }
        let recorder = Recorder<Change>(changes)
        let samples = (0..<4).map { Sample($0, at: Int64($0)) }
        for sample in samples { channel.publish(sample) }
        channel.advance(to: Timestamp(nanosecondsSinceEpoch: 3))
        channel.publish(Sample(9, at: 2))
        #expect(early.withLock { $0 } == [samples[0], samples[1]])
        #expect(late.withLock { $0 } == [Sample(9, at: 2)])
        #expect(changes.late.count == 1 && changes.early.count == 2)
        #expect(recorder.elements.filter(\.hasLeft).map(\.element) == [samples[0], samples[1]])
    }

    @Test func valuesThatEqualNothingHaveNoPlace() {
        let numbers = EventChannel<Double>()
        let (ranked, latest) = (
            Recorder<WindowChange<Double>>(numbers.retaining(highest: 2) { $0 }),
            Recorder<WindowChange<Double>>(numbers.retaining(latestBy: { $0 }))
        )
        for number in [1, .nan, 2, .nan] as [Double] { numbers.publish(number) }
        #expect(ranked.elements == [.entered(1), .entered(2)])
        #expect(latest.elements.count == 6)
        #expect(latest.elements.filter(\.hasLeft).allSatisfy { $0.element.isNaN })
    }

    /// A count beyond what memory holds is one that is never reached.
    @Test(arguments: [1 << 40, .max] as [Int])
    func countsMayBeWithoutBound(count: Int) {
        let numbers = EventChannel<Int>()
        let recorders = [
            Recorder<WindowChange<Int>>(numbers.retaining(highest: count) { $0 }),
            Recorder<WindowChange<Int>>(numbers.retaining(lowest: count, by: { $0 }, latestBy: { $0 })),
        ]
        for number in 0..<3 { numbers.publish(number) }
        for recorder in recorders { #expect(recorder.elements == [.entered(0), .entered(1), .entered(2)]) }
    }

    /// Elements at the ends of time stay, and trap nothing.
    @Test func theEndsOfTimeAreNoMistake() {
        let channel = EventChannel<Sample>()
        let recorder = Recorder<Change>(channel.retaining(for: .seconds(1)))
        channel.publish(Sample(1, at: .min))
        channel.publish(Sample(2, at: .max))
        channel.publish(Sample(3, at: .max))
        #expect(recorder.elements.filter { !$0.hasLeft }.map(\.element.value) == [1, 2, 3])
        channel.advance(to: .distantFuture)
        #expect(recorder.elements.filter(\.hasLeft).map(\.element.value) == [1, 2, 3])
    }

    /// A rule of one's own.
    private struct EveryOther: Retention {
        var last: Labelled?
        var count = 0

        mutating func receive(_ element: Labelled, at time: Timestamp, _ changes: inout RetentionChanges<Labelled>) {
            count += 1
            guard count % 2 == 0 else { return }
            if let last { changes.append(.left(last), at: time) }
            changes.append(.entered(element), at: time)
            last = element
        }

        mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
            try state.exchange(&last)
            try state.exchange(&count)
        }
    }

    @Test func allSaveTheirState() {
        #expect(RestoreTrials.difference { $0.retaining(last: 3) } == nil)
        #expect(RestoreTrials.difference { $0.retaining(for: .milliseconds(4)) } == nil)
        #expect(RestoreTrials.difference { $0.retaining(for: .milliseconds(4), limit: 2) } == nil)
        #expect(RestoreTrials.difference { $0.retaining(latestBy: \.label, limit: 2) } == nil)
        #expect(RestoreTrials.difference { $0.retaining(highest: 2, by: \.value) } == nil)
        #expect(RestoreTrials.difference { $0.retaining(lowest: 2, by: \.value, latestBy: \.label) } == nil)
        #expect(RestoreTrials.difference { $0.retaining { $1.value - $0.value < 5 && $2 < 4 } } == nil)
        #expect(RestoreTrials.difference { $0.retaining(by: EveryOther()) } == nil)
    }
}
