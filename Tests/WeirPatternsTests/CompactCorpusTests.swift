import Foundation
import Testing
import WeirCore

@testable import WeirPatterns

/// The compact strategy alone against the results of Flink's pattern engine, for the cases that it accepts.
@Suite struct CompactCorpusTests {
    @Test func agreesWithTheCorpusWhereItAcceptsThePlan() throws {
        let folder =
            ProcessInfo.processInfo.environment["WEIR_CORPUS"]
            ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }
        var (passed, refused, other) = (0, 0, 0)
        for file in files.sorted() {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for line in text.split(separator: "\n") {
                guard let test = try CompactCorpusCase(line) else {
                    other += 1
                    continue
                }
                guard let found = Self.run(test) else {
                    refused += 1
                    continue
                }
                let isRight = Self.counted(found) == Self.counted(test.expected)
                #expect(isRight, "\(test.id): found \(found), expected \(test.expected)")
                if isRight { passed += 1 }
            }
        }
        print("compact strategy: \(passed) cases of the corpus passed, \(refused) plans refused, \(other) not for it")
        #expect(passed > 0)
    }

    static func counted(_ outputs: [CompactCorpusCase.Output]) -> [CompactCorpusCase.Output: Int] {
        outputs.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    static func run(_ test: CompactCorpusCase) -> [CompactCorpusCase.Output]? {
        let events = test.events.map { ($0, Timestamp(millisecondsSinceEpoch: $0.time)) }
        guard
            let output = CompactRecorder.run(
                test.plan,
                test.conditions,
                groupedBy: { $0.key },
                events,
                reportsTimeouts: true
            )
        else { return nil }
        return output.matches.map {
            .init(kind: "match", moment: $0.moment, content: CompactCorpusCase.text($0.match, test.plan))
        }
            + output.timeouts.map {
                let time = $0.time.nanosecondsSinceEpoch / 1_000_000
                return .init(
                    kind: "timeout \(time)",
                    moment: $0.moment,
                    content: CompactCorpusCase.text($0.match, test.plan)
                )
            }
    }
}
