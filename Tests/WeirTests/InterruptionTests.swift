import Testing
import Weir
import WeirTesting

/// An interruption does to every operator what a failure does, but for what handles failures.
@Suite struct InterruptionTests {
    private struct Reading: Event, Equatable {
        let timestamp: Timestamp
        let value: Int
    }

    private struct Broken: Error {}

    private typealias Readings = EventChannel<Reading>

    /// What comes out of operators, one after another, for the same stream with some completion.
    private func outputs(_ readings: [Reading], _ completion: Completion) -> [[String]] {
        let channel = Readings()
        let other = Readings()
        var recordings: [() -> [String]] = []
        func record<S: EventStream>(_ stream: S) {
            let recorder = Recorder(stream)
            recordings.append {
                recorder.signals.map { signal in
                    guard case .completion(let end) = signal else { return "\(signal)" }
                    #expect("\(end)" == "\(completion)")
                    return "the end"
                }
            }
        }
        record(channel.filter { $0.value > 3 })
        record(channel.last())
        record(channel.collect())
        record(channel.reduce(into: 0) { $0 += $1.value })
        record(channel.failIfEmpty())
        record(channel.pairwise())
        record(channel.map(\.value).rising(atLeast: 2))
        record(channel.followedBy { $1.value > $0.value })
        record(channel.repeated(atLeast: 2, within: .nanoseconds(5)))
        record(channel.buffer(4))
        record(channel.debounce(for: .nanoseconds(3)))
        record(channel.throttle(for: .nanoseconds(4), edges: .both))
        record(channel.ordered(within: .nanoseconds(4)))
        record(channel.merge(other))
        record(channel.union(other))
        record(channel.concat(other))
        record(channel.zip(other))
        record(channel.tumbling(.nanoseconds(8)).count())
        record(channel.tumbling(count: 3).count())
        record(channel.sessions(gap: .nanoseconds(2)).count())
        record(channel.grouped(by: { $0.value % 2 }) { $0.buffer(3) })
        record(
            channel.matches(
                of: Pattern<Reading>.first { $0.value > 5 }.notFollowedBy(within: .nanoseconds(9)) { $0.value > 8 }
            )
        )
        for (index, reading) in readings.enumerated() {
            channel.publish(reading)
            if index % 7 == 6 { channel.advance(to: Timestamp(nanosecondsSinceEpoch: Int64(index - 6))) }
        }
        channel.finish(completion)
        return recordings.map { $0() }
    }

    @Test(arguments: 0..<20)
    func anInterruptionGivesUpWhatAFailureGivesUp(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let readings = (0..<Int.random(in: 0..<60, using: &random)).map {
            Reading(
                timestamp: Timestamp(nanosecondsSinceEpoch: Int64($0) + Int64.random(in: 0..<3, using: &random)),
                value: Int.random(in: 0..<10, using: &random)
            )
        }
        let failed = outputs(readings, .failed(Broken()))
        let interrupted = outputs(readings, .interrupted)
        for (place, pair) in zip(failed, interrupted).enumerated() {
            #expect(pair.0 == pair.1, "seed \(seed), operator \(place)")
            #expect(pair.1.last == "the end", "seed \(seed), operator \(place)")
        }
    }

    @Test func whatHandlesFailuresLetsItThrough() {
        let channel = Readings()
        let caught = Recorder(channel.catch { _ in Values(of: [Reading(timestamp: .epoch, value: 1)]) })
        let retried = Recorder(channel.retry(3, after: .seconds(1), on: Scheduler(clock: EventClock())))
        channel.finish(.interrupted)
        #expect(caught.signals == [.completion(.interrupted)])
        #expect(retried.signals == [.completion(.interrupted)])
    }

    @Test func anInterruptedGraphThrowsACancellation() throws {
        let stop = KillSwitch()
        stop.interrupt()
        let result = Source([1, 2, 3]).via(.killSwitch(stop)).to(.collect()).run()
        #expect(throws: CancellationError.self) { try result.wait() }
    }

    @Test func aThrownCancellationIsAnInterruption() {
        #expect(Completion(throwing: CancellationError()).failure == nil)
        #expect(!Completion(throwing: CancellationError()).isFinished)
        #expect(Completion(throwing: Broken()).failure is Broken)
        #expect(throws: CancellationError.self) { try Completion.interrupted.get() }
        #expect(throws: Broken.self) { try Completion.failed(Broken()).get() }
        #expect(throws: Never.self) { try Completion.finished.get() }
    }
}
