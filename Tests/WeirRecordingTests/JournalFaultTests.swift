import CWeirFaults
import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirRecording

#if os(Linux)
    /// A journal on a disk where calls fail.
    @Suite struct JournalFaultTests {
        /// Each system call fails in turn: a byte that was handed out is in the journal, or the input has failed.
        @Test func noCallThatFailsLosesAByte() async {
            await #expect(processExitsWith: .success) {
                let folder = NSTemporaryDirectory() + "weir-journal-" + UUID().uuidString
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                var failures = 0
                for choice in 0..<3 as Range<UInt64> {
                    for nth in 0..<40 as Range<UInt64> {
                        let settings = Journal.Settings(limit: 1 << 20, policy: .stop, isDurable: true)
                        let name = "in \(choice) \(nth)"
                        let journal = try Journal(in: folder, of: name, settings)
                        let source = try JournaledSource(
                            ByteSource([UInt8](repeating: 7, count: 900)),
                            journal,
                            from: 0
                        )
                        let kinds = UInt32(CWEIR_FAULT_DISK_FULL | CWEIR_FAULT_FILE | CWEIR_FAULT_SHORTAGE)
                        guard cweir_faults_begin_once(choice, kinds, nth) else { return }
                        var count: Int64 = 0
                        var buffer = [UInt8](repeating: 0, count: 100)
                        do {
                            for _ in 0..<9 {
                                count += Int64(
                                    try unsafe buffer.withUnsafeMutableBytes { try unsafe source.read(into: $0) }
                                )
                            }
                        } catch {
                            failures += 1
                        }
                        let failed = cweir_faults_end()
                        let kept = try Journal(in: folder, of: name, settings).extent.upperBound
                        guard kept >= count, kept <= count + 100 else {
                            fatalError(
                                "choice \(choice), call \(nth): \(kept) bytes are kept, \(count) were handed out"
                            )
                        }
                        if failed == 0 { break }
                    }
                }
                guard failures > 3 else { fatalError("\(failures) failures") }
                try FileManager.default.removeItem(atPath: folder)
            }
        }
    }
#endif
