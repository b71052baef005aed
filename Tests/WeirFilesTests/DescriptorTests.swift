import Foundation
import Synchronization
import Testing
import WeirCore
import WeirFiles
import WeirRecords

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct DescriptorTests {
    @Test func handsOutWhatIsThereWithoutWaitingForMore() throws {
        let pipe = TestPipe()
        let source = try pipe.source()
        #expect(source.expectedByteCount == nil)
        pipe.send("one\n")
        #expect(try source.readOnce() == "one\n")
        pipe.send("two\nthr")
        #expect(try source.readOnce(4) == "two\n")
        #expect(try source.readOnce() == "thr")
        pipe.closeWriting()
        #expect(try source.readOnce() == "")
    }

    /// Before the place that was read, or behind it.
    @Test(arguments: [1000, 5000]) func aFileThatIsCutWhileItIsReadIsToldOf(length: Int) throws {
        let path = NSTemporaryDirectory() + "/weir-cut-" + UUID().uuidString
        defer { unsafe unlink(path) }
        try Data(repeating: 65, count: 10_000).write(to: URL(fileURLWithPath: path))
        let source = try FileTransport().openSource(path)
        #expect(try source.readOnce(4096).utf8.count == 4096)
        unsafe truncate(path, length)
        let error = #expect(throws: TransportError.self) { while try !source.readOnce(4096).isEmpty {} }
        #expect(
            error
                == .readFailed(
                    address: path,
                    reason: "the file was cut from 10000 to \(length) bytes while it was read; read it again"
                )
        )
        // One that grows is read on.
        let growing = try FileTransport().openSource(path)
        #expect(try growing.readOnce(10).utf8.count == 10)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        #expect(try growing.readAll().utf8.count == length - 10 + 4)
    }

    @Test func closesWhatItOwns() throws {
        let first = TestPipe()
        var sink: (any TransportSink)? = try first.sink()
        try sink?.write("a")
        sink = nil
        #expect(try first.source().readAll() == "a", "the end shows that nobody can write any more")
        let second = TestPipe()
        var source: (any TransportSource)? = try second.source()
        second.send("a")
        #expect(try source?.readOnce() == "a")
        source = nil
        #expect(throws: TransportError.closed(address: "pipe")) { try second.sink().write("a") }
    }

    @Test func saysThatTheReaderIsGone() throws {
        let pipe = TestPipe()
        let sink = try pipe.sink()
        pipe.closeReading()
        #expect(throws: TransportError.closed(address: "pipe")) { try sink.write("nobody reads this") }
    }

    @Test func waitsForRoomInAPipeThatDoesNotBlock() async throws {
        let pipe = TestPipe()
        pipe.makeNonBlocking(pipe.writing)
        let sink = try pipe.sink()
        let text = String(repeating: "0123456789", count: 50_000)
        let reader = Reading(try pipe.source())
        try sink.write(text)
        _ = consume sink
        #expect(try reader.take(text.utf8.count) == text)
    }

    @Test func waitsForBytesInAPipeThatDoesNotBlock() throws {
        let pipe = TestPipe()
        pipe.makeNonBlocking(pipe.reading)
        let reader = Reading(try pipe.source())
        pipe.send("late")
        #expect(try reader.take(4) == "late")
    }

    @Test func anInterruptionEndsAReadThatWaits() throws {
        let pipe = TestPipe()
        let interruption = try Interruption()
        let reader = Reading(try pipe.source(interruption: interruption))
        pipe.send("before")
        #expect(try reader.take(6) == "before")
        interruption.trigger()
        #expect(throws: TransportError.interrupted(address: "pipe")) { try reader.take(1) }
        #expect(interruption.isTriggered)
    }

    @Test func anInterruptionEndsReadingAFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "abc")
        let interruption = try Interruption()
        let source = try FileTransport(interruption: interruption).openSource(path)
        #expect(try source.readOnce(1) == "a")
        for _ in 0..<100_000 { interruption.trigger() }
        #expect(throws: TransportError.interrupted(address: path)) { try source.readOnce(1) }
    }

    #if canImport(Glibc)
        @Test func readsOnAfterASignal() throws {
            // A handler without SA_RESTART: read(2) fails with EINTR.
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { _ in Signals.count.add(1, ordering: .relaxed) }
            unsafe #expect(sigaction(SIGUSR2, &action, nil) == 0)
            let pipe = TestPipe()
            let reader = Reading(try pipe.source())
            let thread = reader.thread()
            // Each is delivered before the next one is sent, so at least the later ones meet a read that waits.
            for number in 1...20 {
                #expect(pthread_kill(thread, SIGUSR2) == 0)
                let limit = Date(timeIntervalSinceNow: 300)
                while Signals.count.load(ordering: .relaxed) < number, Date() < limit { sched_yield() }
                try #require(Signals.count.load(ordering: .relaxed) == number)
            }
            pipe.send("still here")
            #expect(try reader.take(10) == "still here")
        }

        @Test func anInterruptionEndsAReadThatWaitsOnAfterASignal() throws {
            // A handler as signal(3) installs it: poll(2) fails with EINTR, and a read(2) goes on.
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { _ in Signals.restarted.add(1, ordering: .relaxed) }
            action.sa_flags = SA_RESTART
            unsafe #expect(sigaction(SIGUSR1, &action, nil) == 0)
            let pipe = TestPipe()
            let interruption = try Interruption()
            let reader = Reading(try pipe.source(interruption: interruption))
            let thread = reader.thread()
            for number in 1...20 {
                #expect(pthread_kill(thread, SIGUSR1) == 0)
                let limit = Date(timeIntervalSinceNow: 300)
                while Signals.restarted.load(ordering: .relaxed) < number, Date() < limit { sched_yield() }
                try #require(Signals.restarted.load(ordering: .relaxed) == number)
            }
            interruption.trigger()
            #expect(throws: TransportError.interrupted(address: "pipe")) { try reader.take(1) }
        }
    #endif
}

