import Foundation
import TestPlugins
import Testing
import WeirCore
import WeirRecords
import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

extension HostTests {
    /// Records whose times are out of order: `--lateness`, `--late` and `--max-held`.
    @Suite struct LatenessTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        #if canImport(Darwin)
            private static let libraryEnding = "dylib"
        #else
            private static let libraryEnding = "so"
        #endif

        private static let columns = ["--columns", "time=time,text=text"]

        /// Posts with their times in milliseconds; each is reported.
        private func posts(_ times: [Int]) -> String {
            "time,text\n" + times.enumerated().map { "\($1),apple is good \($0)\n" }.joined()
        }

        private func sentiment(_ file: String, _ options: String...) throws -> Outcome {
            try weir.start(["run", "sentiment", file] + Self.columns + options, input: .nothing).outcome()
        }

        /// The texts of the posts that were reported, in their order.
        private func texts(_ outcome: Outcome) -> [String] {
            outcome.output.split(separator: "\n").compactMap { line in
                line.components(separatedBy: "\"text\":\"").last.map { String($0.dropLast(2)) }
            }
        }

        @Test func recordsComeInTheOrderOfTheirTimes() throws {
            try weir.file("a.csv", posts([1000, 3000, 2000, 2000, 1500, 500]))
            let outcome = try sentiment("a.csv", "--lateness", "1500ms", "--late", "late")
            #expect(
                texts(outcome) == [0, 4, 2, 3, 1].map { "apple is good \($0)" },
                "those of the same time keep their order"
            )
            #expect(try weir.text(of: "late") == "500,apple is good 5\n")
            #expect(outcome.errors.hasPrefix("weir: 5 events read, 0 rejected, 1 late, 5 matches in "))
            #expect(outcome.exitCode == 0)
            #expect(try sentiment("a.csv", "--lateness", "1500ms", "--strict").exitCode == 1)
            #expect(try sentiment("a.csv", "--lateness", "2500ms", "--strict").exitCode == 0)
        }

        /// What must come out: the indexes of the records in order, and of those that are late.
        private func model(_ times: [Int], lateness: Int) -> (ordered: [Int], late: [Int]) {
            var newest = Int.min
            var taken: [Int] = []
            var late: [Int] = []
            for (index, time) in times.enumerated() {
                newest = max(newest, time)
                if time < newest - lateness { late.append(index) } else { taken.append(index) }
            }
            // Sorting is stable.
            return (taken.sorted { times[$0] < times[$1] }, late)
        }

        @Test(arguments: 1...4)
        func anyOrderIsAsTheModelSays(seed: Int) throws {
            var random = SeededGenerator(seed: UInt64(seed))
            let times = (0..<3000).map { $0 / 2 + Int.random(in: 0..<60, using: &random) }
            let wanted = model(times, lateness: 30)
            #expect(!wanted.late.isEmpty && wanted.ordered != wanted.ordered.sorted())
            try weir.file("a.csv", posts(times))
            let outcome = try sentiment("a.csv", "--lateness", "30ms", "--late", "late")
            #expect(texts(outcome) == wanted.ordered.map { "apple is good \($0)" }, "seed \(seed)")
            let kept = wanted.late.map { "\(times[$0]),apple is good \($0)\n" }.joined()
            #expect(try weir.text(of: "late") == kept, "seed \(seed)")
        }

        /// What is refused stands among the records as it came, however many threads read and work.
        @Test(arguments: [10, 200, 5000])
        func whatIsRejectedHasOneOrder(lateness: Int) throws {
            var random = SeededGenerator(seed: UInt64(lateness))
            var time = 0
            let rows = (0..<12_000).map { index in
                time += Int.random(in: 1...20, using: &random)
                let late = [0, 0, 0, 50, 200, 5000][Int.random(in: 0..<6, using: &random)]
                switch Int.random(in: 0..<40, using: &random) {
                case 0: return "short \(index),row\n"
                case 1: return "d\(index % 7),\(time - late),no number \(index),0,0\n"
                default: return "d\(index % 7),\(time - late),\(index % 11 == 0 ? 9 : 0),0,0\n"
                }
            }
            try weir.file("in.csv", "id,time,x,y,z\n" + rows.joined())
            func run(_ name: String, _ more: [String]) throws -> [String] {
                let words = ["run", "shake", "in.csv", "--by", "id", "--lateness", "\(lateness)ms"]
                let files = ["--rejected", "rejected-\(name)", "--late", "late-\(name)"]
                let outcome = try weir.start(words + files + more, input: .nothing).outcome()
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                return [outcome.output, try weir.text(of: "rejected-\(name)"), try weir.text(of: "late-\(name)")]
            }
            let wanted = try run("1", [])
            #expect(wanted[1].contains("short") && wanted[1].contains("no number"))
            for count in ["2", "3"] {
                let shared = try run("shared-\(count)", ["--workers", count, "--partition-by", "id"])
                let read = try run("read-\(count)", ["--workers", count])
                for part in 0..<3 {
                    let isSame = shared[part] == wanted[part] && read[part] == wanted[part]
                    #expect(isSame, "part \(part), \(count) workers")
                }
            }
        }

        @Test func severalInputsAndWorkersAgree() throws {
            var random = SeededGenerator(seed: 7)
            let rows = (0..<4000).map { index in
                "\((index * 10 + Int.random(in: 0..<499, using: &random)) * 1000 + index % 1000),card\(index % 5),"
                    + "\([1, 2, 3, 900][Int.random(in: 0..<4, using: &random)])\n"
            }
            let head = "time,card,amount\n"
            func time(_ row: String) -> Int { Int(row.prefix { $0 != "," }) ?? 0 }
            try weir.file("sorted.csv", head + rows.sorted { time($0) < time($1) }.joined())
            try weir.file("all.csv", head + rows.joined())
            try weir.file("even.csv", head + rows.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined())
            try weir.file("odd.csv", head + rows.enumerated().filter { $0.offset % 2 == 1 }.map(\.element).joined())
            func microseconds(_ words: String...) throws -> Outcome {
                try weir.start(["run"] + words + ["--time-unit", "us"], input: .nothing).outcome()
            }
            let wanted = try microseconds("fraud", "sorted.csv")
            #expect(wanted.output.split(separator: "\n").count > 10)
            let one = try microseconds("fraud", "all.csv", "--lateness", "500ms")
            let isSameAlone = one.output == wanted.output
            #expect(isSameAlone)
            #expect(one.errors.contains("4,000 events read, 0 rejected, "))
            let two = try microseconds("fraud", "even.csv", "odd.csv", "--lateness", "500ms")
            let isSame = two.output == wanted.output
            #expect(isSame)
            let workers = try microseconds(
                "fraud",
                "all.csv",
                "--lateness",
                "500ms",
                "--partition-by",
                "card",
                "--workers",
                "3",
                "--strict"
            )
            let isSameShared = workers.output == wanted.output
            #expect(isSameShared)
            let late = try microseconds(
                "fraud",
                "all.csv",
                "--lateness",
                "200ms",
                "--partition-by",
                "card",
                "--workers",
                "3",
                "--late",
                "late"
            )
            let alone = try microseconds("fraud", "all.csv", "--lateness", "200ms", "--late", "late-alone")
            let isSameWithoutLate = late.output == alone.output
            #expect(isSameWithoutLate)
            #expect(try weir.text(of: "late") == weir.text(of: "late-alone"))
            let count = try weir.text(of: "late").split(separator: "\n").count
            #expect(count > 100)
            #expect(
                late.errors.filter { $0 != "," }.contains("events read 0 rejected \(count) late "),
                "\(late.errors)"
            )
        }

        @Test func whatIsRejectedIsKeptApart() throws {
            try weir.file("a.csv", posts([1000, 3000]) + "x,apple\n" + "10,apple is late\n")
            let outcome = try sentiment("a.csv", "--lateness", "1s", "--late", "late", "--rejected", "rejected")
            #expect(try weir.text(of: "late") == "10,apple is late\n")
            #expect(try weir.text(of: "rejected") == "x,apple\n")
            #expect(outcome.errors.contains("2 events read, 1 rejected, 1 late, 2 matches"))
        }

        @Test func moreThanCanWaitIsHandedOnAndCounted() throws {
            // Each record is younger than the one before, so all wait.
            try weir.file("a.csv", posts(Array(0..<5000)))
            let outcome = try sentiment("a.csv", "--lateness", "1h", "--max-held", "100")
            #expect(texts(outcome) == (0..<5000).map { "apple is good \($0)" })
            #expect(
                outcome.errors.contains("weir: 4,900 records were handed on before their time, because --max-held ")
            )
        }

        @Test func optionsThatMeanNothingAreRefused() throws {
            try weir.file("a.csv", posts([1]))
            for (words, message) in [
                (["--late", "late"], "--late: it is for what comes later than --lateness"),
                (["--max-held", "7"], "--max-held: records wait only with --lateness"),
                (["--lateness", "soon"], "--lateness: 'soon' is not a duration"),
                (["--lateness", "1s", "--late", "a.csv"], "--late: 'a.csv' is the input"),
                (["--lateness", "1s", "--late", "b", "--rejected", "b"], "--late and --rejected are the same"),
                (["--lateness", "1s", "--late", "b", "--to", "b"], "--late and --to are the same"),
            ] {
                let outcome = try weir.start(["run", "sentiment", "a.csv"] + words, input: .nothing).outcome()
                #expect(outcome.exitCode == 2)
                #expect(outcome.errors.hasPrefix("weir: " + message), "\(outcome.errors)")
                #expect(try weir.text(of: "a.csv") == posts([1]))
            }
        }

        @Test func configurationsAndLibrariesHaveItToo() throws {
            try weir.file("a.csv", "time,card,amount\n" + "3000,a,900\n1000,a,1\n2000,a,1\n2500,a,1\n")
            let library =
                URL(fileURLWithPath: try WeirProcess.program).deletingLastPathComponent().path + "/libWeirFraudPlugin."
                + Self.libraryEnding
            try weir.file(
                "c.json",
                """
                {"pipelines": {
                  "own": {"plugin": "fraud", "from": "a.csv", "to": "own.jsonl", "lateness": "2s", "late": "late"},
                  "loaded": {"plugin": "\(library)", "from": "a.csv", "to": "loaded.jsonl", "lateness": "2s"}
                }}
                """
            )
            let outcome = try weir.run("run", "--config", "c.json", "--metrics", "metrics")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            let matches = try weir.text(of: "own.jsonl")
            #expect(matches.split(separator: "\n").count == 1)
            #expect(try weir.text(of: "loaded.jsonl") == matches)
        }

        @Test func lateRecordsStandInTheMetricsAndOnThePage() throws {
            try weir.file("a.csv", posts([1000, 3000, 10]))
            let outcome = try sentiment(
                "a.csv",
                "--lateness",
                "1s",
                "--metrics",
                "metrics",
                "--report",
                "page.html"
            )
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            let metrics = try weir.text(of: "metrics")
            #expect(metrics.contains("weir_late_total{pipeline=\"sentiment\"} 1\n"), "\(metrics)")
            #expect(try weir.text(of: "page.html").contains("came too late"))
        }

        #if os(Linux)
            @Test func aLiveInputThatBringsNothingHoldsNothingUp() throws {
                let output = Pipe()
                let running = try weir.start(
                    ["run", "sentiment", "--from", "unix:in?accept=1", "--lateness", "50ms"] + Self.columns,
                    input: .nothing,
                    output: output.fileHandleForWriting
                )
                try output.fileHandleForWriting.close()
                let sink = try UnixTransport().openSink(weir.folder + "/in?retry=20ms&linger=60s")
                try sink.write(Array(posts([1000, 980, 1010]).utf8))
                var arrivals = Arrivals(output)
                // The connection stays open: only the clock goes on.
                let came = arrivals.wait(for: "apple is good 2")
                #expect(came)
                #expect(
                    arrivals.text.split(separator: "\n").compactMap { $0.split(separator: " ").last?.first } == [
                        "1", "0", "2",
                    ]
                )
                try sink.finish()
                #expect(try running.outcome().exitCode == 0)
            }
        #endif

        // MARK: Times from the future

        #if os(Linux)
            @Test(arguments: [nil, "none", "100000d"])
            func oneDatagramOfTheYear2262DoesNotStopDetection(limit: String?) throws {
                let port = UInt16.random(in: 30_000..<32_000)
                let running = try weir.start(
                    ["run", "fraud", "--from", "udp://:\(port)?drain=60s", "--format", "jsonl"]
                        + (limit.map { ["--max-ahead", $0] } ?? []),
                    input: .nothing
                )
                let place = "0100007F:" + String(format: "%04X", port)
                try WeirProcess.eventually("it listens") {
                    try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).contains(place)
                }
                func purchase(_ time: String, _ amount: Int) -> String {
                    #"{"time":\#(time),"card":"a","amount":\#(amount)}"# + "\n"
                }
                let sink = try UDPTransport().openSink("//127.0.0.1:\(port)?linger=60s")
                try sink.write(Array(purchase("\"2262-01-01T00:00:00Z\"", 1).utf8))
                // At once, so that datagrams have several: sockets keep few that nobody has read.
                let rest = (0..<1000).map { purchase("\(1_700_000_000_000 + $0)", $0 % 4 == 3 ? 900 : 1) }
                try sink.write(Array(rest.joined().utf8))
                try sink.finish()
                kill(running.process.processIdentifier, SIGINT)
                let outcome = try running.outcome()
                if limit == nil {
                    #expect(outcome.errors.contains("field 'time' is more than 1h ahead of the clock"))
                    #expect(outcome.errors.contains("1,000 events read, 1 rejected, 250 matches"), "\(outcome.errors)")
                } else {
                    #expect(outcome.errors.contains("1 event read, 1,000 rejected, 0 matches"), "\(outcome.errors)")
                }
            }
        #endif

        @Test func inAFileTheOtherRecordsSayWhatTheFutureIs() throws {
            let times = [9_000_000_000, 1000, 1010, 8_000_000_000, 1020, 1030] + (0..<1000).map { 1040 + $0 }
            try weir.file("a.csv", posts(times))
            let all = try sentiment("a.csv")
            #expect(texts(all).count == times.count)
            let outcome = try sentiment("a.csv", "--max-ahead", "1m")
            #expect(texts(outcome).count == times.count - 2)
            #expect(outcome.errors.contains("field 'time' is more than 1m ahead of the records around it"))
            let wrong = try sentiment("a.csv", "--max-ahead", "soon")
            #expect(wrong.exitCode == 2 && wrong.errors.contains("or 'none'"))
        }

        // MARK: A real log

        @Test(.enabled(if: Recordings.has(log), "\(Recordings.advice)"), arguments: ["csv", "jsonl"])
        func aRealLogGivesTheMatchesOfTheSortedLog(format: String) throws {
            let requests = try Self.requests()
            #expect(requests.count > 3000)
            try weir.file("log.\(format)", Self.text(requests, format))
            try weir.file("sorted.\(format)", Self.text(requests.sorted { $0.time < $1.time }, format))
            let options = ["--columns", "card=ip,amount=bytes", "--small", "5000", "--large", "50000"]
            func matches(_ words: String...) throws -> Outcome {
                try weir.start(["run", "fraud"] + words + options, input: .nothing).outcome()
            }
            let wanted = try matches("sorted.\(format)")
            #expect(wanted.output.split(separator: "\n").count > 10)
            let found = try matches("log.\(format)", "--lateness", "1m", "--strict")
            #expect(found.output == wanted.output)
            #expect(found.exitCode == 0, "\(found.errors)")
            #expect(try matches("log.\(format)").output != wanted.output)
        }

        private static let log = "cep/apache_access.log"

        private struct Request {
            let time: String
            let address: String
            let byteCount: String
        }

        /// The requests of the log, whose times are all of the same month and zone.
        private static func requests() throws -> [Request] {
            let text = String(decoding: try Recordings.bytes(log), as: UTF8.self)
            return try text.split(separator: "\n").map { line in
                let expression = try Regex(#"^(\S+) .*?\[(\d+)/May/(\d+):(\S+) \+0000\] ".*?" \d+ (\S+)"#)
                let match = try #require(try expression.firstMatch(in: line), "\(line)")
                let parts = match.output.map { String($0.substring ?? "") }
                return Request(
                    time: "\(parts[3])-05-\(parts[2])T\(parts[4])Z",
                    address: parts[1],
                    byteCount: parts[5] == "-" ? "0" : parts[5]
                )
            }
        }

        private static func text(_ requests: [Request], _ format: String) -> String {
            let lines = requests.map { request in
                format == "csv"
                    ? "\(request.time),\(request.address),\(request.byteCount)\n"
                    : "{\"time\":\"\(request.time)\",\"ip\":\"\(request.address)\",\"bytes\":\(request.byteCount)}\n"
            }
            return (format == "csv" ? "time,ip,bytes\n" : "") + lines.joined()
        }
    }
}
