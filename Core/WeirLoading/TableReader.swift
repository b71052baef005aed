internal import CWeirPlugin
internal import WeirRecords

/// Reads what a library declares, and trusts none of it further than it must.
struct TableReader {
    /// What a plugin may declare at most.
    private enum Limit {
        static let options = 1_000
        static let examples = 100
        static let textLength = 65_536
    }

    /// Where the library is, for the errors.
    let path: String

    private func flaw(_ reason: String) -> LoadingError { .malformed(path: path, reason: reason) }

    /// Whether something can be the name of a plugin or an option.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }

    /// A text of the table; `what` says what it is, in a few words.
    @unsafe
    func text(_ text: weir_text, _ what: String) throws(LoadingError) -> String {
        let length = unsafe text.length
        guard unsafe length == 0 || text.bytes != nil, (0...Limit.textLength).contains(length) else {
            throw flaw("its \(what) has \(length) bytes")
        }
        guard let string = unsafe String(validating: text.buffer, as: UTF8.self) else {
            throw flaw("its \(what) is not valid UTF-8")
        }
        return string
    }

    @unsafe
    func options(_ options: UnsafePointer<weir_option>?, _ count: Int) throws(LoadingError) -> [OptionDeclaration] {
        guard unsafe count == 0 || options != nil, (0...Limit.options).contains(count) else {
            throw flaw("it says that it has \(count) options")
        }
        var declarations: [OptionDeclaration] = []
        for index in 0..<count {
            guard let option = unsafe options?[index] else { break }
            let name = unsafe try text(option.name, "option")
            guard Self.isName(name) else { throw flaw("'\(name)' is no name for an option") }
            let declaration = unsafe try OptionDeclaration(
                option,
                name: name,
                help: text(option.help, "help of --\(name)"),
                detail: text(option.detail, "detail of --\(name)"),
                defaultText: text(option.default_text, "default of --\(name)")
            )
            guard let declaration else { throw flaw("its option '\(name)' is of no known kind") }
            declarations.append(declaration)
        }
        if let flaw = OptionValues.flaw(in: declarations) { throw self.flaw(flaw) }
        return declarations
    }

    @unsafe
    func examples(
        _ examples: UnsafePointer<weir_example>?,
        _ count: Int
    ) throws(LoadingError) -> [(arguments: String, meaning: String)] {
        guard unsafe count == 0 || examples != nil, (0...Limit.examples).contains(count) else {
            throw flaw("it says that it has \(count) examples")
        }
        var lines: [(arguments: String, meaning: String)] = []
        for index in 0..<count {
            guard let example = unsafe examples?[index] else { break }
            unsafe try lines.append((text(example.arguments, "example"), text(example.meaning, "example")))
        }
        return lines
    }
}

extension OptionDeclaration {
    /// Reads a declaration; `nil` where its kind is not known, or its numbers contradict each other.
    @unsafe
    fileprivate init?(_ option: weir_option, name: String, help: String, detail: String, defaultText: String) {
        let lines = detail.split(separator: "\n").map(String.init)
        let kind: Kind
        switch unsafe Int(option.kind) {
        case Int(WEIR_OPTION_NUMBER):
            kind = unsafe .number(unit: detail, minimum: option.has_minimum == 0 ? nil : option.minimum)
        case Int(WEIR_OPTION_DURATION): kind = .duration
        case Int(WEIR_OPTION_INTEGER):
            guard unsafe option.least <= option.most else { return nil }
            kind = unsafe .integer(Int(option.least)...Int(option.most))
        case Int(WEIR_OPTION_CHOICE): kind = .choice(lines)
        case Int(WEIR_OPTION_TEXT): kind = .text(placeholder: detail)
        case Int(WEIR_OPTION_LIST): kind = .list(placeholder: detail)
        case Int(WEIR_OPTION_MAPPING): kind = .mapping(keys: lines)
        case Int(WEIR_OPTION_BYTE_COUNT):
            guard unsafe option.least <= option.most else { return nil }
            kind = unsafe .byteCount(Int(option.least)...Int(option.most))
        case Int(WEIR_OPTION_FLAG): kind = .flag
        default: return nil
        }
        unsafe self.init(name, kind, default: option.has_default == 0 ? nil : defaultText, help: help)
    }
}
