internal import WeirCore
internal import WeirRecords

/// The parts of a line: text that stands in each one, and named fields between.
struct LinePattern: Sendable, Hashable {
    /// A field, and the text that follows it.
    struct Field: Sendable, Hashable {
        let name: String

        /// What is in each of its values, in this order.
        fileprivate(set) var inner: [[UInt8]] = []

        /// What comes behind it.
        fileprivate(set) var ending: [UInt8]
    }

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
                let name = String(rest[..<end])
                rest = rest[rest.index(after: end)...]
                guard !name.isEmpty else { throw refuse("a field lacks its name") }
                guard !name.contains("{") else { throw refuse("there is a '{' in the name '\(name)'") }
                if name.hasPrefix("+") {
                    guard let last = fields.last, name.utf8.dropFirst().elementsEqual(last.name.utf8) else {
                        throw refuse("'{\(name)}' goes on with a field, which has to stand right before it")
                    }
                    guard !last.ending.isEmpty else {
                        throw refuse("nothing stands between '{\(last.name)}' and '{\(name)}'")
                    }
                    fields[fields.count - 1].inner.append(last.ending)
                    fields[fields.count - 1].ending = []
                    break
                }
                guard !fields.contains(where: { $0.name == name }) else {
                    throw refuse("the field '\(name)' comes twice")
                }
                if let last = fields.last, last.ending.isEmpty {
                    throw refuse(
                        "nothing stands between '{\(last.name)}' and '{\(name)}', so where one ends is unknown"
                    )
                }
                fields.append(Field(name: name, ending: []))
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
            fields[fields.count - 1].ending += bytes
        }
    }
}

extension LinePattern.Field {
    /// The place behind what each value has in it, where a value starts; `nil` where something of it is missing.
    func placeBehindInner(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var place = start
        for text in inner {
            let found = unsafe ByteSearch.index(ofText: text, in: base, from: place, to: end)
            guard found < end else { return nil }
            place = found + text.count
        }
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
