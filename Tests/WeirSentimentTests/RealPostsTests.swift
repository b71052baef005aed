import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirSentiment

/// The plugin on posts of real people, as they are.
@Suite struct RealPostsTests {
    private static let posts = "sentiment/stocknet_aapl_goog_tweets.jsonl"

    @Test(.enabled(if: Recordings.has(posts), Comment(rawValue: Recordings.advice)))
    func theSumsAreThoseOfTheScores() throws {
        let run = try PluginRun(
            SentimentPlugin(),
            format: JSONLinesFormat(),
            source: ByteSource(Recordings.bytes(Self.posts))
        )
        #expect(run.rejections.isEmpty)
        #expect(run.lines.count > 1_000)
        var sums: [String: Double] = [:]
        let (brands, scores, totals) = (run.values(of: "brand"), run.values(of: "score"), run.values(of: "total"))
        for index in brands.indices {
            sums[brands[index], default: 0] += try #require(Double(scores[index]))
            #expect(abs(sums[brands[index], default: 0] - (Double(totals[index]) ?? .nan)) < 0.001)
        }
    }

    @Test(.enabled(if: Recordings.has(posts), Comment(rawValue: Recordings.advice)))
    func aThousandPostsAreAThousandPosts() throws {
        let run = try PluginRun(
            SentimentPlugin(),
            ["take": "1000", "retweets": "exclude"],
            format: JSONLinesFormat(),
            source: ByteSource(Recordings.bytes(Self.posts))
        )
        #expect(!run.lines.contains { $0.contains(#""text":"RT @"#) })
        #expect(Set(run.values(of: "id")).count <= 1_000)
    }
}
