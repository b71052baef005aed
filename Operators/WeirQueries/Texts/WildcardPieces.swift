/// A wildcard, cut at its stars.
struct WildcardPieces: Sendable {
    /// What stands for any character in a piece; other elements are bytes.
    private static let anyCharacter: UInt16 = 256

    /// What stands between the stars.
    private let pieces: [[UInt16]]

    /// How many bytes a text has at least.
    private let least: Int

    init(_ wildcard: [UInt8]) {
        pieces = wildcard.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { piece in
            piece.map { $0 == UInt8(ascii: "?") ? Self.anyCharacter : UInt16($0) }
        }
        least = pieces.reduce(0) { $0 + $1.count }
    }

    /// Whether a text has the pieces, the first at its start and the last at its end.
    ///
    /// Each piece between is looked for from the end of the one before: where the first place does not lead to a match,
    /// no later one does.
    func matches(_ text: Span<UInt8>, foldingLetters folds: Bool) -> Bool {
        guard text.count >= least, var place = end(of: pieces[0], in: text, from: 0, folds) else { return false }
        guard pieces.count > 1 else { return place == text.count }
        guard let last = start(of: pieces[pieces.count - 1], in: text, folds), last >= place else { return false }
        for piece in pieces[1..<(pieces.count - 1)] {
            var found: Int?
            while found == nil {
                guard place + piece.count <= last else { return false }
                found = end(of: piece, in: text, from: place, folds)
                place += 1
                // A character is not taken from its middle.
                while found == nil, place < last, Letters.continues(text[place]) { place += 1 }
            }
            guard let found, found <= last else { return false }
            place = found
        }
        return true
    }

    /// Where a piece ends that begins at a place; `nil` where it does not.
    private func end(of piece: [UInt16], in text: Span<UInt8>, from start: Int, _ folds: Bool) -> Int? {
        var index = start
        for element in piece {
            guard index < text.count else { return nil }
            let byte = text[index]
            if element == Self.anyCharacter {
                index = Letters.end(in: text, from: index)
            } else {
                guard element == UInt16(folds ? Letters.lower(byte) : byte) else { return nil }
                index += 1
            }
        }
        return index
    }

    /// Where a piece begins that ends where the text ends; `nil` where it does not.
    private func start(of piece: [UInt16], in text: Span<UInt8>, _ folds: Bool) -> Int? {
        var index = text.count
        for element in piece.reversed() {
            guard index > 0 else { return nil }
            index -= 1
            let byte = text[index]
            if element == Self.anyCharacter {
                while index > 0, Letters.continues(text[index]) { index -= 1 }
            } else {
                guard element == UInt16(folds ? Letters.lower(byte) : byte) else { return nil }
            }
        }
        return index
    }
}
