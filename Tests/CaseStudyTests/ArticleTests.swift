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
