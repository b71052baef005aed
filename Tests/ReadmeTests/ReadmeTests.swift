import Foundation
import Testing
import WeirCore

@Suite struct ReadmeTests {
    @Test func theExampleDoesWhatItSays() {
        let lines = Locked<[String]>([])
        runReadmeExample { line in lines.withLock { $0.append(line) } }
        #expect(lines.withLock { $0 } == ["jump: 18.0 → 24.0"])
    }

    @Test func theExampleInTheReadmeIsTheOneThatIsCompiled() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
        let example = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
        let shown = try #require(example.components(separatedBy: "```").first)
        let compiled = lines(of: source).filter { $0.hasPrefix("import") } + marked(in: source)
        #expect(lines(of: shown) == compiled)
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
