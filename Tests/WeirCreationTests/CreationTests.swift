import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirTesting

struct Sample: Event, Equatable {
    let timestamp: Timestamp
    let value: Int

    init(_ value: Int, at milliseconds: Int64) {
        self.value = value
        timestamp = Timestamp(millisecondsSinceEpoch: milliseconds)
    }
}

enum Trouble: Error { case some }

@Suite struct CreationTests {
    private let samples = [Sample(1, at: 5), Sample(2, at: -3), Sample(3, at: 5)]

    private func signals(_ samples: [Sample]) -> [StreamSignal<Sample>] { samples.map { .element($0, $0.timestamp) } }

    @Test func values() {
        let stream = Values(of: samples)
        for _ in 0..<2 { #expect(Recorder(stream).signals == signals(samples) + [.completion(.finished)]) }
        #expect(Recorder(Values([(7, .epoch)])).signals == [.element(7, .epoch), .completion(.finished)])
        #expect(Recorder(Values<Int>([])).signals == [.completion(.finished)])
    }

    @Test func endings() {
        #expect(Recorder(EmptyStream<Int>()).signals == [.completion(.finished)])
        #expect(Recorder(SilentStream<Int>()).signals.isEmpty)
        #expect(Recorder(FailedStream<Int>(Trouble.some)).signals == [.completion(.failed(Trouble.some))])
    }

    @Test func deferredIsMadeForEachSink() {
        let made = Locked(0)
        let stream = Deferred {
            Values([
                (
                    made.withLock { count in
                        count += 1
                        return count
                    }, Timestamp.epoch
                )
            ])
        }
        #expect(Recorder(stream).elements == [1])
        #expect(Recorder(stream).elements == [2])
    }

    @Test func generatedIsAFunctionOfTheSeed() {
        func stream(_ seed: UInt64) -> Generated<Int> {
            Generated(seed: seed, count: 5, from: .epoch, every: .milliseconds(2)) { generator, _ in
                .random(in: 0...1_000_000, using: &generator)
            }
        }
        let first = Recorder(stream(1))
        #expect(first.elements == Recorder(stream(1)).elements)
        #expect(first.elements != Recorder(stream(2)).elements)
        #expect(first.times == (0..<5).map { Timestamp(millisecondsSinceEpoch: $0 * 2) })
        #expect(first.isFinished)
    }

    @Test func ticksEveryInterval() {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let recorder = Recorder<Timestamp>()
        let subscription = Ticks(every: .seconds(2), on: scheduler).attach(recorder.sink)
        clock.advance(by: .seconds(5))
        let times = [2, 4].map { Timestamp(secondsSinceEpoch: $0) }
        #expect(recorder.signals == times.flatMap { [.element($0, $0), .watermark($0)] })
        subscription.cancel()
        clock.advance(by: .seconds(5))
        #expect(recorder.elements == times)
        #expect(scheduler.pendingCount == 0)
    }

    @Test func aSinkThatCancelsItsTicksGetsNothingMore() {
        final class Handle: Sendable {
            let subscription = Locked<Subscription?>(nil)
        }
        struct Cancelling: Sink {
            let handle: Handle
            var recorder: RecorderSink<Timestamp>

            mutating func receive(_ time: borrowing Timestamp, at eventTime: Timestamp) {
                recorder.receive(time, at: eventTime)
                handle.subscription.withLock { $0 }?.cancel()
            }

            mutating func advance(to watermark: Timestamp) { recorder.advance(to: watermark) }

            mutating func finish(_ completion: Completion) {}
        }
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let start = Timestamp(secondsSinceEpoch: 1)
        for ticks in [Ticks(every: .seconds(1), from: start, on: scheduler), Ticks(at: [start], on: scheduler)] {
            let (recorder, handle) = (Recorder<Timestamp>(), Handle())
            let attached = ticks.attach(Cancelling(handle: handle, recorder: recorder.sink))
            handle.subscription.withLock { $0 = attached }
            clock.advance(by: .seconds(3))
            #expect(recorder.signals == [.element(start, start)])
        }
    }

    @Test func ticksAtTimes() {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let times = [1, 3, 3, 7].map { Timestamp(secondsSinceEpoch: $0) }
        let recorder = Recorder(Ticks(at: times.reversed(), on: scheduler))
        let cancelled = Recorder<Timestamp>()
        let subscription = Ticks(at: times, on: scheduler).attach(cancelled.sink)
        clock.advance(by: .seconds(4))
        subscription.cancel()
        #expect(!recorder.isFinished)
        clock.advance(by: .seconds(4))
        #expect(recorder.elements == times)
        #expect(recorder.isFinished)
        #expect(cancelled.elements == Array(times[..<3]))
        #expect(Recorder(Ticks(at: [], on: scheduler)).isFinished)
        let full = Scheduler(clock: EventClock(clock), limit: 1)
        Ticks(at: [.distantFuture], on: full).attach(Recorder<Timestamp>().sink)
        let refused = [
            Recorder(Ticks(at: [.distantFuture], on: full)), Recorder(Ticks(every: .seconds(1), on: full)),
        ]
        for recorder in refused {
            #expect(recorder.signals == [.completion(.failed(TimerError.full(limit: 1)))])
        }
    }

    @Test func asyncValues() async {
        let sequence = AsyncThrowingStream<Sample, any Error> { continuation in
            for sample in samples { continuation.yield(sample) }
            continuation.finish(throwing: Trouble.some)
        }
        let (ended, end) = AsyncStream<Completion>.makeStream()
        let seen = Locked<[Sample]>([])
        AsyncValues(sequence, at: \.timestamp).subscribeWithTime(
            { sample, _ in seen.withLock { $0.append(sample) } },
            onCompletion: { completion in
                end.yield(completion)
                end.finish()
            }
        )
        for await completion in ended {
            guard case .failed(Trouble.some) = completion else {
                Issue.record("\(completion)")
                continue
            }
        }
        #expect(seen.withLock { $0 } == samples)
    }

    @Test func reduceAndCollectAgreeWithArrays() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let channel = EventChannel<Sample>()
            let limit = Int.random(in: 1...5, using: &generator)
            let collected = channel.collect(limit: limit)
            let (arrays, sums) = (Recorder(collected), Recorder(channel.reduce(into: 0) { $0 += $1.value }))
            var (all, time) = ([Sample](), Timestamp.distantPast)
            for value in 0..<Int.random(in: 0...8, using: &generator) {
                let milliseconds = Int64.random(in: -5...5, using: &generator)
                let now = Timestamp(millisecondsSinceEpoch: milliseconds)
                if Bool.random(using: &generator) {
                    all.append(Sample(value, at: milliseconds))
                    channel.publish(all[all.count - 1])
                } else {
                    channel.advance(to: now)
                }
                time = max(time, now)
            }
            channel.finish()
            guard arrays.elements == [Array(all.prefix(limit))], arrays.times == [time],
                collected.refused.count == UInt64(max(0, all.count - limit)),
                sums.elements == [all.map(\.value).reduce(0, +)], sums.times == [time], sums.isFinished
            else {
                Issue.record("seed \(seed): \(arrays.signals) and \(sums.signals) of \(all)")
                return
            }
        }
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Sample>().collect(limit: 0) }
        await #expect(processExitsWith: .failure) { _ = ReplaySubject<Int>(limit: 0) }
        await #expect(processExitsWith: .failure) { _ = Ticks(every: .zero, on: Scheduler()) }
        await #expect(processExitsWith: .failure) {
            _ = Generated(seed: 1, count: -1, every: .seconds(1)) { _, _ in 0 }
        }
        await #expect(processExitsWith: .failure) { _ = try CronSchedule("* * * * *", aheadOfUTC: .seconds(86_400)) }
    }

    @Test func reduceAndCollectSpeakAtTheEnd() {
        let channel = EventChannel<Sample>()
        let sum = Recorder(channel.reduce(into: 0) { $0 += $1.value })
        let collected = channel.collect(limit: 2)
        let two = Recorder(collected)
        channel.publish(contentsOf: samples)
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 2))
        channel.finish()
        let time = Timestamp(millisecondsSinceEpoch: 5)
        let watermark = Timestamp(millisecondsSinceEpoch: 2)
        #expect(sum.signals == [.watermark(watermark), .element(6, time), .completion(.finished)])
        #expect(two.elements == [Array(samples[..<2])])
        #expect(two.times == [time])
        #expect(collected.refused.count == UInt64(samples.count - 2))
        let failed = Recorder(FailedStream<Sample>(Trouble.some).collect(limit: 2))
        #expect(failed.signals == [.completion(.failed(Trouble.some))])
    }

    @Test func generatedTimesStopAtTheEndOfTime() {
        let recorder = Recorder(Generated(seed: 1, count: 3, from: .epoch, every: .seconds(Int64.max)) { _, _ in 0 })
        #expect(recorder.times == [.epoch, .distantFuture, .distantFuture])
    }
}
