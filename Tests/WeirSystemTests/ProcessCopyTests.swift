import TestThreads
import Testing
import WeirCore
import WeirSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    @Suite struct ProcessCopyTests {
        private static let text = Array("what was there".utf8)

        /// Five minutes, for copies that are not to be ended: a busy machine may let them wait for the processor.
        private static let longPatience = 3000

        @Test func aCopyHasWhatWasThere() throws {
            var bytes = Self.text
            let copy = try #require(
                ProcessCopy.start(keeping: nil) { noteComputed in
                    usleep(20_000)
                    noteComputed()
                    return bytes
                }
            )
            // The copy sleeps by now, and has its own.
            for index in bytes.indices { bytes[index] = 0 }
            #expect(copy.wait(patience: Self.longPatience) == .report(Self.text))
        }

        @Test func aCopyThatEndsIsSaid() throws {
            let killed = try #require(
                ProcessCopy.start(keeping: nil) { _ in
                    kill(getpid(), SIGKILL)
                    return []
                }
            )
            #expect(killed.wait(patience: Self.longPatience) == .lost("was ended by signal 9"))
            let left = try #require(ProcessCopy.start(keeping: nil) { _ in _exit(3) })
            #expect(left.wait(patience: Self.longPatience) == .lost("ended with 3"))
            let crashed = try #require(ProcessCopy.start(keeping: nil) { _ in abort() })
            #expect(crashed.wait(patience: Self.longPatience) == .lost("was ended by signal 6"))
        }

        @Test func aCopyThatWaitsForGoodIsEnded() throws {
            var ends: [Int32] = [-1, -1]
            #expect(unsafe pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            // Nothing comes there, as with a lock that another thread held.
            func waitForGood() { var byte: UInt8 = 0; _ = unsafe read(ends[0], &byte, 1) }
            let copy = try #require(
                ProcessCopy.start(keeping: ends[0]) { _ in
                    waitForGood()
                    return []
                }
            )
            #expect(copy.wait(patience: 3) == .lost("waited for a lock of another thread"))
        }

        @Test func aCopyMayWaitForADisk() throws {
            // A copy that does not come to its first step within 100 ms is ended; one that waits behind it is not.
            try eventually("a copy is waited for") {
                var ends: [Int32] = [-1, -1]
                try #require(unsafe pipe(&ends) == 0)
                defer { for end in ends { close(end) } }
                let copy = try #require(
                    ProcessCopy.start(keeping: ends[0]) { noteComputed in
                        noteComputed()
                        var byte: UInt8 = 0
                        _ = unsafe read(ends[0], &byte, 1)
                        return Self.text
                    }
                )
                var silences = 0
                let outcome = copy.wait(patience: 1) {
                    silences += 1
                    // Long after its patience would be over.
                    if silences == 5 { _ = unsafe write(ends[1], "x", 1) }
                }
                return outcome == .report(Self.text) && silences >= 5
            }
        }

        @Test func aCopyHasTwoDescriptorsBesideTheStandardStreams() throws {
            var ends: [Int32] = [-1, -1]
            #expect(unsafe pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let copy = try #require(
                ProcessCopy.start(keeping: ends[1]) { _ in
                    let open = (3..<1024).filter { fcntl(Int32($0), F_GETFD) >= 0 }
                    return Array("\(open.count) \(open.contains(Int(ends[1])))".utf8)
                }
            )
            #expect(copy.wait(patience: Self.longPatience) == .report(Array("2 true".utf8)))
        }
    }
#endif
