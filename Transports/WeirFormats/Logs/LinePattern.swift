internal import WeirCore
internal import WeirRecords

/// The parts of a line: text that stands in each one, and named fields between.
struct LinePattern: Sendable, Hashable {
    /// The text behind a part of a line.
    struct Separator: Sendable, Hashable {
        fileprivate(set) var text: [UInt8] = []

        /// Whether any number of blanks may stand before it, and behind it if it ends with one.
        let isPadded: Bool

        /// Whether blanks behind it belong to it.
        var takesBlanks: Bool { isPadded && text.last == LinePattern.blank }
    }

    /// A field, and the text that follows it.
    struct Field: Sendable, Hashable {
        let name: String

        /// What is in each of its values, in this order.
        fileprivate(set) var inner: [Separator] = []

        /// What comes behind it.
        fileprivate(set) var ending: Separator
    }

    static let blank = UInt8(ascii: " ")

    /// The text before the first field.
    private(set) var beginning: [UInt8] = []

    /// The fields; the ending of the last one ends the line.
    private(set) var fields: [Field] = []

    /// Reads a pattern.
    ///
    /// - Throws: ``LinePatternError`` with the place of what is wrong.
    init(_ text: String) throws(LinePatternError) {
        var rest = text.unicodeScalars[...]
        let count = rest.count
        /// The place of the next character, counted from 1.
        var place: Int { count - rest.count + 1 }
        while let scalar = rest.first {
            let start = place
            func refuse(_ what: String) -> LinePatternError { LinePatternError(what, at: start, of: text) }
            rest.removeFirst()
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                append(scalar)
            case "{":
                guard let end = rest.firstIndex(of: "}") else { throw refuse("a '{' is not closed; '{{' is a brace") }
                var name = String(rest[..<end])
                rest = rest[rest.index(after: end)...]
                let isPadded = name.hasSuffix("->")
                if isPadded { name.removeLast(2) }
                guard !name.isEmpty else { throw refuse("a field lacks its name") }
                guard !name.contains("{") else { throw refuse("there is a '{' in the name '\(name)'") }
                if name.hasPrefix("+") {
                    guard let last = fields.last, name.utf8.dropFirst().elementsEqual(last.name.utf8) else {
                        throw refuse("'{\(name)}' goes on with a field, which has to stand right before it")
                    }
                    guard !last.ending.text.isEmpty else {
                        throw refuse("nothing stands between '{\(last.name)}' and '{\(name)}'")
                    }
                    fields[fields.count - 1].inner.append(last.ending)
                    fields[fields.count - 1].ending = Separator(isPadded: isPadded)
                    break
                }
                guard !fields.contains(where: { $0.name == name }) else {
                    throw refuse("the field '\(name)' comes twice")
                }
                if let last = fields.last, last.ending.text.isEmpty {
                    throw refuse(
                        "nothing stands between '{\(last.name)}' and '{\(name)}', so where one ends is unknown"
                    )
                }
                fields.append(Field(name: name, ending: Separator(isPadded: isPadded)))
            case "}": throw refuse("there is no '{' before a '}'; '}}' is a brace")
            case "\\":
                switch rest.popFirst() {
                case "t": append("\t")
                case "\\": append("\\")
                default: throw refuse("behind a '\\' stands 't', for a tab, or another '\\'")
                }
            case "\n", "\r": throw refuse("there is a line break, which no line has")
            default: append(scalar)
            }
        }
        guard !fields.isEmpty else { throw LinePatternError("there is no field, such as '{time}'", at: 1, of: text) }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        let bytes = Array(String(scalar).utf8)
        if fields.isEmpty {
            beginning += bytes
        } else {
            fields[fields.count - 1].ending.text += bytes
        }
    }
}

extension LinePattern.Field {
    /// The place behind what each value has in it, where a value starts; `nil` where something of it is missing.
    func placeBehindInner(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var place = start
        for separator in inner {
            let found = unsafe ByteSearch.index(ofText: separator.text, in: base, from: place, to: end)
            guard found < end else { return nil }
            place = unsafe separator.placeBehindBlanks(base, from: found + separator.text.count, to: end)
        }
        return place
    }
}

extension LinePattern.Separator {
    /// The place behind the blanks that belong to the text, from the one right behind that.
    func placeBehindBlanks(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        guard takesBlanks else { return start }
        var place = start
        while unsafe place < end && base[place] == LinePattern.blank { place += 1 }
        return place
    }

    /// Where a value ends that the text follows: before the blanks that belong to that.
    func endOfValue(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        guard isPadded else { return end }
        var place = end
        while unsafe place > start && base[place - 1] == LinePattern.blank { place -= 1 }
        return place
    }
}

/// Why a text is no pattern of lines.
public struct LinePatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String

    init(_ what: String, at place: Int, of text: String) {
        description = "\(what), at character \(place) of the pattern '\(Excerpt.of(text.utf8, limit: 60))'"
    }
}
