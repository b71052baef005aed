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

    /// The indexes of the brands that a word names.
    private let named: [String: [Int]]

    /// Creates a maker of opinions.
    ///
    /// - Parameters:
    ///   - brands: The brands.
    ///   - lexicon: What the words mean.
    public init(brands: [Brand], lexicon: Lexicon) {
        self.brands = brands
        self.lexicon = lexicon
        var named: [String: [Int]] = [:]
        for (index, brand) in brands.enumerated() {
            for word in brand.words { named[word, default: []].append(index) }
        }
        self.named = named
    }

    /// What a post says.
    ///
    /// - Parameter post: The post.
    /// - Returns: The sentiment of its text, and the brands that it names.
    /// - Complexity: O(*n*) on average for *n* words.
    public func opinion(of post: Post) -> Opinion {
        let words = lexicon.words(of: post.text)
        return Opinion(post: post, sentiment: lexicon.value(of: words), brands: brands(in: words))
    }

    /// The indexes of the brands that a post names: one of their words is there as a whole, maybe in the possessive.
    private func brands(in post: PostWords) -> [Int] {
        var found: [Int] = []
        func add(_ indexes: [Int]?) {
            for index in indexes ?? [] where !found.contains(index) { found.append(index) }
        }
        for word in post.words {
            add(named[word.text])
            if word.text.hasSuffix("'s") { add(named[String(word.text.dropLast(2))]) }
        }
        return found.sorted()
    }
}
