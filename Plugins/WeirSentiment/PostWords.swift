/// The words of a post, in order, in lower case.
struct PostWords: Sendable {
    /// One word, or what else carries a meaning.
    struct Word: Sendable, Hashable {
        enum Kind: Sendable {
            /// A word, an emoji, or an emoticon; a hashtag is the word behind its sign.
            case plain
            /// The symbol of a share, such as `$AAPL`, without the dollar.
            case cashtag
            /// The name of an account, such as `@apple`, without the sign.
            case mention
        }

        let text: String
        let kind: Kind
        /// Whether a sentence ends between this word and the one before.
        let startsSentence: Bool
    }

    /// What a character is to the words around it.
    private enum Class {
        /// Digits are parts of words, too.
        case letter, digit
        case apostrophe, dollar, at, symbol, sentenceEnd, other
    }

    private(set) var words: [Word] = []
    private var startsSentence = true

    /// Finds the words of a text; links have none.
    ///
    /// - Parameters:
    ///   - text: The post.
    ///   - symbols: Whether something that is not made of letters means something, such as `:)`.
    init(_ text: String, symbols: (String) -> Bool) {
        let bytes = Array(text.utf8)
        for chunk in bytes.split(whereSeparator: { $0 == UInt8(ascii: " ") || (9...13).contains($0) }) {
            if chunk.allSatisfy({ $0 < 0x80 }) {
                // Most are ASCII, where a byte is a character, and no table of Unicode is needed.
                take(chunk, symbols) { (Self.classOf(chunk[$0]), $0 + 1) }
                continue
            }
            for part in String(decoding: chunk, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
                take(part.utf8, symbols) { (Self.classOf(part[$0]), part.index(after: $0)) }
            }
        }
    }

    /// Takes what stands between blanks; `next` says what the character at an index is, and where it ends.
    private mutating func take<Text: Collection<UInt8>>(
        _ text: Text,
        _ symbols: (String) -> Bool,
        next: (Text.Index) -> (Class, end: Text.Index)
    ) {
        if Self.isLink(text) { return }
        if next(text.startIndex).0 != .letter, symbols(Self.string(text)) { return append(Self.string(text), .plain) }
        // The word that was begun, without apostrophes at its end; and what kind it is, or the next one would be.
        var word: Range<Text.Index>?
        var kind = Word.Kind.plain
        var index = text.startIndex
        while index < text.endIndex {
            let (character, end) = next(index)
            defer { index = end }
            switch character {
            case .letter, .digit: word = (word?.lowerBound ?? index)..<end
            case .apostrophe where word != nil: break
            default:
                endWord(word.map { text[$0] }, kind)
                word = nil
                kind = character == .dollar ? .cashtag : character == .at ? .mention : .plain
                if character == .symbol { append(Self.string(text[index..<end]), .plain) }
                if character == .sentenceEnd { startsSentence = true }
            }
        }
        endWord(word.map { text[$0] }, kind)
    }

    private mutating func endWord(_ word: (some Collection<UInt8>)?, _ kind: Word.Kind) {
        guard let word else { return }
        let text = Self.string(word).lowercased()
        append(text.utf8.contains(0xE2) ? text.replacing("\u{2019}", with: "'") : text, kind)
    }

    private mutating func append(_ text: String, _ kind: Word.Kind) {
        words.append(Word(text: text, kind: kind, startsSentence: startsSentence))
        startsSentence = false
    }

    private static func string(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isLink(_ text: some Collection<UInt8>) -> Bool {
        text.starts(with: "http://".utf8) || text.starts(with: "https://".utf8) || text.starts(with: "www.".utf8)
    }

    private static func classOf(_ byte: UInt8) -> Class {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .letter
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): .digit
        case UInt8(ascii: "'"): .apostrophe
        case UInt8(ascii: "$"): .dollar
        case UInt8(ascii: "@"): .at
        case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ";"): .sentenceEnd
        case UInt8(ascii: "+"), UInt8(ascii: "<")...UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "|"), UInt8(ascii: "~"):
            .symbol
        default: .other
        }
    }

    private static func classOf(_ character: Character) -> Class {
        if let byte = character.asciiValue { return classOf(byte) }
        if character == "\u{2019}" { return .apostrophe }
        if character.isLetter { return .letter }
        if character.isNumber { return .digit }
        return character.isSymbol || isEmoji(character) ? .symbol : .other
    }

    private static func isEmoji(_ character: Character) -> Bool {
        character.unicodeScalars.first.map { $0.properties.isEmojiPresentation || $0.value > 0x1F000 } ?? false
    }
}
