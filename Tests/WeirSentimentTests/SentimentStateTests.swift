import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirSentiment

@Suite struct SentimentStateTests {
    /// Posts about some of the brands, out of order by a second.
    private func lines(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        let words = ["I love", "awful", "great", "apple", "google", "microsoft", "opens", "useless"]
        return (0..<60).map { row in
            let text = (0..<5).compactMap { _ in words.randomElement(using: &random) }.joined(separator: " ")
            let time = row * 500 + Int.random(in: 0...1000, using: &random)
            return #"{"created_at":\#(time),"text":"\#(text)","user":{"followers_count":\#(row % 7)}}"# + "\n"
        }.joined()
    }

    private static let options: [[String: String]] = [
        [:], ["window": "3s"], ["every": "2s"], ["window": "3s", "every": "2s", "take": "20"],
    ]

    @Test(arguments: 1...3 as ClosedRange<UInt64>, options.indices)
    func aRunGoesOnBehindEachPost(seed: UInt64, variant: Int) throws {
        let difference = try RestoreRun.difference(
            of: SentimentPlugin(),
            Self.options[variant],
            format: JSONLinesFormat(),
            lines(seed: seed)
        )
        #expect(difference == nil, "seed \(seed), variant \(variant)")
    }
}
