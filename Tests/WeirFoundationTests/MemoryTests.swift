import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirFoundation
import WeirRecording

@Suite struct MemoryTests {
    /// In a process of its own, so that other tests are not counted.
    @Test func manyEventsInBoundedMemory() async {
        await #expect(processExitsWith: .success) {
            #if DEBUG
                let count = 100_000
            #else
                let count = 1_000_000
            #endif
            let path = temporaryPath()
            defer { try? FileManager.default.removeItem(atPath: path) }
            let before = residentBytes()
            let start = MonotonicClock().now()
            let recorder = try EventRecorder(path: path)
            for number in 0..<count {
                try recorder.record(
                    Reading(timestamp: second(number), sensor: "attic", celsius: Double(number)),
                    dispatchedAt: second(number)
                )
            }
            try recorder.close()
            let recorded = MonotonicClock().now()
            var replayer = EventReplayer(speed: .realTime)
            var sum = 0.0
            replayer.on(Reading.self) { reading, _, _ in sum += reading.celsius }
            let report = try replayer.replay(path: path, on: VirtualReplayClock())
            let replayed = MonotonicClock().now()
            let growth = residentBytes() - before
            precondition(report.deliveredCount == count, "lost events")
            precondition(sum == Double(count) * Double(count - 1) / 2, "changed events")
            precondition(growth < 8 << 20, "grew by \(growth) bytes")
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            let lines = [
                "WeirRecording: \(count) events of \(size / count) bytes",
                "\(recorded - start) to record", "\(replayed - recorded) to replay", "\(growth) bytes of memory\n",
            ]
            FileHandle.standardError.write(Data(lines.joined(separator: ", ").utf8))
        }
    }
}

private func residentBytes() -> Int {
    #if os(Linux)
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    #else
        return 0
    #endif
}
