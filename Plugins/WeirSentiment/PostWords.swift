/// The words of a post, in order, in lower case.
struct PostWords: Sendable {
    /// One word, or what else carries a meaning.
    struct Word: Sendable, Hashable {
        enum Kind: Sendable {
            /// A word, an emoji, or an emoticon; a hashtag is the word behind its sign.
            case plain
            /// The symbol of a share, such as `$AAPL`, without the dollar.
            case cashtag
            /// The name of somebody, such as `@apple`, without the sign.
            case mention
        }

        let text: String
        let kind: Kind
        /// Whether a sentence ends between this word and the one before.
        let startsSentence: Bool
    }

    private(set) var words: [Word] = []
    private var startsSentence = true

    /// Finds the words of a text; links have none.
    ///
    /// - Parameters:
    ///   - text: The post.
    ///   - symbols: Whether something that is not made of letters means something, such as `:)`.
    init(_ text: String, symbols: (String) -> Bool) {
        for chunk in text.split(whereSeparator: \.isWhitespace) {
            if Self.isLink(chunk) { continue }
            if let first = chunk.first, !first.isLetter, symbols(String(chunk)) {
                append(String(chunk), .plain)
            } else {
                split(chunk)
            }
        }
    }

    private static func isLink(_ chunk: Substring) -> Bool {
        chunk.hasPrefix("http://") || chunk.hasPrefix("https://") || chunk.hasPrefix("www.")
    }

    private mutating func split(_ chunk: Substring) {
        var word = ""
        var kind = Word.Kind.plain
        var next = Word.Kind.plain
        for character in chunk {
            if character.isLetter || character.isNumber || character == "_" {
                if word.isEmpty { kind = next }
                word.append(character)
                continue
            }
            if !word.isEmpty, character == "'" || character == "\u{2019}" {
                word.append("'")
                continue
            }
            end(&word, kind)
            next = character == "$" ? .cashtag : character == "@" ? .mention : .plain
            if character.isSymbol || Self.isEmoji(character) {
                if next == .plain { append(String(character), .plain) }
            } else if character == "." || character == "!" || character == "?" || character == ";" {
                startsSentence = true
            }
        }
        end(&word, kind)
    }

    private static func isEmoji(_ character: Character) -> Bool {
        character.unicodeScalars.first.map { $0.properties.isEmojiPresentation || $0.value > 0x1F000 } ?? false
    }

    private mutating func end(_ word: inout String, _ kind: Word.Kind) {
        while word.last == "'" { word.removeLast() }
        if !word.isEmpty { append(word.lowercased(), kind) }
        word = ""
    }

    private mutating func append(_ text: String, _ kind: Word.Kind) {
        words.append(Word(text: text, kind: kind, startsSentence: startsSentence))
        startsSentence = false
    }
}
