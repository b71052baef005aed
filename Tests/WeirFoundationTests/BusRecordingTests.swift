import Foundation
import Testing
import WeirCore
import WeirDispatch
import WeirFoundation
import WeirRecording
import WeirTesting

@Suite struct BusRecordingTests {
    struct Step: Event, Codable, Equatable {
        let timestamp: Timestamp
        let number: Int
    }

    @Test func whatABusDispatchesCanBeRecordedAndDispatchedAgain() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("steps.weir").path

        let clock = VirtualClock()
        let bus = EventBus(clock: EventClock(clock))
        let recorder = try EventRecorder(path: path, clock: clock)
        let failures = Locked<[RecordingError]>([])
        let recording = bus.record(Step.self, to: recorder) { error in failures.withLock { $0.append(error) } }
        for number in 0..<10 {
            bus.queue(
                Step(timestamp: Timestamp(secondsSinceEpoch: Int64(number)), number: number),
                priority: number.isMultiple(of: 2) ? .high : .low
            )
            clock.advance(by: .seconds(1))
        }
        recording.cancel()
        bus.queue(Step(timestamp: .epoch, number: 99))
        try recorder.close()
        #expect(failures.withLock { $0 }.isEmpty)

        let again = EventBus()
        let seen = Locked<[String]>([])
        again.listen(to: Step.self) { step, context in
            seen.withLock { $0.append("\(step.number) \(context.priority)") }
        }
        var replayer = EventReplayer(speed: .unpaced)
        replayer.on(Step.self, dispatchOn: again)
        let report = try replayer.replay(path: path, on: VirtualReplayClock())
        #expect(report.deliveredCount == 10)
        #expect(seen.withLock { $0 } == (0..<10).map { "\($0) \($0.isMultiple(of: 2) ? "high" : "low")" })
    }

    @Test func aClosedRecorderSaysSo() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("weir-\(UUID().uuidString).weir").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bus = EventBus()
        let recorder = try EventRecorder(path: path)
        let failures = Locked<[RecordingError]>([])
        bus.record(Step.self, to: recorder) { error in failures.withLock { $0.append(error) } }
        try recorder.close()
        bus.queue(Step(timestamp: .epoch, number: 1))
        #expect(failures.withLock { $0 } == [.closed])
    }
}
