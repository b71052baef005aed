import Foundation
import Testing

/// The article shows what the tests run.
@Suite struct ArticleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static var article: URL {
        folder.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Operators/Weir/Weir.docc/CaseStudies.md"
        )
    }

    @Test func theLinesAreCounted() throws {
        let path = "Benchmarks/Support/OperatorWorkloads/CaseStudies.swift"
        let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        func count(_ mark: String) throws -> Int {
            let start = try #require(source.range(of: "// \(mark)\n"))
            let end = try #require(source.range(of: "// end", range: start.upperBound..<source.endIndex))
            let lines = source[start.upperBound..<end.lowerBound].split(separator: "\n")
            return lines.count { line in line.contains { $0 != " " } }
        }
        for name in ["shakes", "walks"] {
            let row = try "| \(name) | \(count("\(name), Weir")) | \(count("\(name), OpenCombine")) |"
            #expect(article.contains(row), "\(row)")
        }
    }

    @Test func eachBlockOfTheArticleIsTested() throws {
        let sources = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }
        let parts = try String(contentsOf: Self.article, encoding: .utf8).components(separatedBy: "```")
        let blocks = parts.filter { $0.hasPrefix("swift\n") }.map { String($0.dropFirst("swift\n".count)) }
        #expect(blocks.count >= 8)
        for block in blocks where !sources.contains(where: { $0.contains(block) }) {
            Issue.record("no file of \(Self.folder.lastPathComponent) has what the article shows: \(block.prefix(200))")
        }
    }
}
