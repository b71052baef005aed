/// Reads regular expressions as Lucene does, with all its operators.
///
/// Beside Lucene's, `(?:...)` is a group; other groups with `?` are refused.
struct RegularExpressionParser {
    /// How many groups may be in each other.
    private static let depthLimit = 100

    /// How often something may be repeated by number.
    private static let repetitionLimit = 1000

    /// The expression.
    private let scalars: [Unicode.Scalar]

    /// Whether letters are taken as lower case.
    private let ignoresCase: Bool

    /// Where the next character is.
    private var position = 0

    /// How many groups are open.
    private var depth = 0

    /// How many `&` there are.
    private var intersections = 0

    /// The tree of an expression.
    static func tree(of text: String, ignoringCase: Bool) throws(TextPatternError) -> RegularExpression {
        var parser = RegularExpressionParser(scalars: Array(text.unicodeScalars), ignoresCase: ignoringCase)
        guard !parser.isAtEnd else { return .sequence([]) }
        let tree = try parser.alternatives()
        // Only a parenthesis ends alternatives before the end.
        guard parser.isAtEnd else { throw parser.error("there is no '(' before ')'; write '\\)' for the character") }
        return tree
    }

    private init(scalars: [Unicode.Scalar], ignoresCase: Bool) {
        self.scalars = scalars
        self.ignoresCase = ignoresCase
    }

    // MARK: Operators

