import Foundation
import Synchronization
import TestRecordings
import Testing
import WeirCore
import WeirFoundation
import WeirRecording
import WeirTesting

@Suite struct ReplayTests {
    private func recording() throws -> MemoryStorage {
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            for number in 0..<20 {
                try recorder.record(
                    Tick(timestamp: second(number), number: number),
                    priority: Priority(rawValue: UInt8(number % 5)) ?? .normal,
                    dispatchedAt: second(100 + number * number)
                )
                if number % 4 == 0 {
                    try recorder.record(
                        Reading(timestamp: .epoch, sensor: "s", celsius: Double(number)),
                        dispatchedAt: second(100 + number * number)
                    )
                }
            }
        }
        return storage
    }

    /// What handlers saw, in order, with the clock's time.
    private func replay(
        _ storage: MemoryStorage,
        _ speed: ReplaySpeed,
        on clock: some ReplayClock
    ) throws -> (log: [String], times: [Timestamp], report: ReplayReport) {
        let log = Log()
        var replayer = EventReplayer(speed: speed)
        replayer.on(Tick.self) { tick, priority, time in
            log.lines.append("\(tick.number) \(priority) \(time.nanosecondsSinceEpoch)")
            log.times.append(clock.now())
        }
        replayer.on(Reading.self) { reading, priority, time in
            log.lines.append("\(reading.celsius) \(priority) \(time.nanosecondsSinceEpoch)")
            log.times.append(clock.now())
        }
        var reader = try RecordingReader(storage: storage)
        let report = try replayer.replay(&reader, on: clock)
        return (log.lines, log.times, report)
    }

    private final class Log {
        var lines: [String] = []
        var times: [Timestamp] = []
    }

    @Test func twoReplaysAreEqual() throws {
        let storage = try recording()
        let first = try replay(storage, .realTime, on: VirtualReplayClock())
        let second = try replay(storage, .realTime, on: VirtualReplayClock())
        #expect(first.log.count == 25)
        #expect(first.log == second.log)
        #expect(first.times == second.times)
        #expect(first.report == second.report)
        #expect(first.report.deliveredCount == 25)
        #expect(first.report.skippedCount == 0)
    }

    @Test func aVirtualClockShowsTheRecordedTimes() throws {
        let times = try replay(recording(), .realTime, on: VirtualReplayClock()).times
        #expect(Set(times) == Set((0..<20).map { second(100 + $0 * $0) }))
        #expect(times == times.sorted())
    }

    @Test(arguments: [0.5, 1, 3, 1000])
    func playsKTimesAsFast(k: Double) throws {
        let times = try replay(recording(), .times(k), on: VirtualReplayClock()).times
        let expected = (0..<20).flatMap { number in
            let due = second(100).nanosecondsSinceEpoch + Int64((Double(number * number) * 1e9 / k).rounded())
            return [Timestamp](repeating: Timestamp(nanosecondsSinceEpoch: due), count: number % 4 == 0 ? 2 : 1)
        }
        #expect(times == expected)
    }

    @Test func unpacedNeverWaits() throws {
        struct Impatient: ReplayClock {
            func now() -> Timestamp { .epoch }
            func begin(at recorded: Timestamp) -> Timestamp { recorded }
            func wait(until time: Timestamp) { Issue.record("waits until \(time)") }
        }
        #expect(try replay(recording(), .unpaced, on: Impatient()).log.count == 25)
    }

    @Test func waitsForTimesAndNeverGoesBack() throws {
        final class Waits: ReplayClock {
            let times = Mutex<[Timestamp]>([])
            func now() -> Timestamp { second(7) }
            func begin(at recorded: Timestamp) -> Timestamp { second(7) }
            func wait(until time: Timestamp) { times.withLock { $0.append(time) } }
        }
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            for time in [second(50), second(53), second(51), .distantPast, second(54), .distantFuture] {
                try recorder.record(Tick(timestamp: .epoch, number: 0), dispatchedAt: time)
            }
        }
        let clock = Waits()
        _ = try replay(storage, .realTime, on: clock)
        #expect(clock.times.withLock { $0 } == [10, 10, 10, 11].map(second) + [.distantFuture - .seconds(43)])
    }

    @Test func unknownAndUndecodableTypesAreReported() throws {
        struct Misread: Event, Codable {
            var timestamp: Timestamp
            var number: [String]
        }
        var replayer = EventReplayer(speed: .unpaced)
        var seen = 0
        replayer.on(Misread.self, named: String(reflecting: Tick.self)) { _, _, _ in Issue.record("decoded") }
        replayer.onEach { _ in seen += 1 }
        var reader = try RecordingReader(storage: recording())
        let report = try replayer.replay(&reader, on: VirtualReplayClock())
        #expect(report.delivered == [:])
        #expect(report.unknown == [String(reflecting: Reading.self): 5])
        #expect(report.undecodable == [String(reflecting: Tick.self): 20])
        #expect(report.firstDecodingFailure?.contains("number") == true)
        #expect(seen == 25)
    }

    @Test func saysWhatWasCutAndWhereItIsDamaged() throws {
        let storage = try recording()
        storage.bytes.removeLast(3)
        let (log, _, report) = try replay(storage, .realTime, on: VirtualReplayClock())
        #expect(log.count == 24)
        #expect(report.cutBytes > 0)
        storage.bytes[storage.bytes.count / 2] ^= 4
        #expect(throws: RecordingError.self) { try replay(storage, .realTime, on: VirtualReplayClock()) }
    }

    @Test func publishesIntoAChannel() throws {
        let channel = EventChannel<Tick>()
        let log = Mutex<[Int]>([])
        let subscription = channel.subscribe { tick in log.withLock { $0.append(tick.number) } }
        var replayer = EventReplayer(speed: .unpaced)
        replayer.on(Tick.self, publishTo: channel)
        var reader = try RecordingReader(storage: recording())
        #expect(try replayer.replay(&reader, on: VirtualReplayClock()).deliveredCount == 20)
        #expect(log.withLock { $0 } == Array(0..<20))
        subscription.cancel()
    }

    @Test func anEmptyRecordingPlaysNothing() throws {
        let storage = MemoryStorage()
        try record(into: storage) { _ in }
        let (log, _, report) = try replay(storage, .realTime, on: VirtualReplayClock())
        #expect(log.isEmpty)
        #expect(report == ReplayReport())
    }

    @Test func aSystemClockWaits() {
        let clock = SystemReplayClock()
        let start = clock.begin(at: second(1))
        clock.wait(until: start + .milliseconds(2))
        #expect(clock.now() - start >= .milliseconds(2))
        clock.wait(until: start)
    }
}
