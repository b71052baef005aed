/// A brand, and the words that name it.
public struct Brand: Sendable, Hashable {
    /// What to call it.
    public let name: String

    /// The words that name it, in lower case; also as cashtags, hashtags and mentions.
    public let words: Set<String>

    /// Creates a brand.
    ///
    /// - Parameters:
    ///   - name: What to call it.
    ///   - words: The words that name it, in any case.
    public init(name: String, words: [String]) {
        self.name = name
        self.words = Set(words.map { $0.lowercased() })
    }

    /// Reads `NAME=word,word`; `NAME` alone is a brand that is named by its name.
    init?(_ text: String) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let words = (sides.count == 2 ? sides[1] : sides[0]).split(separator: ",", omittingEmptySubsequences: false)
        let isMadeOfWords = words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        guard !sides[0].isEmpty, isMadeOfWords else { return nil }
        self.init(name: String(sides[0]), words: words.map(String.init))
    }
}
