public import WeirCore
internal import WeirRecords

/// How a brand stands: after a post that names it, or at a point in time.
public struct BrandScore: Event {
    public let timestamp: Timestamp

    /// The brand's name.
    public let brand: String

    /// The post that names it; `nil` where the score is that of a point in time.
    public let post: Post?

    /// The sum over the words of the post.
    public let sentiment: Double?

    /// What the post adds.
    public let score: Double?

    /// The sum of the scores since the start.
    public let total: Double

    /// The sum of the scores within the rolling window, where there is one.
    public let window: Double?

    /// How many posts named the brand.
    public let posts: Int
}

/// A score as it is written out.
struct BrandScoreReport: FieldEncodable {
    let score: BrandScore
    let timeForm: TimeForm

    func encode(to writer: inout FieldWriter) {
        writer.write("time", score.timestamp, as: timeForm)
        writer.write("kind", score.post == nil ? "total" : "post")
        writer.write("brand", score.brand)
        if let value = score.score { writer.write("score", value) }
        writer.write("total", score.total)
        if let window = score.window { writer.write("window", window) }
        writer.write("posts", score.posts)
        if let sentiment = score.sentiment { writer.write("sentiment", sentiment) }
        if let post = score.post {
            writer.write("followers", post.followers)
            if !post.id.isEmpty { writer.write("id", post.id) }
            writer.write("text", post.text)
        }
    }
}
