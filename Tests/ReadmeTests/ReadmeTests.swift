import Foundation
import Testing
import WeirCore

@Suite struct ReadmeTests {
    @Test func theExampleDoesWhatItSays() {
        let lines = Locked<[String]>([])
        runReadmeExample { line in lines.withLock { $0.append(line) } }
        #expect(lines.withLock { $0 } == ["jump: 18.0 → 24.0"])
    }

    @Test func thePatternDoesWhatItSays() {
        let purchases = EventChannel<Purchase>()
        let blocked = Locked<[String]>([])
        runReadmePattern(purchases) { first, second in
            abs(first.meters - second.meters)
        } block: { card in
            blocked.withLock { $0.append(card) }
        }
        for (second, card, meters) in [(0, "a", 0.0), (1, "b", 0), (60, "a", 600_000), (900, "b", 600_000)] {
            let time = Timestamp(secondsSinceEpoch: Int64(second))
            purchases.publish(Purchase(timestamp: time, card: card, isFaceToFace: true, meters: meters))
        }
        #expect(blocked.withLock { $0 } == ["a"])
    }

    @Test(arguments: [(0, "ReadmeExample.swift"), (1, "ReadmePattern.swift")])
    func theExamplesInTheReadmeAreThoseThatAreCompiled(position: Int, file: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
        let examples = readme.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(examples.count == 2)
        let shown = lines(of: examples[position])
        let imports = lines(of: source).filter { $0.hasPrefix("import") && shown.contains($0) }
        #expect(shown == imports + marked(in: source))
    }

    /// The lines between the marks, without the function around them.
    private func marked(in source: String) -> [String] {
        var result: [String] = []
        var isInside = false
        for line in lines(of: source) {
            switch line {
            case "// example begins", "// example continues": isInside = true
            case "// example ends": isInside = false
            case let line where line.hasPrefix("func runReadmeExample"): isInside = false
            default: if isInside { result.append(line) }
            }
        }
        return result
    }

    private func lines(of text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
