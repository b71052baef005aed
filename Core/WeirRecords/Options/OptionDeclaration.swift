/// An option of a plugin or a transport, declared once: it is parsed, checked and explained from this.
public struct OptionDeclaration: Sendable {
    /// What values an option takes.
    public enum Kind: Sendable, Hashable {
        /// A finite number, counted in a unit where that is not empty, not below the minimum where there is one.
        case number(unit: String = "", minimum: Double? = nil)
        /// A length of time such as `500ms`, `5m` or `1h30m`; not negative. `0` needs no unit.
        case duration
        /// A whole number within a range.
        case integer(ClosedRange<Int>)
        /// A number of bytes within a range, such as `64KiB` or `1MB`.
        case byteCount(ClosedRange<Int>)
        /// Yes or no: `true` or `false`.
        case flag
        /// One of a few words.
        case choice([String])
        /// Any text; `placeholder` stands for it in the help, such as `FIELD`.
        case text(placeholder: String)
        /// Any texts, one each time that the option is given; defaults stand a line each. What is given replaces them all.
        case list(placeholder: String)
        /// Names for names, `a=b,c=d`: the left ones are among `keys`. Keys that are not named keep their default.
        case mapping(keys: [String])
    }

    /// The name, without the dashes.
    public let name: String

    /// What values it takes.
    public let kind: Kind

    /// The value where none is given, as it would be written; `nil` where the option is then absent.
    public let defaultText: String?

    /// What it does, in a few words.
    public let help: String

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: The name, without the dashes.
    ///   - kind: What values it takes.
    ///   - defaultText: The value where none is given, as it would be written.
    ///   - help: What it does, in a few words.
    public init(_ name: String, _ kind: Kind, default defaultText: String? = nil, help: String) {
        self.name = name
        self.kind = kind
        self.defaultText = defaultText
        self.help = help
    }

    /// Whether the option may be given several times.
    public var isRepeatable: Bool { if case .list = kind { true } else { false } }

    /// What stands for the value in the help, such as `NUMBER` or `a|b`.
    public var placeholder: String {
        switch kind {
        case .number(let unit, _): unit.isEmpty ? "NUMBER" : unit.uppercased() == unit ? unit : "NUMBER"
        case .duration: "DURATION"
        case .integer: "N"
        case .byteCount: "SIZE"
        case .flag: "true|false"
        case .choice(let words): words.joined(separator: "|")
        case .text(let placeholder), .list(let placeholder): placeholder
        case .mapping: "KEY=NAME,..."
        }
    }
}
