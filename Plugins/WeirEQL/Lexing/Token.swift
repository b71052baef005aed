/// A word, number, text or sign of a query, with its place.
struct Token: Equatable {
    /// What a token is.
    enum Kind: Equatable {
        /// The end of the query.
        case end
        /// Letters, digits and underscores: a keyword or a name.
        case word
        /// A name in backticks.
        case quotedName
        /// A text in double quotes.
        case text
        /// A text in three double quotes.
        case rawText
        /// A number, perhaps with letters that follow at once, such as `5m`.
        case number
        /// A sign.
        case sign(Sign)
    }

    /// A sign.
    enum Sign: String, CaseIterable {
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
        case dot = "."
        case colon = ":"
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
        case plus = "+"
        case minus = "-"
        case star = "*"
        case slash = "/"
        case percent = "%"
        case bar = "|"
        case question = "?"
        case tilde = "~"
        case exclamation = "!"
        case assign = "="
    }

    /// What it is.
    var kind: Kind

    /// Where it is, in bytes from the start of the query.
    var range: Range<Int>
}
