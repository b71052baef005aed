import CWeirFaults
import Foundation
import Testing
import WeirRecords

@testable import WeirState

@Suite struct StateFolderTests {
    private let path = NSTemporaryDirectory() + "weir-state-" + UUID().uuidString

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    private func names() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    @Test func theLastThreeAreKeptAndTheNewestIsFound() throws {
        defer { remove() }
        let folder = try StateFolder(path + "/inner")
        #expect(try folder.newest { _ in } == nil)
        for time in 1...5 {
            var checkpoint = RunCheckpoint()
            checkpoint.time = Int64(time)
            _ = try folder.write(&checkpoint, isDurable: time % 2 == 0)
        }
        let found = try #require(try folder.newest { Issue.record("\($0)") })
        #expect(found.checkpoint.time == 5)
        #expect(found.checkpoint.number == 5)
        #expect(found.name == "checkpoint-000000000005")
        folder.close()
        let again = try StateFolder(path + "/inner")
        var next = RunCheckpoint()
        _ = try again.write(&next, isDurable: true)
        #expect(next.number == 6)
        let files = try FileManager.default.contentsOfDirectory(atPath: path + "/inner").sorted()
        #expect(
            files == [
                "checkpoint-000000000004", "checkpoint-000000000005", "checkpoint-000000000006", "weir-state.lock",
            ]
        )
    }

    @Test func twoRunsDoNotShareAFolder() throws {
        defer { remove() }
        let first = try StateFolder(path)
        #expect(throws: StateFolder.Refusal(description: "'\(path)' is used by another run; give each its own folder"))
        {
            try StateFolder(path)
        }
        first.close()
        _ = try StateFolder(path)
    }

    @Test func aFolderOfSomethingElseIsRefused() throws {
        defer { remove() }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/letter.txt"))
        let refusal = StateFolder.Refusal(
            description: "'\(path)' is no folder of --state: it has 'letter.txt'; name a new one"
        )
        #expect(throws: refusal) { try StateFolder(path) }
        #expect(names() == ["letter.txt"])
        #expect(throws: StateFolder.Refusal.self) { try StateFolder(path + "/letter.txt") }
    }

    /// A power cut may leave a draft, or a checkpoint, and not the name of the lock, which was made before.
    @Test func aFolderWithoutItsLockIsKnownByItsFiles() throws {
        defer { remove() }
        do {
            let folder = try StateFolder(path)
            var checkpoint = RunCheckpoint()
            checkpoint.time = 7
            _ = try folder.write(&checkpoint, isDurable: true)
        }
        try FileManager.default.removeItem(atPath: path + "/weir-state.lock")
        try Data("half".utf8).write(to: URL(fileURLWithPath: path + "/.weir-187fddb292c2dd39.new"))
        #expect(try StateFolder(path).newest { _ in }?.checkpoint.time == 7)
    }

    @Test func aDamagedCheckpointIsPassedOverForTheOneBefore() throws {
        defer { remove() }
        let folder = try StateFolder(path)
        for time in 1...3 {
            var checkpoint = RunCheckpoint()
            checkpoint.time = Int64(time)
            _ = try folder.write(&checkpoint, isDurable: false)
        }
        let last = URL(fileURLWithPath: path + "/checkpoint-000000000003")
        var bytes = try Data(contentsOf: last)
        bytes[30] ^= 4
        try bytes.write(to: last)
        try Data().write(to: URL(fileURLWithPath: path + "/checkpoint-000000000002"))
        var remarks: [String] = []
        let found = try #require(try folder.newest { remarks.append($0) })
        #expect(found.checkpoint.time == 1)
        #expect(remarks.count == 2)
        #expect(remarks.first?.contains("checkpoint-000000000003' is passed over: it is damaged or cut off") ?? false)
        var next = RunCheckpoint()
        _ = try folder.write(&next, isDurable: false)
        #expect(next.number == 4)
        for number in 1...4 {
            try? Data("WEIRCK".utf8).write(to: URL(fileURLWithPath: path + "/checkpoint-00000000000\(number)"))
        }
        #expect(throws: StateFolder.Refusal.self) { try folder.newest { _ in } }
    }

    #if os(Linux)
        /// Each system call of a write fails in turn: what was there before can be read, or what is new, and nothing else.
        @Test func everyCallThatFailsLeavesAWholeCheckpoint() async {
            await #expect(processExitsWith: .success) {
                let path = NSTemporaryDirectory() + "weir-state-" + UUID().uuidString
                let folder = try StateFolder(path)
                var checkpoint = RunCheckpoint()
                checkpoint.parts = [RunCheckpoint.Part(name: "p", bytes: [UInt8](repeating: 7, count: 5000))]
                _ = try folder.write(&checkpoint, isDurable: true)
                var failures = 0
                for choice in 0..<3 as Range<UInt64> {
                    for nth in 0..<60 as Range<UInt64> {
                        var next = checkpoint
                        next.time = Int64(choice * 100 + nth)
                        let kinds = UInt32(CWEIR_FAULT_DISK_FULL | CWEIR_FAULT_FILE | CWEIR_FAULT_SHORTAGE)
                        guard cweir_faults_begin_once(choice, kinds, nth) else { return }
                        let isWritten = (try? folder.write(&next, isDurable: true)) != nil
                        let failed = cweir_faults_end()
                        let found = try folder.newest { fatalError($0) }?.checkpoint
                        if isWritten {
                            guard found == next else {
                                fatalError("choice \(choice), call \(nth): not what was written")
                            }
                        } else {
                            failures += 1
                            // A name that is there without having been waited for counts too.
                            guard found == checkpoint || found == next else {
                                fatalError("choice \(choice), call \(nth)")
                            }
                        }
                        checkpoint = found ?? checkpoint
                        if failed == 0 { break }
                    }
                }
                guard failures > 3 else { fatalError("\(failures) failures") }
                try FileManager.default.removeItem(atPath: path)
            }
        }
    #endif
}
