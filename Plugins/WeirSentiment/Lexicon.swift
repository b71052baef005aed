internal import WeirCore

/// Words and phrases, and how good or bad each is.
///
/// The value of a text is the sum of the values of its words. A phrase counts once, before the words that it is made of.
/// A negation turns round the next three words of its sentence (Polanyi and Zaenen, "Contextual valence shifters", 2006),
/// unless it belongs to a listed phrase, such as `not good`. Emoji and emoticons count like words; links do not.
public struct Lexicon: Sendable {
    /// Why a list of words cannot be read.
    public struct Flaw: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int

        /// What is wrong with it.
        public let reason: String

        public var description: String { "line \(line): \(Excerpt.line(reason))" }
    }

    /// How many words a negation reaches.
    private static let reach = 3

    private static let negations: Set<String> = [
        "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "cannot", "without", "hardly", "barely",
        "aint",
        "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt", "shouldnt", "wasnt",
        "werent", "wont", "wouldnt",
    ]

    private var values: [String: Double] = [:]

    /// The length of the longest phrase that begins with a word, where that is longer than one word.
    private var phraseLengths: [String: Int] = [:]

    /// How many words and phrases there are.
    public var count: Int { values.count }

    /// Reads a list: a word or phrase, a tab, and a number, one a line; blank lines and lines from `#` on are skipped.
    ///
    /// - Parameter text: The list, in UTF-8.
    /// - Throws: ``Flaw`` for the first line that cannot be read.
    public init(_ text: [UInt8]) throws(Flaw) {
        var number = 0
        for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard let line = String(validating: bytes, as: UTF8.self) else {
                throw Flaw(line: number, reason: "is not valid UTF-8")
            }
            let trimmed = line.last == "\r" ? line.dropLast() : line[...]
            if trimmed.allSatisfy(\.isWhitespace) || trimmed.hasPrefix("# ") { continue }
            let parts = trimmed.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count >= 2, !parts[0].isEmpty else {
                throw Flaw(line: number, reason: "expected a word, a tab and a number, such as 'good<TAB>3'")
            }
            guard let value = Double(parts[1]), value.isFinite else {
                throw Flaw(line: number, reason: "'\(parts[1])' is not a number")
            }
            add(String(parts[0]), value)
        }
    }

    private mutating func add(_ entry: String, _ value: Double) {
        let words = PostWords(entry) { _ in false }.words.map(\.text)
        // Emoticons fall apart into signs; they are looked up whole.
        let isMadeOfWords = entry.contains { $0.isLetter || $0.isNumber } && entry.first?.isLetter ?? false
        guard isMadeOfWords, let first = words.first else {
            values[entry] = value
            return
        }
        values[words.joined(separator: " ")] = value
        if words.count > 1 { phraseLengths[first] = max(phraseLengths[first] ?? 0, words.count) }
    }

    /// How good or bad a text is: above zero is good.
    ///
    /// - Parameter text: The text.
    /// - Returns: The sum over its words; zero where none is listed.
    public func value(of text: String) -> Double {
        value(of: words(of: text))
    }

    func words(of text: String) -> PostWords {
        PostWords(text) { values[$0] != nil }
    }

    func value(of post: PostWords) -> Double {
        let words = post.words
        var sum = 0.0
        // The index of the last word that a negation reaches.
        var negatedUntil = -1
        var index = 0
        while index < words.count {
            let word = words[index]
            if word.startsSentence { negatedUntil = -1 }
            if word.kind != .plain {
                index += 1
                continue
            }
            let (value, length) = entry(at: index, words)
            if let value { sum += index <= negatedUntil ? -value : value }
            if length == 1, Self.negations.contains(word.text) || word.text.hasSuffix("n't") {
                negatedUntil = index + Self.reach
            }
            index += length
        }
        return sum
    }

    /// The value of the longest entry that begins at a word, and its length.
    private func entry(at index: Int, _ words: [PostWords.Word]) -> (value: Double?, length: Int) {
        var length = min(phraseLengths[words[index].text] ?? 1, words.count - index)
        while length > 1 {
            let phrase = words[index..<index + length].map(\.text).joined(separator: " ")
            if let value = values[phrase] { return (value, length) }
            length -= 1
        }
        return (values[words[index].text], 1)
    }
}
