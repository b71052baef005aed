import Foundation
import Testing
import WeirCore
import WeirRecords
import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// `weir` with connections, programs, requests, and messages of syslog.
@Suite(.serialized) struct DoorTests {
    private let weir: WeirProcess

    init() throws { weir = try WeirProcess() }

    /// Readings with as many shakes as seconds.
    private func readings(seconds: Int) -> [(time: Int, x: Double)] {
        (0..<seconds * 50).map { index in
            (index * 20, index % 50 < 12 ? (index % 2 == 0 ? 2.5 : -2.5) : 0)
        }
    }

    private var table: String {
        "time,x,y,z\n" + readings(seconds: 20).map { "\($0.time),\($0.x),0,1\n" }.joined()
    }

    /// What `weir` finds in a file: what it must find in the same readings from anywhere.
    private func expected() throws -> String {
        try weir.file("readings.csv", table)
        let outcome = try weir.run("run", "shake", "readings.csv")
        #expect(outcome.exitCode == 0 && !outcome.output.isEmpty)
        return outcome.output
    }

    /// What one sender leaves open neither swallows what others send nor holds it back.
    @Test func anOpenQuoteOfOneSenderCostsItsLine() throws {
        let arguments = [
            "convert", "--from", "unix:in?header=shared&accept=2", "--format", "csv", "--to-format", "jsonl",
        ]
        let running = try weir.start(arguments, input: .nothing)
        let first = try UnixTransport().openSink(weir.folder + "/in?linger=60s&retry=20ms")
        try first.write(Array("t,v\n1,\"x\n".utf8))
        let second = try UnixTransport().openSink(weir.folder + "/in?linger=60s&retry=20ms")
        try second.write(Array("t,v\n2,b\n3,c\n".utf8))
        try second.finish()
        try first.write(Array("y\"\n4,d\n".utf8))
        try first.finish()
        let outcome = try running.outcome()
        let found = outcome.output.split(separator: "\n").sorted()
        #expect(found == [#"{"t":2,"v":"b"}"#, #"{"t":3,"v":"c"}"#, #"{"t":4,"v":"d"}"#], "\(outcome)")
        #expect(outcome.errors.contains("a quote is not closed in its line"), "\(outcome.errors)")
        #expect(outcome.errors.contains("3 records converted, 2 rejected"), "\(outcome.errors)")
    }

    /// Whole lines behind an open quote are read when the program is made to end.
    @Test func anOpenQuoteHidesNothingAtAnInterruption() throws {
        try weir.file("in.csv", "t,v\n1,a\n2,\"open\n3,b\n4,c\n5,")
        let running = try weir.start(
            [
                "convert", "--from", "file:in.csv?follow=true&poll=2ms", "--format", "csv", "--columns", "t,v", "--to",
                "o.jsonl",
            ],
            input: .nothing
        )
        try WeirProcess.eventually("the first record is read") { (try? weir.text(of: "o.jsonl").isEmpty) == false }
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        let output = try weir.text(of: "o.jsonl")
        for line in [#"{"t":1,"v":"a"}"#, #"{"t":3,"v":"b"}"#, #"{"t":4,"v":"c"}"#] {
            #expect(output.contains(line), "\(output) \(outcome)")
        }
        #expect(outcome.errors.contains("3 records converted, 2 rejected"), "\(outcome.errors)")
    }

