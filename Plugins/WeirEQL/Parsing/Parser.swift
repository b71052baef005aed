import WeirCore
import WeirRecords

/// Makes a tree of the tokens of a query.
///
/// It calls itself for what stands in parentheses and behind `not`, at most ``depthLimit`` times.
struct Parser {
    /// Words between the parts of conditions.
    static let joints = ["and", "or", "in", "like", "regex"]

    /// How many parts of a condition may be in each other: more would exhaust the stack of a thread.
    static let depthLimit = 200

    /// What gives the tokens.
    var lexer: Lexer

    /// The token that is looked at.
    var token: Token

    /// Where the token before it ended.
    var end = 0

    /// How many calls for parts of conditions are open.
    var nesting = 0

    /// The tree of a query.
    ///
    /// - Throws: The first place where it is no query.
    static func tree(of text: String) throws(QueryError) -> SyntaxTree {
        var lexer = Lexer(text)
        let first = try lexer.next()
        var parser = Parser(lexer: lexer, token: first)
        return try parser.query()
    }

    private mutating func query() throws(QueryError) -> SyntaxTree {
        let start = token.range.lowerBound
        let situation: SyntaxTree.Situation
        switch isWord ? spelling : "" {
        case "sequence": situation = try sequence()
        case "sample": situation = try sample()
        case "join":
            throw refused(
                "'join' is not part of the language; write 'sample by FIELD [...] [...]' for events in any order"
            )
        default: situation = .event(try filter())
        }
        let range = start..<end
        var pipes: [SyntaxTree.Pipe] = []
        while try skip(.bar) { pipes.append(try pipe()) }
        guard token.kind == .end else {
            if case .event = situation, isWord("until") {
                throw refused("'until' ends sequences; write 'sequence [...] [...]'")
            }
            let isSequence = if case .sequence = situation { true } else { false }
            throw expected(
                pipes.isEmpty ? Self.continuation(of: situation) : "'|' or the end of the query",
                among: isSequence ? ["until"] : Self.joints
            )
        }
        return SyntaxTree(situation: situation, range: range, pipes: pipes)
    }

    private static func continuation(of situation: SyntaxTree.Situation) -> String {
        switch situation {
        case .event: "'and', 'or', '|' or the end of the query"
        case .sequence(_, _, _, until: nil): "'[', 'until', '|' or the end of the query"
        case .sequence: "'|' or the end of the query"
        case .sample: "'[', '|' or the end of the query"
        }
    }

    /// A category and a condition.
    mutating func filter() throws(QueryError) -> SyntaxTree.Filter {
        let range = token.range
        let category: String?
        switch token.kind {
        case .word:
            category = spelling == "any" ? nil : spelling
        case .text, .rawText:
            category = try lexer.value(ofText: token)
        case .quotedName:
            throw refused("a category stands in double quotes, not in backticks")
        default:
            throw expected("a category, such as 'process' or 'any'")
        }
        try advance()
        if isSign(.dot) || isSign(.minus) {
            throw lexer.error(
                "a category with other characters than letters, digits and '_' stands in double quotes",
                at: range.lowerBound..<token.range.upperBound
            )
        }
        guard try skip(word: "where") else {
            throw expected("'where' after the category, as in 'any where true'", among: ["where"])
        }
        guard token.kind != .end, !isSign(.closeBracket), !isSign(.bar) else {
            throw expected("a condition after 'where', such as 'true'")
        }
        return SyntaxTree.Filter(category: category, categoryRange: range, condition: try condition())
    }

    // MARK: Tokens

    /// The text of the token.
    var spelling: String { lexer.spelling(token.range) }

    /// Whether the token is a word.
    var isWord: Bool { token.kind == .word }

    /// Whether the token is a keyword.
    func isWord(_ word: String) -> Bool { token.kind == .word && spelling == word }

    /// Whether the token is a sign.
    func isSign(_ sign: Token.Sign) -> Bool { token.kind == .sign(sign) }

    /// The token behind the one that is looked at.
    func following() throws(QueryError) -> Token {
        var lexer = lexer
        return try lexer.next()
    }

    /// Looks at the next token.
    mutating func advance() throws(QueryError) {
        end = token.range.upperBound
        token = try lexer.next()
    }

    /// Skips a sign, and says whether it was there.
    mutating func skip(_ sign: Token.Sign) throws(QueryError) -> Bool {
        guard isSign(sign) else { return false }
        try advance()
        return true
    }

    /// Skips a keyword, and says whether it was there.
    mutating func skip(word: String) throws(QueryError) -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    // MARK: Errors

    /// An error at the token.
    func refused(_ message: String) -> QueryError { lexer.error(message, at: token.range) }

    /// An error that says what should stand in the place of the token, and which of some words may have been meant.
    func expected(_ what: String, among names: [String] = []) -> QueryError {
        guard token.kind != .end else { return refused("expected \(what); the query ends here") }
        let given = spelling
        let hint = isWord ? Suggestion.text(for: given, among: names) : ""
        return refused("expected \(what), found \(shown(given))\(hint)")
    }

}

/// A part of a query, as a message shows it: on one line.
func shown(_ text: String) -> String {
    var line = ""
    for scalar in text.prefix(41).unicodeScalars {
        line.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return line.count > 40 ? "'\(line.prefix(40))…'" : "'\(line)'"
}
