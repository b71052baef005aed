import Comparing
import Foundation
import Reporting
import Synchronization
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What `Benchmarks/run` prints and writes, from suites whose costs are known.
struct ReportingTests {
    /// Once, twice, three times the step in round 0, 1, 2 and so on.
    private static func rising(by step: Double) -> @Sendable () throws -> Double {
        let calls = Calls()
        return { calls.next() * step }
    }

    private final class Calls: Sendable {
        private let count = Mutex(0.0)

        func next() -> Double {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    private static var suite: Suite {
        Suite(
            "sample",
            [
                Workload("by hand", in: .nanosecondsPerElement, run: rising(by: 10)),
                Workload(
                    "ours",
                    in: .nanosecondsPerElement,
                    against: "by hand",
                    goal: .ratio(atMost: 2.5),
                    point: ChartPoint("keys", "Weir", 100),
                    run: rising(by: 20)
                ),
                Workload("theirs", in: .millionsPerSecond, against: "ours", isPeer: true, run: rising(by: 100)),
                Workload("wrong", in: .nanosecondsPerElement, against: "ours", isPeer: true) {
                    throw WrongResult(2, insteadOf: 3)
                },
            ]
        )
    }

    private static func rows() throws -> [Row] {
        Row.rows(of: try suite.compare(rounds: 3) { _, _ in }, in: "sample")
    }

    @Test func jsonHasEveryField() throws {
        let text = try Row.json(Self.rows())
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(objects.compactMap { $0["name"] as? String } == ["by hand", "ours", "theirs", "wrong"])
        let ours = objects[1]
        #expect(ours["suite"] as? String == "sample")
        #expect(ours["unit"] as? String == "ns")
        // The round before the three that count cost 20.
        #expect([ours["min"], ours["median"], ours["max"]].map { $0 as? Double } == [40, 60, 80])
        #expect(ours["limit"] as? String == "by hand")
        #expect((ours["ratio"] as? [String: Double]) == ["median": 2, "min": 2, "max": 2])
        #expect((ours["peers"] as? [String: [String: Double]]) == ["theirs": ["median": 5, "min": 5, "max": 5]])
        #expect(ours["checksumOK"] as? Bool == true)
        #expect(ours["meetsGoal"] as? Bool == true)
        #expect(ours["goal"] as? String == "≤ 2.50 ×")
        #expect(ours["rounds"] as? Int == 3)
        #expect(ours["isPeer"] as? Bool == false)
        let theirs = objects[2]
        #expect(theirs["isPeer"] as? Bool == true)
        #expect(theirs["unit"] as? String == "M/s")
        #expect((theirs["median"] as? Double) == 1000.0 / 300)
        let wrong = objects[3]
        #expect(wrong["checksumOK"] as? Bool == false)
        #expect(wrong["failure"] as? String == "the result is 2 instead of 3")
        #expect(wrong["median"] == nil && wrong["ratio"] == nil)
        #expect(objects[0]["limit"] == nil && objects[0]["ratio"] == nil)
    }

    @Test func jsonCanBeReadBack() throws {
        let rows = try Self.rows() + [Row(failureOf: "other", "ended by signal 11")]
        #expect(try Row.rows(fromJSON: Data(Row.json(rows).utf8)) == rows)
    }

    @Test func aDeadlineEndsTheRounds() throws {
        let suite = Suite("slow", [Workload("work", in: .nanosecondsPerElement) { 1 }])
        var rounds: [Int] = []
        let comparisons = try suite.compare(rounds: 9, until: .now - .seconds(1)) { round, _ in rounds.append(round) }
        // The warm-up, and the one that always counts.
        #expect(rounds == [0, 1])
        #expect(comparisons.map(\.rounds) == [1])
    }

    @Test func theTableNamesFailuresAndMarksPeers() throws {
        let lines = try "\(MarkdownTable(Self.rows()))".split(separator: "\n")
        #expect(lines.count == 6)
        #expect(Set(lines.map(\.count)).count == 1, "the columns are aligned")
        #expect(lines[3].contains("| 2      |") || lines[3].contains("| 2 "))
        #expect(lines[3].contains("met"))
        #expect(lines[4].contains("*theirs*"))
        #expect(lines[5].contains("FAILED: the result is 2 instead of 3"))
    }

    @Test func sectionsAreReplacedOneByOne() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-results-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "RESULTS.md")
        let file = ResultsFile(path.path, order: ["sample", "other"])
        try file.update("other", [Row(failureOf: "other", "ended by signal 11")], loadBefore: nil)
        try file.update("sample", Self.rows(), loadBefore: 1)
        try file.update("other", [Row(failureOf: "other", "ended by signal 6")], loadBefore: 1)
        let text = try String(contentsOf: path, encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ")
        #expect(sections.count == 3)
        #expect(sections[1].hasPrefix("sample\n") && sections[1].contains("*theirs*"))
        #expect(sections[2].hasPrefix("other\n") && sections[2].contains("signal 6"))
        #expect(!text.contains("signal 11"))
        #expect(text.contains("](RESULTS.svg)"))
    }

