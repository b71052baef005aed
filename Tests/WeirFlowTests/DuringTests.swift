import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirCreation
import WeirFlow
import WeirPatterns
import WeirSelection
import WeirSequences
import WeirTesting
import WeirWindows

/// Pipelines that run only at times.
@Suite struct DuringTests {
    @Test(arguments: seeds(300))
    func conditionsOpenAndClose(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (0..<30).map { _ in Int.random(in: 0..<6, using: &random) }
        let seconds = values.map { _ in Int64.random(in: 0..<4, using: &random) }.reduce(into: [Int64]()) {
            $0.append(($0.last ?? 0) + $1)
        }
        let limit: Int64? = Bool.random(using: &random) ? 5 : nil
        let channel = TestChannel<Int>()
        let open = channel.during(
            opensWhen: { $0 == 0 },
            closesWhen: { $0 == 5 || $0 == 0 },
            within: limit.map { .seconds($0) }
        ) { open in
            open.pairwise().map { [$0, $1] }
        }
        let recorder = Recorder(open)
        for (value, second) in zip(values, seconds) {
            channel.publish(value, at: Timestamp(secondsSinceEpoch: second))
        }
        channel.finish()
        var expected: [[Int]] = []
        var outside: UInt64 = 0
        var current: (values: [Int], end: Int64)?
        for (value, second) in zip(values, seconds) {
            if let opened = current, second >= opened.end { current = nil }
            if let opened = current {
                if let last = opened.values.last { expected.append([last, value]) }
                current = value == 5 || value == 0 ? nil : (opened.values + [value], opened.end)
            } else if value == 0 {
                current = ([value], limit.map { second + $0 } ?? .max)
            } else {
                outside += 1
            }
        }
        #expect(recorder.elements == expected && recorder.isFinished)
        #expect(open.outside.count == outside)
    }

    @Test(arguments: seeds(200))
    func aCalendarOpensAndCloses(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var steps: [(value: Int, second: Int64)] = []
        var now: Int64 = 0
        for value in 0..<25 {
            now += Int64.random(in: -2...5, using: &random)
            steps.append((value, max(now, 0)))
        }
        let channel = TestChannel<Int>()
        // The first six seconds of each ten.
        let sums = channel.during({ time in
            let start = Timestamp(secondsSinceEpoch: time.nanosecondsSinceEpoch / 10_000_000_000 * 10)
            let stretch = start..<start.shifted(byNanoseconds: 6_000_000_000)
            return stretch.contains(time) ? stretch : nil
        }) { open in
            open.reduce(into: []) { $0.append($1) }
        }
        let recorder = Recorder(sums)
        for step in steps { channel.publish(step.value, at: Timestamp(secondsSinceEpoch: step.second)) }
        channel.finish()
        var expected: [[Int]] = []
        var outside: UInt64 = 0
        var current: (tens: Int64, values: [Int])?
        var last: Int64 = -1
        for step in steps {
            if let opened = current, step.second >= opened.tens * 10 + 6 {
                expected.append(opened.values)
                current = nil
            }
            let tens = step.second / 10
            if let opened = current {
                if step.second >= opened.tens * 10 {
                    current = (opened.tens, opened.values + [step.value])
                } else {
                    outside += 1
                }
            } else if step.second % 10 < 6, tens > last {
                current = (tens, [step.value])
                last = tens
            } else {
                outside += 1
            }
        }
        if let current { expected.append(current.values) }
        #expect(recorder.elements == expected, "\(steps)")
        #expect(sums.outside.count == outside, "\(steps)")
    }

    @Test func partialMatchesDoNotReachTheNextTime() {
        let channel = TestChannel<Int>()
        let pattern = Pattern<Int>.first { $0 == 1 }.followedBy { $0 == 2 }
        let found = Recorder(
            channel.during(opensWhen: { $0 == 0 }, closesWhen: { $0 == 9 }) { open in
                open.matches(of: pattern).map { [$0, $1] }
            }
        )
        for (second, value) in [1, 2, 0, 1, 9, 0, 2, 1, 0, 2, 9, 1, 2].enumerated() {
            channel.publish(value, at: Timestamp(secondsSinceEpoch: Int64(second)))
        }
        channel.finish()
        #expect(found.elements == [[1, 2]])
        #expect(found.times == [Timestamp(secondsSinceEpoch: 9)])
    }

    @Test func watermarksCloseAndPassOnce() {
        let channel = TestChannel<Int>()
        let counted = channel.during(opensWhen: { $0 == 0 }, closesWhen: { _ in false }, within: .seconds(5)) { open in
            open.tumbling(.seconds(100)).count().map(\.value)
        }
        let recorder = Recorder(counted)
        channel.publish(0, at: Timestamp(secondsSinceEpoch: 1))
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 2))
        channel.advance(to: Timestamp(secondsSinceEpoch: 6))
        channel.advance(to: Timestamp(secondsSinceEpoch: 7))
        channel.finish()
        #expect("\(recorder.signals)" == "\(recorder.signals)" && recorder.elements == [2])
        #expect(recorder.signals.count == 4 && recorder.isFinished)
    }

    @Test func aStretchThatIsOverDoesNotBegin() {
        let channel = TestChannel<Int>()
        let (start, end) = (Timestamp(secondsSinceEpoch: 10), Timestamp(secondsSinceEpoch: 20))
        let counted = channel.during({ (start..<end).contains($0) ? start..<end : nil }) { open in
            open.tumbling(.seconds(1)).count().map(\.value)
        }
        let limited = channel.during(opensWhen: { _ in true }, closesWhen: { _ in false }, within: .seconds(5)) { $0 }
        let (counts, values) = (Recorder(counted), Recorder(limited))
        channel.advance(to: Timestamp(secondsSinceEpoch: 30))
        channel.publish(1, at: Timestamp(secondsSinceEpoch: 15))
        channel.publish(2, at: Timestamp(secondsSinceEpoch: 28))
        channel.finish()
        #expect(counts.elements.isEmpty && counted.outside.count == 2)
        #expect(values.elements == [2] && limited.outside.count == 1)
    }

    @Test func whatHasSeveralStreamsIsRefused() async {
        await #expect(processExitsWith: .failure) {
            let (one, other) = (TestChannel<Int>(), TestChannel<Int>())
            one.during(opensWhen: { _ in true }, closesWhen: { _ in false }) { $0.merge(other) }.subscribe { _ in }
        }
    }

    @Test func itsStateIsSaved() {
        let conditions = RestoreTrials.difference(counting: { [$0.outside.count] }) {
            $0.during(opensWhen: { $0.value == 0 }, closesWhen: { $0.value == 4 }) { open in
                open.pairwise().map { $0.value + $1.value }
            }
        }
        #expect(conditions == nil)
        let patterns = RestoreTrials.difference(counting: { [$0.outside.count] }) {
            $0.during(opensWhen: { $0.value == 0 }, closesWhen: { $0.value == 4 }, within: .milliseconds(6)) { open in
                open.matches(of: Pattern<Labelled>.first { $0.value < 2 }.followedByAny { $0.value > 1 })
                    .map { $0.value + $1.value }
            }
        }
        #expect(patterns == nil)
    }
}

extension TestChannel {
    fileprivate func publish(_ element: Element, at time: Timestamp) { send(.element(element, time)) }

    fileprivate func advance(to watermark: Timestamp) { send(.watermark(watermark)) }

    fileprivate func finish() { send(.completion(.finished)) }
}
