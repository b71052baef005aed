import Foundation
import TestThreads
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.serialized) struct ExecTests {
    private let folder: Folder
    private let interruption: Interruption
    private let transport: ExecTransport

    init() throws {
        folder = try Folder()
        interruption = try Interruption()
        transport = ExecTransport(interruption: interruption)
    }

    private func collect(_ address: String) throws -> Collector { Collector(try transport.openSource(address)) }

    private func metrics(_ sink: any TransportSink) -> TransportMetrics { sink.meter?.metrics ?? TransportMetrics() }

    private func lines(_ name: String) -> [String] {
        let text = (try? String(contentsOfFile: folder(name), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Whether a process is there and does something: one whose parent has not asked how it ended does nothing.
    private static func isRunning(_ process: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    // MARK: Sources

    @Test func readsWhatTheShellPrints() throws {
        let collector = try collect("for n in 1 2 3; do echo \"line $n\"; done | sed 's/2/two/'")
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["line 1", "line two", "line 3"])
        #expect(collector.metrics.delivered == 3 && collector.metrics.isBalanced)
        #expect(collector.source.meter?.takeNotices() == [])
    }

    @Test func passesOnMuch() throws {
        let collector = Collector(try transport.openSource("seq 300000"))
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.count == 300_000 && collector.lines.last == "300000")
    }

    @Test func startsACommandAgainThatFails() throws {
        let command = "echo run >> \(folder("runs")); echo line; exec test $(wc -l < \(folder("runs"))) -ge 3"
        let collector = try collect(command + "?retry=20ms")
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["line", "line", "line"] && lines("runs").count == 3)
        let notices = collector.source.meter?.takeNotices() ?? []
        #expect(notices.count == 1 && notices[0].hasSuffix("the command ended with status 1; it is started again"))
        #expect(collector.metrics.connections == 3 && collector.metrics.isBalanced)
    }

    @Test(arguments: [("exit 3", "ended with status 3"), ("kill -9 $$", "was ended by signal 9")])
    func saysHowACommandEndedThatIsNotStartedAgain(end: String, reason: String) throws {
        let collector = try collect("echo one; \(end)?restart=never")
        let address = "exec:echo one; \(end)?restart=never"
        #expect(try collector.waitForEnd() == .readFailed(address: address, reason: "the command \(reason)"))
        #expect(collector.lines == ["one"])
    }

    @Test func aCommandThatThereIsNotIsNotTriedAgain() throws {
        let collector = try collect("exec /no/such/command 2>/dev/null?restart=always")
        let end = try collector.waitForEnd()
        #expect("\(end as Any)".contains("the command ended with status 127"))
    }

    @Test func theHeaderOfEachRunIsPassedOnOnceAndWhatWasCutIsRejected() throws {
        let command =
            "echo x >> \(folder("runs")); printf 'a,b\\n1,2\\n3,'; exec test $(wc -l < \(folder("runs"))) -ge 2"
        let collector = try collect(command + "?retry=20ms&header=shared")
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.lines == ["a,b", "1,2", "1,2"])
        let metrics = collector.metrics
        #expect(metrics[.header] == 1 && metrics[.unfinished] == 2 && metrics.delivered == 3 && metrics.isBalanced)
    }

    @Test func anInterruptionAsksTheCommandToEndAndReadsWhatItSays() throws {
        let collector = try collect("trap 'echo bye; exit 0' TERM; echo $$; while :; do sleep 0.02; done?drain=60s")
        try collector.waitForLines(1)
        let process = try #require(Int32(collector.lines[0]))
        interruption.trigger()
        guard case .interrupted? = try collector.waitForEnd() else {
            Issue.record("another end")
            return
        }
        #expect(collector.lines.dropFirst() == ["bye"])
        #expect(!Self.isRunning(process))
    }

    @Test func aCommandThatDoesNotListenIsMadeToEndWithAllThatItStarted() throws {
        let collector = try collect("trap '' TERM; sleep 1000 & echo $$ $!; while :; do sleep 0.02; done?drain=10ms")
        try collector.waitForLines(1)
        let processes = try collector.lines[0].split(separator: " ").map { try #require(Int32($0)) }
        #expect(processes.allSatisfy(Self.isRunning))
        interruption.trigger()
        _ = try collector.waitForEnd()
        try eventually("they are gone") { !processes.contains(where: Self.isRunning) }
    }

    @Test func aCommandThatIsSilentForTooLongIsStartedAgain() throws {
        let collector = try collect("echo x; exec sleep 1000?idle=2s&retry=20ms")
        try collector.waitForLines(2)
        interruption.trigger()
        _ = try collector.waitForEnd()
        #expect(collector.source.meter?.takeNotices().first?.contains("was ended by signal 15") == true)
    }

    @Test func commandsEndWithTheProgramHoweverThatEnds() async throws {
        let path = folder("process")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let source = try ExecTransport().openSource("echo $$ > \(path); echo ready; exec sleep 1000")
            let collector = Collector(source)
            try collector.waitForLines(1)
            kill(getpid(), SIGKILL)
        }
        let process = try #require(lines("process").first.flatMap { Int32($0) })
        try eventually("it is gone") { !Self.isRunning(process) }
    }

    // MARK: Sinks

    @Test func aCommandReadsEverythingAndIsWaitedFor() throws {
        let command = "sleep 0.1; cat > \(folder("out")); sleep 0.1; echo end >> \(folder("out"))"
        let sink = try transport.openSink(command + "?linger=300s")
        for number in 0..<20_000 { try sink.write("\(number)\n") }
        try sink.finish()
        #expect(lines("out") == (0..<20_000).map(String.init) + ["end"])
        #expect(metrics(sink).delivered == 20_000 && metrics(sink).isBalanced && metrics(sink).pending == 0)
    }

    @Test func whatACommandThatDiesHadNotReadIsCountedAndTheNextRunGetsTheRest() throws {
        let command =
            "if [ -e \(folder("x")) ]; then exec cat >> \(folder("out")); fi; touch \(folder("x")); "
            + "dd bs=1 count=25 of=\(folder("first")) 2>/dev/null; exit 1"
        let sink = try transport.openSink(command + "?retry=20ms&linger=60s")
        for number in 0..<50_000 { try sink.write("\(100_000 + number)\n") }
        var failure: TransportError?
        do throws(TransportError) { try sink.finish() } catch { failure = error }
        // Seven bytes a line: three were read whole, and the fourth in part.
        #expect(lines("first") == ["100000", "100001", "100002", "1000"])
        let found = metrics(sink)
        let rest = lines("out")
        #expect(found[.refused] > 0 && found.isBalanced && found.delivered + found[.refused] == 50_000, "\(found)")
        #expect(UInt64(rest.count) + 3 == found.delivered)
        #expect(rest == (0..<50_000).map { "\(100_000 + $0)" }.suffix(rest.count))
        #expect("\(failure as Any)".contains("\(found[.refused]) refused"))
        let notices = sink.meter?.takeNotices() ?? []
        #expect(notices.contains { $0.contains("the command ended with status 1 before it had read") }, "\(notices)")
    }

    @Test func aCommandThatHasEnoughEndsTheSink() async {
        await #expect(processExitsWith: .success) {
            // A write to a pipe without a reader is not to end the process either.
            signal(SIGPIPE, SIG_DFL)
            let folder = try Folder()
            let sink = try ExecTransport().openSink("exec head -n 1 > \(folder("out"))")
            var failure: TransportError?
            do throws(TransportError) {
                while true { try sink.write("line\n") }
            } catch {
                failure = error
            }
            guard case .closed? = failure else { throw Impatience(description: "\(failure as Any)") }
            do throws(TransportError) { try sink.finish() } catch { failure = error }
            let metrics = try #require(sink.meter?.metrics)
            #expect(metrics.isBalanced && metrics.pending == 0, "\(metrics)")
            #expect(try String(contentsOfFile: folder("out"), encoding: .utf8) == "line\n")
            let notices = sink.meter?.takeNotices() ?? []
            #expect(notices.contains { $0.contains("cannot be written to any more: the command ended with status 0") })
        }
    }

    @Test(arguments: [
        ("exec /no/such/command 2>/dev/null", "status 127"), ("exit 1?restart=never", "status 1"),
        ("kill -9 $$?restart=never", "signal 9"), ("head -c 1000 > /dev/null; exit 1?restart=never", "status 1"),
        ("kill -PIPE $$?restart=never", nil), ("exit 0", nil),
    ])
    func aCommandThatFailsForGoodIsAFailure(command: String, ending: String?) throws {
        let sink = try transport.openSink(command)
        var failure: TransportError?
        do throws(TransportError) {
            while true { try sink.write("line\n") }
        } catch {
            failure = error
        }
        switch failure {
        case .writeFailed(_, let reason)?: #expect(ending.map(reason.contains) == true, "\(reason)")
        case .closed?: #expect(ending == nil)
        default: Issue.record("\(failure as Any)")
        }
        try? sink.finish()
        #expect(metrics(sink).isBalanced && metrics(sink).pending == 0)
    }

    @Test func saysHowACommandEndedAtTheEnd() throws {
        let sink = try transport.openSink("cat > /dev/null; exit 4?linger=300s")
        try sink.write("one\n")
        try sink.finish()
        #expect(sink.meter?.takeNotices().first?.hasSuffix("the command ended with status 4") == true)
    }

    @Test(arguments: [
        ("", "the command is missing; write exec:COMMAND"), ("ls?restart=never&retry=1s", "takes a restart"),
    ])
    func refusesAddressesThatMakeNoSense(address: String, reason: String) {
        for open in [{ _ = try transport.openSource(address) }, { _ = try transport.openSink(address) }] {
            do {
                try open()
                Issue.record("it was taken")
            } catch {
                #expect("\(error)".contains(reason), "\(error)")
            }
        }
    }
}
