import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirFoundation
import WeirRecording

@Suite(.serialized) struct KillTests {
    /// A child process records without end and is killed in the middle of it.
    @Test(arguments: [1, 7, 20, 33, 50])
    func whatAKilledProcessHadFlushedIsThere(milliseconds: Int) async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            let recorder = try EventRecorder(path: path, flushPolicy: .everyBytes(500))
            let deadline = Double(milliseconds) / 1000
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: deadline)
                kill(getpid(), SIGKILL)
            }
            var number = 0
            while true {
                try recorder.record(Tick(timestamp: second(number), number: number))
                number += 1
            }
        }
        let recorder = try EventRecorder(path: path)
        try recorder.record(Tick(timestamp: .epoch, number: -1))
        try recorder.close()
        var reader = try RecordingReader(path: path)
        var expected = 0
        var isLast = false
        while let event = try reader.next() {
            let number = try event.decode(Tick.self).number
            #expect(!isLast)
            isLast = number == -1
            if !isLast {
                if number != expected { Issue.record("\(number) instead of \(expected)") }
                expected += 1
            }
        }
        #expect(isLast)
        #expect(reader.cutBytes == 0)
        print("WeirRecording: killed after \(milliseconds) ms and \(expected) events, \(recorder.cutBytes) bytes cut")
    }
}
