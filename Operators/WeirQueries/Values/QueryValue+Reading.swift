internal import WeirRecords

/// How the bytes of a field are meant.
///
/// A format with types tells texts from numbers; in the others everything is a text, and a number is what reads as one.
enum FieldKind: UInt8, Sendable {
    case text, bare, nested, untyped
}

extension QueryValue {
    /// Reads a field.
    ///
    /// - Parameters:
    ///   - bytes: The text of the field, without quotes and escapes; of an array the JSON.
    ///   - kind: How it is meant.
    ///   - type: The type as which it is read; `nil` where it is what it shows.
    init(_ bytes: some Collection<UInt8>, kind: FieldKind, as type: QueryType?) {
        switch kind {
        case .nested where bytes.first == UInt8(ascii: "{"): self = .text(String(decoding: bytes, as: UTF8.self))
        case .nested: self = JSONScalars.values(in: Array(bytes)).converted(to: type)
        case .text: self = QueryValue.text(String(decoding: bytes, as: UTF8.self)).converted(to: type)
        case .bare:
            let text = String(decoding: bytes, as: UTF8.self)
            self = (type.isText ? .text(text) : QueryValue(bare: text)).converted(to: type)
        case .untyped:
            let text = String(decoding: bytes, as: UTF8.self)
            if text.isEmpty {
                self = .missing
            } else if type == nil {
                self = QueryValue(number: text) ?? .text(text)
            } else {
                self = QueryValue.text(text).converted(to: type)
            }
        }
    }

    /// What stands without quotes in JSON.
    init(bare text: String) {
        switch text {
        case "true": self = .boolean(true)
        case "false": self = .boolean(false)
        case "null": self = .missing
        default: self = QueryValue(number: text) ?? .text(text)
        }
    }

    /// A number in digits, with a point and an exponent where it has them.
    init?(number text: String) {
        guard text.utf8.allSatisfy(Self.isPartOfNumber) else { return nil }
        if let number = Int64(text) {
            self = .integer(number)
        } else if let number = Double(text), number.isFinite {
            self = .real(number)
        } else {
            return nil
        }
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// The value as a type; missing where it is nothing of the type.
    func converted(to type: QueryType?) -> QueryValue {
        guard let type else { return self }
        if case .list = self { return mapped { $0.converted(to: type) } }
        switch (type, self) {
        case (_, .missing): return .missing
        case (.text, _), (.version, _): return written.map(QueryValue.text) ?? .missing
        case (.boolean, .boolean), (.integer, .integer), (.integer, .real), (.real, .real): return self
        case (.boolean, .text(let text)):
            return text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : .missing
        case (.real, .integer(let number)): return .real(Double(number))
        case (.integer, .text(let text)), (.real, .text(let text)):
            return QueryValue(number: text)?.converted(to: type) ?? .missing
        default: return .missing
        }
    }
}

extension QueryType? {
    var isText: Bool { self == .text || self == .version }
}

/// The single values of a JSON array, those of arrays in it included; objects are no values.
enum JSONScalars {
    /// Reads an array.
    ///
    /// - Parameter json: A valid array.
    /// - Returns: A list.
    static func values(in json: [UInt8]) -> QueryValue {
        var values: [QueryValue] = []
        var (index, depth) = (0, 0)
        while index < json.count {
            let byte = json[index]
            switch byte {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\""):
                let start = index + 1
                index = endOfText(json, from: start)
                if depth == 0, let text = QuotedText.resolvingEscapes(json[start..<index]) {
                    values.append(.text(text))
                }
            case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "),
                UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                break
            default:
                let start = index
                while index + 1 < json.count, !isEnd(json[index + 1]) { index += 1 }
                if depth == 0 { values.append(QueryValue(bare: String(decoding: json[start...index], as: UTF8.self))) }
            }
            index += 1
        }
        return .list(values)
    }

    /// Where the quote is that ends a text.
    private static func endOfText(_ json: [UInt8], from start: Int) -> Int {
        var index = start
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, json.count)
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: " "), UInt8(ascii: "\t"),
            UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            true
        default: false
        }
    }
}
