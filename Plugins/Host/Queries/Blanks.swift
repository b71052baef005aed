extension StringProtocol {
    /// The text without the spaces, tabs and carriage returns at its ends.
    var withoutOuterBlanks: String { without { $0 == " " || $0 == "\t" || $0 == "\r" } }

    /// The text without the lines without anything in them, and the blanks, at its ends.
    var withoutOuterBlankLines: String { without(\.properties.isWhitespace) }

    private func without(_ isBlank: (Unicode.Scalar) -> Bool) -> String {
        // By scalars: a carriage return and a line feed are one character, as are a blank and an accent.
        let end = unicodeScalars.lastIndex { !isBlank($0) }.map { unicodeScalars.index(after: $0) } ?? startIndex
        return String(String.UnicodeScalarView(unicodeScalars[..<end].drop(while: isBlank)))
    }
}