    @Test func thePictureIsXMLWithALineForEachSeries() throws {
        let work: [Workload] = [1, 10, 1000, 1_000_000].flatMap { size in
            ["Weir", "by hand", "<other> & \"co\""].map { series in
                Workload(
                    "\(series), \(size)",
                    in: .nanosecondsPerElement,
                    point: ChartPoint("keys", series, size)
                ) { size.squareRoot() }
            }
        }
        let once = Workload("one", in: .nanosecondsPerElement, point: ChartPoint("threads", "Weir", 1)) { 5 }
        let suite = Suite("scaling", work + [once])
        let rows = Row.rows(of: try suite.compare(rounds: 1) { _, _ in }, in: "scaling")
        let text = "\(Picture(rows, note: "a < b & c"))"
        let counter = ElementCounter()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = counter
        #expect(parser.parse(), "\(parser.parserError as Any)")
        #expect(counter.counts["svg"] == 1)
        #expect(counter.counts["g"] == 2)
        #expect(counter.counts["circle"] == 13)
        #expect(!text.contains("nan") && !text.contains("inf"))
    }

    /// The rows of `Peers/run --json`, which an awk script writes.
    @Test func peersSpeakTheSameJSON() throws {
        let rows = """
            c\tcsv\tw1\t1000000\t0.5\t0.25\tsame
            weir\tcsv\tw1\t1000000\t0.6\t0.50\tsame
            weir\tjsonl\tw1\t1000000\t0.6\t0.50\tsame
            awk\tcsv\tw1\t500000\t2.0\t1.00\tsame
            jq\tjsonl\tw1\t1000000\t9.0\t9.00\tdiffers: 1 "2" instead of 3\\4
            flink\tcsv\tw1\t1000000\t\t\tfailed: no memory

            """
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Peers/rows.awk")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["awk", "-F", "\t", "-v", "format=json", "-f", script.standardizedFileURL.path]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(rows.utf8))
        try input.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let read = try Row.rows(fromJSON: text)
        // Those of one work stand together.
        #expect(
            read.map(\.name) == [
                "csv w1: c", "csv w1: weir", "csv w1: awk", "csv w1: flink", "jsonl w1: weir", "jsonl w1: jq",
            ]
        )
        #expect(read.map(\.median) == [4, 2, 0.5, nil, 2, nil])
        #expect(read.map(\.limit) == [nil, "csv w1: c", "csv w1: weir", "csv w1: weir", nil, "jsonl w1: weir"])
        #expect(read.map(\.ratio?.median) == [nil, 2, 4, nil, nil, nil])
        #expect(read.map(\.isPeer) == [false, false, true, true, false, true])
        #expect(read[1].peers.mapValues(\.median) == ["csv w1: awk": 4])
        #expect(read[5].failure == #"differs: 1 "2" instead of 3\4"#)
        #expect(read.map(\.checksumOK) == [true, true, true, false, true, false])
    }

    private final class ElementCounter: NSObject, XMLParserDelegate {
        var counts: [String: Int] = [:]

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            counts[name, default: 0] += 1
        }
    }
}
