/// How a text is compared with a pattern.
enum TextMatcher: Sendable {
    /// The text is this one.
    case whole([UInt8])
    /// It starts with this one.
    case prefix([UInt8])
    /// It ends with this one.
    case suffix([UInt8])
    /// It has this one in it.
    case part([UInt8])
    /// It has these pieces, one after the other.
    case pieces(WildcardPieces)
    /// It leads through a table.
    indirect case table(StateTable)
    /// It leads through places.
    indirect case positions(PositionMatcher)

    /// Reads a regular expression.
    init(regularExpression text: String, ignoringCase: Bool) throws(TextPatternError) {
        let positions = try Positions(try RegularExpressionParser.tree(of: text, ignoringCase: ignoringCase))
        do throws(TextPatternError) {
            self = .table(try StateTable([positions], ignoringCase: ignoringCase) { $0[0] })
        } catch {
            self = .positions(PositionMatcher(positions, ignoringCase: ignoringCase))
        }
    }

    init(wildcard: [UInt8]) {
        let star = UInt8(ascii: "*")
        let pieces = WildcardPieces(wildcard)
        guard !wildcard.contains(UInt8(ascii: "?")) else {
            self = .pieces(pieces)
            return
        }
        let parts = wildcard.split(separator: star).map { Array($0) }
        switch (parts.count, wildcard.first == star, wildcard.last == star) {
        case (0, false, _): self = .whole([])
        case (0, true, _): self = .part([])
        case (1, false, false) where !wildcard.contains(star): self = .whole(wildcard)
        case (1, false, true): self = .prefix(parts[0])
        case (1, true, false): self = .suffix(parts[0])
        case (1, true, true): self = .part(parts[0])
        default: self = .pieces(pieces)
        }
    }

    /// Whether a text is one of the pattern, perhaps with its letters of ASCII in lower case.
    func matches(_ text: Span<UInt8>, foldingLetters folds: Bool) -> Bool {
        switch self {
        case .whole(let whole): text.count == whole.count && Self.has(whole, in: text, at: 0, folds)
        case .prefix(let prefix): Self.has(prefix, in: text, at: 0, folds)
        case .suffix(let suffix): Self.has(suffix, in: text, at: text.count - suffix.count, folds)
        case .part(let part): Self.contains(part, in: text, folds)
        case .pieces(let pieces): pieces.matches(text, foldingLetters: folds)
        case .table(let table): table.matches(text)
        case .positions(let positions): positions.matches(text)
        }
    }

    /// Whether some bytes are at a place of a text.
    private static func has(_ bytes: [UInt8], in text: Span<UInt8>, at start: Int, _ folds: Bool) -> Bool {
        guard start >= 0, text.count - start >= bytes.count else { return false }
        for index in bytes.indices {
            let byte = text[start + index]
            guard bytes[index] == (folds ? Letters.lower(byte) : byte) else { return false }
        }
        return true
    }

    private static func contains(_ bytes: [UInt8], in text: Span<UInt8>, _ folds: Bool) -> Bool {
        guard let first = bytes.first else { return true }
        guard text.count >= bytes.count else { return false }
        for start in 0...(text.count - bytes.count) {
            let byte = text[start]
            if first == (folds ? Letters.lower(byte) : byte), has(bytes, in: text, at: start, folds) { return true }
        }
        return false
    }
}
