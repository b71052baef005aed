import Foundation
import Testing
import WeirCore

extension HostTests {
    /// `weir match` over logs whose answers are known, because they were made so.
    @Suite struct LogMatchTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// A line of a log, at a time in milliseconds.
        private struct Line {
            let time: Int
            let text: String
        }

        /// Writes lines in the order of their times, which stays as it is for lines of one time.
        private func write(_ lines: [Line], to name: String) throws {
            let ordered = lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            try weir.file(name, ordered.map { $0.element.text + "\n" }.joined())
        }

        private func addresses(in outcome: Outcome) throws -> [String] {
            try MatchLine.all(outcome).compactMap { $0.keys["address"] ?? $0.keys["host"] }.sorted()
        }

        /// Logins of 200 addresses: each has a number of failures and a success some time after the first of the last five.
        @Test func fiveFailuresAndASuccessWithinAMinute() throws {
            for seed in 1...3 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                var lines: [Line] = []
                var expected: [String] = []
                for number in 0..<200 {
                    let address = "10.0.\(number / 100).\(number % 100)"
                    let start = Int.random(in: 0..<3_600_000, using: &random)
                    let failures = Int.random(in: 0...8, using: &random)
                    let spans = [59_999, 60_000, 60_001, 20_000, 90_000]
                    let span = spans[Int.random(in: 0..<5, using: &random)]
                    // The last five lie within the span, those before them earlier.
                    for index in 0..<failures {
                        let place = index - max(0, failures - 5)
                        let time = place < 0 ? start + place * 1_000 : start + place * 2_000
                        lines.append(login(time, address, "failure"))
                    }
                    lines.append(login(start + span, address, "success"))
                    if failures >= 5, span <= 60_000 { expected.append(address) }
                }
                try write(lines, to: "auth.jsonl")
                let query = """
                    sequence by address with maxspan=1m
                      [login where outcome == "failure"] with runs=5 [login where outcome == "success"]
                    """
                let outcome = try weir.run("match", query, "auth.jsonl")
                #expect(outcome.exitCode == 0, "seed \(seed): \(outcome.errors)")
                #expect(try addresses(in: outcome) == expected.sorted(), "seed \(seed)")
                #expect(expected.count > 20)
                let workers = try weir.run(
                    "match",
                    query,
                    "auth.jsonl",
                    "--partition-by",
                    "address",
                    "--workers",
                    "2"
                )
                #expect(try addresses(in: workers) == expected.sorted(), "seed \(seed)")
            }
        }

        private func login(_ time: Int, _ address: String, _ outcome: String) -> Line {
            Line(
                time: time,
                text: #"{"time":\#(time),"event_type":"login","address":"\#(address)","outcome":"\#(outcome)"}"#
            )
        }

        /// Hosts that ask for a page, of which some get the image that belongs to it in time.
        @Test func aPageWithoutItsImageWithinTenMinutes() throws {
            for seed in 1...3 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                var lines: [Line] = []
                var expected: [String] = []
                for number in 0..<150 {
                    let host = "192.0.2.\(number)"
                    let start = Int.random(in: 0..<7200, using: &random) * 1_000
                    lines.append(request(start, host, "/page.html", 200))
                    lines.append(request(start + 1_000, host, "/other.png", 200))
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: expected.append(host)
                    case 1:
                        lines.append(request(start + 601_000, host, "/image.png", 200))
                        expected.append(host)
                    case 2: lines.append(request(start + 600_000, host, "/image.png", 200))
                    default: lines.append(request(start + 5_000, host, "/image.png", 304))
                    }
                }
                try write(lines, to: "access.log")
                let outcome = try weir.run(
                    "match",
                    "sequence by host with maxspan=10m [any where path == \"/page.html\"] ![any where path like \"/image*\"]",
                    "access.log",
                    "--format",
                    "clf"
                )
                #expect(outcome.exitCode == 0, "seed \(seed): \(outcome.errors)")
                #expect(try addresses(in: outcome) == expected.sorted(), "seed \(seed)")
                #expect(expected.count > 20 && expected.count < 120)
            }
        }

        private func request(_ time: Int, _ host: String, _ path: String, _ status: Int) -> Line {
            let (hour, minute, second) = (time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60)
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let stamp = "01/Feb/2026:\(two(hour)):\(two(minute)):\(two(second)) +0000"
            return Line(time: time, text: #"\#(host) - - [\#(stamp)] "GET \#(path) HTTP/1.1" \#(status) 10"#)
        }

        /// Connections of hosts, of which some try three ports soon one after the other.
        @Test func threePortsWithinFiveSeconds() throws {
            for seed in 1...3 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                var lines: [Line] = []
                var expected: [String] = []
                for number in 0..<150 {
                    let host = "h\(number)"
                    let start = Int.random(in: 0..<600_000, using: &random)
                    let span = [5_000, 5_001, 900, 30_000][Int.random(in: 0..<4, using: &random)]
                    let ports = [22, 80, Bool.random(using: &random) ? 443 : 80]
                    for (index, port) in ports.enumerated() {
                        let time = start + span * index / 2
                        lines.append(Line(time: time, text: "\(time),connection,\(host),\(port)"))
                    }
                    if ports[2] == 443, span <= 5_000 { expected.append(host) }
                }
                try write([Line(time: -1, text: "time,event_type,host,port")] + lines, to: "connections.csv")
                let outcome = try weir.run(
                    "match",
                    """
                    sequence by host with maxspan=5s
                      [connection where port == 22] [connection where port == 80] [connection where port == 443]
                    """,
                    "connections.csv"
                )
                #expect(outcome.exitCode == 0, "seed \(seed): \(outcome.errors)")
                #expect(try addresses(in: outcome) == expected.sorted(), "seed \(seed)")
                #expect(expected.count > 20)
            }
        }

        private static let accessLog = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("shared/data/cep/apache_access.log").path

        /// A public access log, of which the times of some lines lie before those of the line above: a page that is missing,
        /// then one that is there, by a count over the lines.
        @Test(.enabled(if: FileManager.default.fileExists(atPath: accessLog), "there is no ../shared"))
        func aMissingPageThenOneThatIsThere() throws {
            let outcome = try weir.run(
                "match",
                "sequence by host with maxspan=10s [any where status == 404] [any where status == 200]",
                Self.accessLog,
                "--format",
                "combined",
                "--lateness",
                "1h"
            )
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            var requests: [(time: Int, order: Int, host: String, status: Int)] = []
            for (order, line) in try String(contentsOfFile: Self.accessLog, encoding: .utf8).split(separator: "\n")
                .enumerated()
            {
                let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
                let head = parts[0].split(separator: " ")
                let clock = head[3].dropFirst().split(separator: ":").compactMap { Int($0.suffix(2)) }
                let day = try #require(Int(head[3].dropFirst().prefix(2)))
                let status = try #require(parts.dropFirst(2).first { $0.hasPrefix(" ") }?.split(separator: " ").first)
                requests.append(
                    (
                        ((day * 24 + clock[1]) * 60 + clock[2]) * 60 + clock[3],
                        order,
                        String(head[0]),
                        try #require(Int(status))
                    )
                )
            }
            var missed: [String: Int] = [:]
            var count = 0
            for request in requests.sorted(by: { ($0.time, $0.order) < ($1.time, $1.order) }) {
                if request.status == 404 { missed[request.host] = request.time }
                guard request.status == 200, let time = missed.removeValue(forKey: request.host) else { continue }
                count += request.time - time <= 10 ? 1 : 0
            }
            #expect(outcome.output.split(separator: "\n").count == count)
            #expect(count > 0)
        }
    }
}
