import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirGraphs
import WeirSentiment

/// The plugin's sums once more, as a graph of stages with demand: source, score, valuation, category, grouped sum, sink.
@Suite struct GraphTests {
    /// What a post is worth for whom, on its way through the graph.
    private struct Valued: Sendable {
        let post: Post
        let weight: Double
        var value = 0.0
    }

    private struct Assigned: Sendable {
        let brand: String
        let value: Double
    }

    private static let brands = [
        Brand(name: "Apple", words: ["apple", "aapl"]), Brand(name: "Google", words: ["google", "goog", "googl"]),
    ]

    private func posts(seed: UInt64) -> [Post] {
        let texts = [
            "I love apple", "apple and google are great", "google is useless", "not good, $AAPL",
            "$GOOG drops, what a mess",
            "the weather is fine", "apple opens at nine",
        ]
        var random = SeededGenerator(seed: seed)
        return (0..<2_000).map { index in
            Post(
                timestamp: Timestamp(secondsSinceEpoch: Int64(index)),
                text: texts[Int(random.next() % UInt64(texts.count))],
                followers: Double(random.next() % 10_000)
            )
        }
    }

    /// The sums of the plugin's fused pipeline.
    private func sumsOfThePlugin(_ posts: [Post]) throws -> [String: Double] {
        let lines = posts.map { post in
            #"{"created_at":\#(post.timestamp.nanosecondsSinceEpoch / 1_000_000_000),"text":"\#(post.text)","#
                + #""user":{"followers_count":\#(Int(post.followers))}}"# + "\n"
        }
        let run = try PluginRun(SentimentPlugin(), ["time-unit": "s"], jsonLines: lines.joined())
        var sums: [String: Double] = [:]
        for (brand, total) in zip(run.values(of: "brand"), run.values(of: "total")) { sums[brand] = Double(total) }
        return sums
    }

    @Test(arguments: [1, 2, 3] as [UInt64], [false, true])
    func aGraphGivesTheSumsOfTheFusedPipeline(seed: UInt64, hasIslands: Bool) throws {
        let posts = posts(seed: seed)
        let brands = Self.brands
        let maker = OpinionMaker(brands: brands, lexicon: .builtIn)

        let scored = Source(posts).map { Valued(post: $0, weight: $0.weight) }
        // With an island of its own, the scoring runs on another thread than the sums.
        let handed = hasIslands ? scored.async(capacity: 16) : scored
        let sums =
            handed
            .map { valued in
                var valued = valued
                let sentiment = maker.lexicon.value(of: valued.post.text)
                valued.value = sentiment > 0 ? valued.weight : sentiment < 0 ? -valued.weight : 0
                return valued
            }
            .flatMap { valued in
                maker.opinion(of: valued.post).brands.map { Assigned(brand: brands[$0].name, value: valued.value) }
            }
            .to(
                .fold(into: [:]) { (sums: inout [String: Double], assigned: Assigned) in
                    sums[assigned.brand, default: 0] += assigned.value
                }
            )
        let result = try sums.run().wait()
        #expect(result.count == 2)
        #expect(try result == sumsOfThePlugin(posts), "seed \(seed)")
    }
}
