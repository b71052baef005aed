#if os(Linux)
    import CWeirFaults
    import Foundation
    import Glibc
    import Testing
    import WeirCore
    import WeirFiles
    import WeirRecords

    /// Each system call that starts a program for a compressed file fails in turn, in each of its ways.
    ///
    /// Each test runs in a process of its own, because the faults are the whole process's.
    @Suite(.serialized) struct SpawnFaultTests {
        private static func openPipes() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return target?.hasPrefix("pipe:") ?? false
            }
        }

        @Test func aFileIsReadAndWrittenWholeOrNotAtAll() async {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip") else { return }
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let transport = FileTransport(handlesCompression: true)
                let path = try folder.file("a.csv.gz")
                let text = "a\n1\n2\n"
                let first = try transport.openSink(path)
                try first.write(Array(text.utf8))
                try first.finish()
                let pipes = try Self.openPipes()
                var faults = 0
                for choice in UInt64(0)..<2 {
                    for nth in UInt64(0)... {
                        var failure: (any Error)?
                        #expect(cweir_faults_begin_once(choice, UInt32(CWEIR_FAULT_SPAWNING), nth))
                        do {
                            let read = try transport.openSource(path).readAll(1000)
                            #expect(read == text)
                            let sink = try transport.openSink(try folder.file("b.csv.gz"))
                            try sink.write(Array(text.utf8))
                            try sink.finish()
                        } catch {
                            failure = error
                        }
                        let isOver = cweir_faults_end() == 0
                        #expect((failure == nil) == isOver, "choice \(choice), call \(nth): \(failure as Any)")
                        #expect(waitpid(-1, nil, WNOHANG) < 0, "call \(nth) left a program behind")
                        let left = try Self.openPipes()
                        #expect(left == pipes, "choice \(choice), call \(nth): \(left) pipes, \(pipes) before")
                        if isOver { break }
                        faults += 1
                    }
                }
                #expect(faults > 15, "\(faults)")
            }
        }
    }
#endif
