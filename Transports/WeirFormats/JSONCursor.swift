/// Reads one value of JSON, such as a line, from left to right and checks it.
///
/// Each method expects one part at the place where the last one stopped. Places are counted from `base`.
@unsafe
struct JSONCursor {
    /// A string between its quotes.
    struct Text {
        var start: Int
        var end: Int
        var hasEscapes: Bool
    }

    /// How deep arrays and objects may be nested.
    static let maximumDepth = 512

    let base: UnsafePointer<UInt8>
    let start: Int
    let end: Int

    /// The place of the next byte.
    var place: Int

    /// Creates a cursor at the start of the value from `start` to `end`.
    init(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) {
        unsafe self.base = base
        unsafe self.start = start
        unsafe self.end = end
        unsafe self.place = start
    }

    /// The next byte, or zero at the end, which no rule allows either.
    var byte: UInt8 {
        unsafe place < end ? base[place] : 0
    }

    /// A flaw at the next byte.
    func flaw(_ what: StaticString) -> JSONFlaw {
        unsafe JSONFlaw(what: what, offset: place - start)
    }

    /// Passes blanks and ends of lines.
    mutating func skipBlanks() {
        while true {
            switch unsafe byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): unsafe place &+= 1
            default: return
            }
        }
    }

    /// Passes `character`, when it is the next one.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard unsafe byte == UInt8(ascii: character) else { return false }
        unsafe place &+= 1
        return true
    }

    /// Passes a string from the opening to the closing quote.
    mutating func string() throws(JSONFlaw) -> Text {
        unsafe place &+= 1
        var text = unsafe Text(start: place, end: place, hasEscapes: false)
        var isASCII = true
        while true {
            guard unsafe place < end else { throw unsafe flaw("the string is not closed") }
            let byte = unsafe base[place]
            switch byte {
            case UInt8(ascii: "\""):
                unsafe text.end = place
                if !isASCII, unsafe !UTF8Text.isValid(base, from: text.start, to: text.end) {
                    unsafe place = text.start
                    throw unsafe flaw("the string is not valid UTF-8")
                }
                unsafe place &+= 1
                return text
            case UInt8(ascii: "\\"):
                text.hasEscapes = true
                unsafe try escape()
            case 0..<0x20: throw unsafe flaw("there is a control character in a string")
            default:
                isASCII = isASCII && byte < 0x80
                unsafe place &+= 1
            }
        }
    }

    private mutating func escape() throws(JSONFlaw) {
        let escapeStart = unsafe place
        unsafe place &+= 1
        switch unsafe byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            unsafe place &+= 1
        case UInt8(ascii: "u"):
            let unit = unsafe try codeUnit(escapeStart)
            if UTF16.isTrailSurrogate(unit) {
                throw unsafe flaw("a surrogate stands alone", at: escapeStart)
            }
            if UTF16.isLeadSurrogate(unit) {
                guard unsafe take("\\"), unsafe byte == UInt8(ascii: "u"),
                    unsafe UTF16.isTrailSurrogate(try codeUnit(escapeStart))
                else { throw unsafe flaw("a surrogate stands alone", at: escapeStart) }
            }
        default: throw unsafe flaw("there is no such escape", at: escapeStart)
        }
    }

    private func flaw(_ what: StaticString, at place: Int) -> JSONFlaw {
        unsafe JSONFlaw(what: what, offset: place - start)
    }

    /// Passes the `u` and four hexadecimal digits.
    private mutating func codeUnit(_ escapeStart: Int) throws(JSONFlaw) -> UInt16 {
        unsafe place &+= 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = unsafe byte
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte & 0xF)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                unit = unit << 4 | UInt16(byte & 0xF + 9)
            default: throw unsafe flaw("an escape needs four hexadecimal digits", at: escapeStart)
            }
            unsafe place &+= 1
        }
        return unit
    }

    /// Passes a number.
    mutating func number() throws(JSONFlaw) {
        _ = unsafe take("-")
        if unsafe take("0") {
            if unsafe isDigit { throw unsafe flaw("a number starts with a needless zero") }
        } else {
            unsafe try digits("expected a digit")
        }
        if unsafe take(".") { unsafe try digits("expected a digit after the point") }
        if unsafe take("e") || take("E") {
            _ = unsafe take("-") || take("+")
            unsafe try digits("expected a digit in the exponent")
        }
    }

    private var isDigit: Bool { unsafe byte &- UInt8(ascii: "0") < 10 }

    private mutating func digits(_ complaint: StaticString) throws(JSONFlaw) {
        guard unsafe isDigit else { throw unsafe flaw(complaint) }
        repeat {
            unsafe place &+= 1
        } while unsafe isDigit
    }

    /// Passes `true`, `false` or `null`, when it is the word that starts here.
    mutating func word(_ word: StaticString) throws(JSONFlaw) {
        let count = word.utf8CodeUnitCount
        guard unsafe end - place >= count else { throw unsafe flaw("expected a value") }
        for index in 0..<count where unsafe base[place + index] != word.utf8Start[index] {
            throw unsafe flaw("expected a value")
        }
        unsafe place &+= count
    }

    /// Passes a value that is neither an array nor an object.
    mutating func scalar() throws(JSONFlaw) {
        switch unsafe byte {
        case UInt8(ascii: "\""): _ = unsafe try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): unsafe try number()
        case UInt8(ascii: "t"): unsafe try word("true")
        case UInt8(ascii: "f"): unsafe try word("false")
        case UInt8(ascii: "n"): unsafe try word("null")
        default: throw unsafe flaw("expected a value")
        }
    }

    /// Passes an array or an object with all that is in it, without recursion.
    ///
    /// - Throws: ``JSONFlaw`` at the first mistake.
    mutating func nested(depth: Int) throws(JSONFlaw) {
        // One bit per level: whether it is an object.
        var isObject = JSONNesting()
        var depth = depth
        let outside = depth
        repeat {
            // At a value.
            let opening = unsafe byte
            if opening == UInt8(ascii: "[") || opening == UInt8(ascii: "{") {
                guard unsafe depth < Self.maximumDepth else { throw unsafe flaw("values are nested deeper than 512") }
                isObject[depth] = opening == UInt8(ascii: "{")
                depth += 1
                unsafe place &+= 1
                unsafe skipBlanks()
                let isEmpty = unsafe isObject[depth - 1] ? take("}") : take("]")
                if !isEmpty {
                    if isObject[depth - 1] { unsafe try name() }
                    continue
                }
                depth -= 1
            } else {
                unsafe try scalar()
            }
            // After a value: close what ends here, up to the next value.
            while depth > outside {
                unsafe skipBlanks()
                if unsafe take(",") {
                    unsafe skipBlanks()
                    if isObject[depth - 1] { unsafe try name() }
                    break
                }
                guard unsafe isObject[depth - 1] ? take("}") : take("]") else {
                    throw unsafe isObject[depth - 1] ? flaw("expected ',' or '}'") : flaw("expected ',' or ']'")
                }
                depth -= 1
            }
        } while depth > outside
    }

    /// Passes a name, the colon and the blanks after it.
    private mutating func name() throws(JSONFlaw) {
        guard unsafe byte == UInt8(ascii: "\"") else { throw unsafe flaw("expected a name in quotes") }
        _ = unsafe try string()
        unsafe try colon()
    }

    /// Passes the colon after a name, and the blanks around it.
    mutating func colon() throws(JSONFlaw) {
        if unsafe !take(":") {
            unsafe skipBlanks()
            guard unsafe take(":") else { throw unsafe flaw("expected ':'") }
        }
        unsafe skipBlanks()
    }
}

/// What is wrong with a value of JSON, and where.
struct JSONFlaw: Error, CustomStringConvertible {
    /// What was found to be wrong, in words that a place can follow.
    var what: StaticString

    /// The place in the value, counted in bytes from 0.
    var offset: Int

    var description: String { "\(what) at byte \(offset + 1)" }
}

/// A bit for each level that values may be nested in.
struct JSONNesting {
    private var words = [8 of UInt64](repeating: 0)

    subscript(level: Int) -> Bool {
        get { words[level >> 6] >> UInt64(level & 63) & 1 != 0 }
        set {
            let bit: UInt64 = 1 << UInt64(level & 63)
            words[level >> 6] = newValue ? words[level >> 6] | bit : words[level >> 6] & ~bit
        }
    }
}
