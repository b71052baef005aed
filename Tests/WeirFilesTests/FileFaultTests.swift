import WeirRecords

#if os(Linux)
    import CWeirFaults
    import Foundation
    import Testing
    import WeirCore
    import WeirFiles

    /// Each system call of those that write files fails in turn, in each of its ways.
    ///
    /// Each test runs in a process of its own, because the faults are the whole process's.
    @Suite(.serialized) struct FileFaultTests {
        /// Does something again and again, until no call is left that could fail.
        ///
        /// - Parameters:
        ///   - deed: Done with one call that fails.
        ///   - check: Looks at what came of it; called with the error, if there was one.
        private static func failEachCall(
            _ deed: (String) throws -> Void,
            check: (String, (any Error)?) throws -> Void
        ) {
            var faults = 0
            for choice in UInt64(0)..<3 {
                for nth in UInt64(0)... {
                    do {
                        let folder = try TemporaryFolder()
                        let path = try folder.file("a", "old\n")
                        var fault: (any Error)?
                        #expect(cweir_faults_begin_once(choice, UInt32(CWEIR_FAULT_FILE), nth))
                        do { try deed(path) } catch { fault = error }
                        guard cweir_faults_end() > 0 else { break }
                        faults += 1
                        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
                        try check(path, fault)
                    } catch {
                        Issue.record("choice \(choice), call \(nth): \(error)")
                    }
                }
            }
            print("WeirFiles: \(faults) calls failed in turn")
            #expect(faults > 8)
        }

        private static func contents(of path: String) throws -> String {
            try String(contentsOfFile: path, encoding: .utf8)
        }

        @Test func aFileHasTheStartOfWhatWasWritten() async {
            await #expect(processExitsWith: .success) {
                Self.failEachCall { path in
                    let sink = try FileTransport().openSink(path)
                    for line in ["one\n", "two\n", "three\n"] { try sink.write(line) }
                    try sink.finish()
                } check: { path, fault in
                    let found = try Self.contents(of: path)
                    if fault == nil {
                        #expect(found == "one\ntwo\nthree\n")
                    } else {
                        #expect(found == "old\n" || "one\ntwo\nthree\n".hasPrefix(found), "\(found)")
                    }
                }
            }
        }

        @Test func aFileThatIsReplacedIsTheOldOneOrTheNewOne() async {
            await #expect(processExitsWith: .success) {
                Self.failEachCall { path in
                    try FileSystem.replaceFile(path, with: Array("one\ntwo\n".utf8))
                    try FileSystem.replaceFile(path, with: Array("one\ntwo\nthree\n".utf8))
                } check: { path, fault in
                    let found = try Self.contents(of: path)
                    let possible = fault == nil ? ["one\ntwo\nthree\n"] : ["old\n", "one\ntwo\n"]
                    #expect(possible.contains(found), "\(found)")
                }
            }
        }
    }
#endif