private enum Signals {
    static let count = Atomic(0)
    static let restarted = Atomic(0)
}

/// Reads a source on a thread of its own.
private final class Reading: @unchecked Sendable {
    // Safety: `source` is used by the thread only, everything else under the condition's lock.
    private let source: any TransportSource
    private let condition = NSCondition()
    private var text = ""
    private var error: TransportError?
    #if canImport(Glibc)
        private var identity: pthread_t?
    #endif
    private var isAtEnd = false

    init(_ source: any TransportSource) {
        self.source = source
        Thread { [self] in
            #if canImport(Glibc)
                // The threads that tests run on block all signals, and their children inherit that.
                var signals = sigset_t()
                unsafe sigemptyset(&signals)
                unsafe sigaddset(&signals, SIGUSR1)
                unsafe sigaddset(&signals, SIGUSR2)
                unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                condition.withLock {
                    identity = pthread_self()
                    condition.broadcast()
                }
            #endif
            while step() {}
        }.start()
    }

    private func step() -> Bool {
        do throws(TransportError) {
            let piece = try source.readOnce()
            condition.withLock {
                text += piece
                isAtEnd = piece.isEmpty
                condition.broadcast()
            }
            return !piece.isEmpty
        } catch {
            condition.withLock {
                self.error = error
                condition.broadcast()
            }
            return false
        }
    }

    /// The first `count` bytes, once they are there; gives up after five minutes.
    func take(_ count: Int) throws -> String {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 300)
        while text.utf8.count < count, error == nil, !isAtEnd {
            guard condition.wait(until: limit) else { break }
        }
        if text.utf8.count >= count {
            let taken = String(text.prefix(count))
            text.removeFirst(count)
            return taken
        }
        if let error { throw error }
        return text
    }

    #if canImport(Glibc)
        /// The thread that reads.
        func thread() -> pthread_t {
            condition.lock()
            defer { condition.unlock() }
            while true {
                if let identity { return identity }
                condition.wait()
            }
        }
    #endif
}