    @Test func findsTheSameInWhatAProgramPrintsAndHasAnotherReadIt() throws {
        let wanted = try expected()
        let outcome = try weir.run(
            "run",
            "shake",
            "--from",
            "exec:cat readings.csv",
            "--to",
            "exec:cat > out; echo end >> out"
        )
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try weir.text(of: "out") == wanted + "end\n")
        #expect(outcome.errors.contains("input: 1001 sent, 1001 delivered\n"), "\(outcome.errors)")
    }

    @Test func aProgramThatFailsIsAnErrorWhereItIsNotStartedAgain() throws {
        try weir.file("readings.csv", table)
        let outcome = try weir.run("run", "shake", "--from", "exec:cat readings.csv; exit 3?restart=never")
        #expect(outcome.exitCode != 0)
        #expect(outcome.errors.contains("the command ended with status 3"), "\(outcome.errors)")
    }

    @Test func findsTheSameInAConnectionOfTCP() throws {
        let wanted = try expected()
        let port = UInt16.random(in: 20_000..<30_000)
        let running = try weir.start(["run", "shake", "--from", "tcp://:\(port)?accept=1"], input: .nothing)
        let sink = try TCPTransport().openSink("//127.0.0.1:\(port)?retry=20ms&linger=60s")
        try sink.write(Array(table.utf8))
        try sink.finish()
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 0 && outcome.output == wanted, "\(outcome.errors)")
    }

    @Test func findsTheSameInArraysThatArePosted() throws {
        let wanted = try expected()
        let port = UInt16.random(in: 20_000..<30_000)
        let running = try weir.start(
            ["run", "shake", "--from", "http://:\(port)/readings?drain=60s", "--format", "jsonl"],
            input: .nothing
        )
        let sink = try HTTPTransport().openSink(
            "//127.0.0.1:\(port)/readings?body=array&lines=100&retry=20ms&linger=60s&timeout=60s"
        )
        for reading in readings(seconds: 20) {
            try sink.write(Array("{\"time\":\(reading.time),\"x\":\(reading.x),\"y\":0,\"z\":1}\n".utf8))
        }
        try sink.finish()
        #expect(sink.meter?.metrics.delivered == 1000)
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 130 && outcome.output == wanted, "\(outcome.errors)")
        #expect(outcome.errors.contains("input: 1000 sent, 1000 delivered\n"), "\(outcome.errors)")
    }

    @Test func readsMessagesOfSyslogFromAFileAndFromConnections() throws {
        let messages = [
            "<34>1 2003-10-11T22:14:15.003Z h su - ID47 [a@1 ip=\"::1\"] 'su root' failed", "nonsense",
            "<13>1 2003-10-11T22:14:16Z h sshd 7 - - ok",
        ]
        let columns = "severity,time,app,procid,message,data.a@1.ip"
        let wanted = [
            #"{"severity":2,"time":"2003-10-11T22:14:15.003Z","app":"su","message":"'su root' failed","data.a@1.ip":"::1"}"#,
            #"{"severity":5,"time":"2003-10-11T22:14:16Z","app":"sshd","procid":"7","message":"ok"}"#,
        ]
        try weir.file("auth.syslog", messages.joined(separator: "\n"))
        let file = try weir.run("convert", "--from", "auth.syslog", "--to-format", "jsonl", "--columns", columns)
        #expect(file.output.split(separator: "\n").map(String.init) == wanted, "\(file.output) \(file.errors)")
        #expect(file.errors.contains("it is no message of syslog"), "\(file.errors)")
        let port = UInt16.random(in: 20_000..<30_000)
        let running = try weir.start(
            [
                "convert", "--from", "tcp://:\(port)?framing=octets&accept=1", "--format", "syslog", "--to-format",
                "jsonl",
                "--columns", columns,
            ],
            input: .nothing
        )
        let sink = try TCPTransport().openSink("//127.0.0.1:\(port)?retry=20ms&linger=60s")
        // One in each way.
        try sink.write(Array("\(messages[0].utf8.count) \(messages[0])\(messages[2])\n".utf8))
        try sink.finish()
        let outcome = try running.outcome()
        #expect(outcome.output.split(separator: "\n").map(String.init) == wanted, "\(outcome.output) \(outcome.errors)")
        let back = try weir.run("convert", "auth.syslog", "--to-format", "syslog")
        #expect(back.output == messages[0] + "\n" + messages[2] + "\n", "\(back.errors)")
    }

    /// The fields of an input that can be read once are looked for in its start, which may be all of it.
    @Test func whatCameBeforeTheEndOfALiveInputIsConverted() throws {
        let dead = try weir.run(
            "convert",
            "exec:echo '{\"a\":1}'; echo '{\"a\":2}'; kill -9 $$?restart=never",
            "--format",
            "jsonl"
        )
        #expect(dead.output == "{\"a\":1}\n{\"a\":2}\n" && dead.exitCode == 66, "\(dead.errors)")
        #expect(dead.errors.contains("was ended by signal 9") && dead.errors.contains("; 2 records converted"))
        #expect(dead.errors.hasPrefix("weir: the fields are those of the first MiB"), "\(dead.errors)")
        let port = UInt16.random(in: 20_000..<30_000)
        let running = try weir.start(["convert", "tcp://:\(port)?drain=60s", "--format", "jsonl"], input: .nothing)
        let sink = try TCPTransport().openSink("//127.0.0.1:\(port)?retry=20ms&linger=60s")
        try sink.write(Array("{\"a\":1}\n{\"b\":2}\n".utf8))
        try sink.finish()
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.output == "{\"a\":1}\n{\"b\":2}\n" && outcome.exitCode == 130, "\(outcome.errors)")
        let nothing = try weir.run("convert", "exec:exit 3?restart=never", "--format", "jsonl")
        #expect(nothing.output == "" && nothing.exitCode == 66 && nothing.errors.contains("ended with status 3"))
    }

    @Test func saysWhatIsWrongWithAnAddress() throws {
        for (address, words) in [
            ("tcp://:900000", "is not a port"), ("tcp:9000", "write tcp://HOST:PORT"),
            ("exec:", "the command is missing"),
            ("exec:ls?restart=sometimes", "is not one of never, failure, always"),
            ("http:x", "write http://HOST:PORT/PATH"),
            ("http://:9000/in?max-body=1", "is not between"), ("tcp://:9000?framing=octet", "did you mean 'octets'?"),
        ] {
            let outcome = try weir.run("run", "shake", "--from", address)
            #expect(outcome.exitCode == 2, "\(address)")
            #expect(outcome.errors.contains(words) && outcome.errorLines.count == 1, "\(outcome.errors)")
        }
    }
}