    private mutating func alternatives() throws(TextPatternError) -> RegularExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw error("more than \(Self.depthLimit) groups are in each other") }
        var members = [try intersection()]
        while skip("|") { members.append(try intersection()) }
        return members.count == 1 ? members[0] : .either(members)
    }

    private mutating func intersection() throws(TextPatternError) -> RegularExpression {
        var both = try sequence()
        while skip("&") {
            intersections += 1
            guard intersections <= Self.depthLimit else { throw error("there are more than \(Self.depthLimit) '&'") }
            both = .both(both, try sequence())
        }
        return both
    }

    private mutating func sequence() throws(TextPatternError) -> RegularExpression {
        var parts: [RegularExpression] = []
        repeat { parts.append(try repetition()) } while !isAtEnd && !"|&)".unicodeScalars.contains(scalars[position])
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repetition() throws(TextPatternError) -> RegularExpression {
        var count = 0
        while skip("~") { count += 1 }
        var part = try atom()
        if count % 2 == 1 { part = .not(part) }
        var repetitions = 0
        while !isAtEnd {
            switch scalars[position] {
            case "?": part = .repeated(part, least: 0, most: 1)
            case "*": part = .repeated(part, least: 0, most: nil)
            case "+": part = .repeated(part, least: 1, most: nil)
            case "{":
                let (least, most) = try counts()
                part = .repeated(part, least: least, most: most)
            default: return part
            }
            position += 1
            repetitions += 1
            guard repetitions <= 10 else { throw error("more than 10 repetitions follow each other") }
        }
        return part
    }

    /// The numbers between braces; the closing one is looked at afterwards.
    private mutating func counts() throws(TextPatternError) -> (Int, Int?) {
        position += 1
        let least = try count()
        guard skip(",") else {
            guard next == "}" else { throw error("expected '}' after the number of repetitions") }
            return (least, least)
        }
        if next == "}" { return (least, nil) }
        let most = try count()
        guard next == "}" else { throw error("expected '}' after the numbers of repetitions") }
        guard least <= most else { throw error("the first number of repetitions is larger than the second") }
        return (least, most)
    }

    private mutating func count() throws(TextPatternError) -> Int {
        let digits = digits()
        guard !digits.isEmpty else { throw error("expected a number of repetitions; write '\\{' for the character") }
        let count = digits.count > 6 ? Int.max : digits.reduce(0) { $0 * 10 + Int($1) }
        guard count <= Self.repetitionLimit else {
            throw error("something is repeated \(Self.repetitionLimit) times at most")
        }
        return count
    }

    // MARK: Atoms

    private mutating func atom() throws(TextPatternError) -> RegularExpression {
        guard let scalar = next else {
            throw error(
                position == 0 ? "expected a character" : "expected a character after '\(shown(scalars[position - 1]))'"
            )
        }
        switch scalar {
        case "|", "&", ")":
            throw error("expected a character before '\(scalar)'; write '\\\(scalar)' for the character")
        case "?", "*", "+", "{":
            throw error("there is nothing to repeat before '\(scalar)'; write '\\\(scalar)' for the character")
        case "(": return try group()
        case "[": return try characterClass()
        case "<": return try interval()
        case "\"":
            position += 1
            let start = position
            while let scalar = next, scalar != "\"" { position += 1 }
            let quoted = scalars[start..<position]
            guard skip("\"") else { throw error("there is no '\"' after '\"'; write '\\\"' for the character") }
            return .sequence(quoted.map { .character(self.set(of: $0)) })
        default: break
        }
        position += 1
        switch scalar {
        case ".": return .character(.all)
        case "@": return .anything
        case "#": return .either([])
        case "\\": return .character(try escaped())
        default: return .character(set(of: scalar))
        }
    }

    private mutating func group() throws(TextPatternError) -> RegularExpression {
        position += 1
        if skip(")") { return .sequence([]) }
        if skip("?"), !skip(":") {
            throw error("groups with '?' and other signs than ':' are not part of Lucene's regular expressions")
        }
        let inner = try alternatives()
        guard skip(")") else { throw error("there is no ')' after '('; write '\\(' for the character") }
        return inner
    }

    /// Numbers from one to another, such as `<1-100>`.
    private mutating func interval() throws(TextPatternError) -> RegularExpression {
        position += 1
        let first = digits()
        guard !first.isEmpty, skip("-") else { throw error("expected two numbers after '<', as in '<1-100>'") }
        let last = digits()
        guard !last.isEmpty, skip(">") else { throw error("expected a number and '>' after '-', as in '<1-100>'") }
        guard first.count <= 18, last.count <= 18 else { throw error("numbers of intervals have 18 digits at most") }
        let isOrdered = first.reduce(0) { $0 * 10 + Int($1) } <= last.reduce(0) { $0 * 10 + Int($1) }
        return isOrdered ? .numbers(from: first, to: last) : .numbers(from: last, to: first)
    }

    private mutating func digits() -> [UInt8] {
        var digits: [UInt8] = []
        while let scalar = next, ("0"..."9").contains(scalar) {
            digits.append(UInt8(scalar.value - 0x30))
            position += 1
        }
        return digits
    }

    // MARK: Characters

    private mutating func characterClass() throws(TextPatternError) -> RegularExpression {
        position += 1
        let isInverted = skip("^")
        var set = ScalarSet([])
        // The first character belongs to the class, whatever it is.
        repeat {
            guard let scalar = next else {
                throw error("there is no ']' after '['; write '\\[' for the character")
            }
            position += 1
            if scalar == "\\", let scalar = next, Self.named[scalar] != nil {
                set = set.union(try escaped())
                continue
            }
            let first = scalar == "\\" ? try plain() : scalar
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                set = set.union(self.set(of: first))
                continue
            }
            position += 1
            let end = scalars[position]
            position += 1
            let last = end == "\\" ? try plain() : end
            guard first <= last else { throw error("the range '\(shown(first))-\(shown(last))' ends before it begins") }
            let range = ScalarSet([first.value...last.value])
            set = set.union(ignoresCase ? range.folded : range)
        } while next != "]"
        position += 1
        return .character(isInverted ? set.inverted : set)
    }

    /// The characters of a class with a name, or one that is escaped.
    private mutating func escaped() throws(TextPatternError) -> ScalarSet {
        let scalar = try plain()
        return Self.named[scalar] ?? set(of: scalar)
    }

    /// The character after a backslash.
    private mutating func plain() throws(TextPatternError) -> Unicode.Scalar {
        guard let scalar = next else { throw error("expected a character after '\\'; write '\\\\' for a backslash") }
        position += 1
        return scalar
    }

    private func set(of scalar: Unicode.Scalar) -> ScalarSet { ScalarSet(ignoresCase ? Letters.lower(scalar) : scalar) }

    /// The classes with names.
    private static let named: [Unicode.Scalar: ScalarSet] = {
        let digits = ScalarSet([0x30...0x39])
        let words = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
        let blanks = ScalarSet([0x09...0x0A, 0x0D...0x0D, 0x20...0x20])
        return [
            "d": digits, "D": digits.inverted, "w": words, "W": words.inverted, "s": blanks, "S": blanks.inverted,
        ]
    }()

    // MARK: Places

    private var isAtEnd: Bool { position == scalars.count }

    /// The next character; `nil` at the end.
    private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    /// A character, as a message shows it.
    private func shown(_ scalar: Unicode.Scalar) -> String {
        scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : "\(scalar)"
    }

    private func error(_ message: String) -> TextPatternError {
        TextPatternError(message, at: scalars[..<position].reduce(0) { $0 + UTF8.width($1) })
    }
}
