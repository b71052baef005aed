import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirFoundation
import WeirRecording

@Suite struct RecorderTests {
    @Test func flushesAsTold() throws {
        func written(_ policy: FlushPolicy, synchronizes: Bool = false) throws -> (events: [Int], syncs: Int) {
            let storage = MemoryStorage()
            let recorder = try EventRecorder(
                storage: { storage },
                flushPolicy: policy,
                synchronizes: synchronizes,
                clock: StillClock()
            )
            let events = try (0..<7).map { number in
                try recorder.record(Tick(timestamp: .epoch, number: number))
                return Found(storage.bytes).events.count
            }
            return withExtendedLifetime(recorder) { (events, storage.synchronizations) }
        }
        #expect(try written(.everyEvents(1)).events == [1, 2, 3, 4, 5, 6, 7])
        #expect(try written(.everyEvents(3), synchronizes: true) == ([0, 0, 3, 3, 3, 6, 6], 3))
        #expect(try written(.everyBytes(1)).events == [1, 2, 3, 4, 5, 6, 7])
        #expect(try written(.whenFull).events == [0, 0, 0, 0, 0, 0, 0])
        #expect(try written(.whenFull, synchronizes: true).syncs == 1)
    }

    @Test func flushesAFullBuffer() throws {
        let storage = MemoryStorage()
        let recorder = try EventRecorder(storage: { storage }, clock: StillClock())
        for number in 0..<5000 { try recorder.record(Tick(timestamp: .epoch, number: number)) }
        #expect(storage.bytes.count > 65_536)
        try recorder.flush()
        #expect(Found(storage.bytes).events.count == 5000)
    }

    @Test(arguments: [true, false])
    func goesOnWhenAFullDiskHasRoomAgain(canTruncate: Bool) throws {
        let storage = MemoryStorage()
        let recorder = try EventRecorder(storage: { storage }, flushPolicy: .everyEvents(1), clock: StillClock())
        try recorder.record(Tick(timestamp: .epoch, number: 0))
        storage.capacity = storage.bytes.count + 10
        storage.canTruncate = canTruncate
        #expect(throws: RecordingError.self) { try recorder.record(Tick(timestamp: .epoch, number: 1)) }
        #expect(recorder.recordedCount == 2)
        let meanwhile = Found(storage.bytes)
        #expect(meanwhile.error == nil)
        #expect(meanwhile.cutBytes == (canTruncate ? 0 : 10))
        #expect(try meanwhile.ticks() == [0])
        storage.capacity = .max
        storage.canTruncate = true
        try recorder.record(Tick(timestamp: .epoch, number: 2))
        try recorder.close()
        #expect(try Found(storage.bytes).ticks() == [0, 1, 2])
    }

    @Test func takesNoMoreThanItsBufferWhenTheDiskStaysFull() throws {
        let storage = MemoryStorage()
        let recorder = try EventRecorder(storage: { storage }, clock: StillClock())
        storage.capacity = storage.bytes.count
        var taken = 0
        for number in 0..<20_000 where (try? recorder.record(Tick(timestamp: .epoch, number: number))) != nil {
            taken += 1
        }
        #expect(taken + 1 == recorder.recordedCount)
        #expect(taken < 3000)
    }

    @Test func aClosedRecorderTakesNothing() throws {
        let recorder = try EventRecorder(storage: { MemoryStorage() })
        try recorder.close()
        try recorder.close()
        #expect(throws: RecordingError.closed) { try recorder.record(Tick(timestamp: .epoch, number: 0)) }
        #expect(throws: RecordingError.closed) { try recorder.flush() }
        #expect(throws: RecordingError.closed) { try recorder.register(Tick.self, named: "x") }
    }

    @Test func goesOnInAFile() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        for round in 0..<3 {
            let recorder = try EventRecorder(path: path)
            #expect(throws: RecordingError.inUse(path: path)) { _ = try EventRecorder(path: path) }
            #expect(recorder.cutBytes == (round == 0 ? 0 : 5))
            try recorder.record(Tick(timestamp: .epoch, number: round))
            try recorder.record(Reading(timestamp: .epoch, sensor: "s\(round)", celsius: 1))
            try recorder.close()
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([20, 0, 0, 0, 1]))
            try handle.close()
        }
        var reader = try RecordingReader(path: path)
        var names: [String] = []
        while let event = try reader.next() { names.append(event.typeName) }
        #expect(names == (0..<3).flatMap { _ in [String(reflecting: Tick.self), String(reflecting: Reading.self)] })
        #expect(reader.cutBytes == 5)
        #expect(reader.readCount == 6)
    }

    @Test func takesEventsFromSeveralThreads() async throws {
        let storage = MemoryStorage()
        let recorder = try EventRecorder(storage: { storage }, clock: StillClock())
        try await withThrowingTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<1000 {
                        try recorder.record(Tick(timestamp: second(thread), number: number))
                    }
                }
            }
            try await group.waitForAll()
        }
        try recorder.close()
        let events = Found(storage.bytes).events
        for thread in 0..<4 {
            let numbers = try events.filter { $0.eventTime == second(thread) }.map { try $0.decode(Tick.self).number }
            #expect(numbers == Array(0..<1000))
        }
    }
}
