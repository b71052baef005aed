public import WeirCore

/// What a post says about the brands that it names.
public struct Opinion: Event {
    /// The post.
    public let post: Post

    /// The sum over the words of its text; its sign tells praise from blame.
    public let sentiment: Double

    /// The indexes of the brands that it names.
    public let brands: [Int]

    public var timestamp: Timestamp { post.timestamp }

    /// What the post adds to each of the brands: its author's weight, with the sign of the text.
    public var score: Double { sentiment > 0 ? post.weight : sentiment < 0 ? -post.weight : 0 }
}

/// Finds out what posts say about brands.
public struct OpinionMaker: Sendable {
    /// The brands.
    public let brands: [Brand]

    /// What the words mean.
    public let lexicon: Lexicon

    /// Creates a maker of opinions.
    ///
    /// - Parameters:
    ///   - brands: The brands.
    ///   - lexicon: What the words mean.
    public init(brands: [Brand], lexicon: Lexicon) {
        self.brands = brands
        self.lexicon = lexicon
    }

    /// What a post says.
    ///
    /// - Parameter post: The post.
    /// - Returns: The sentiment of its text, and the brands that it names.
    /// - Complexity: O(words × brands).
    public func opinion(of post: Post) -> Opinion {
        let words = lexicon.words(of: post.text)
        return Opinion(
            post: post,
            sentiment: lexicon.value(of: words),
            brands: brands.indices.filter { brands[$0].isNamed(in: words) }
        )
    }
}
