internal import WeirRecords

/// The keys that are to be explained: all, or those with some values.
struct KeyChoice: Sendable {
    private enum Form {
        case all
        case exactly(Set<[UInt8]>)
        case written([[String]])
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    static let all = KeyChoice(.all)

    /// Chooses keys by all of their values.
    init(exactly keys: [[QueryValue]]) {
        form = .exactly(
            Set(keys.map { $0.reduce(into: []) { bytes, value in KeyEncoding.append(value, to: &bytes) } })
        )
    }

    /// Chooses keys by some of their values as people write them.
    init(written keys: [[String]]) { form = .written(keys) }

    /// Whether the keys do not matter.
    var isAll: Bool { if case .all = form { true } else { false } }

    /// Whether a key was chosen; where it is as people write it, because it has all values, or none but those.
    func contains(_ key: [UInt8]) -> Bool {
        let wanted: [[String]]
        switch form {
        case .all: return true
        case .exactly(let keys): return keys.contains(key)
        case .written(let keys): wanted = keys
        }
        let values = KeyEncoding.values(in: key).compactMap(\.written)
        guard !values.isEmpty else { return false }
        return wanted.contains { texts in
            texts.allSatisfy(values.contains) || values.allSatisfy(texts.contains)
        }
    }

    /// The texts of which none is a key of those.
    func unused(_ keys: [[UInt8]]) -> [[String]] {
        guard case .written(let wanted) = form else { return [] }
        return wanted.filter { text in
            let choice = KeyChoice(written: [text])
            return !keys.contains { choice.contains($0) }
        }
    }

    /// The values of a text: commas separate them, `\,` and `\\` are a comma and a backslash.
    static func values(of text: String) -> [String] {
        var values = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\\" where rest.first == "," || rest.first == "\\": values[values.count - 1].append(rest.removeFirst())
            case ",": values.append("")
            default: values[values.count - 1].append(character)
            }
        }
        return values
    }
}
