internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// How an input or an output is written, as far as the command line says.
enum FormatChoice {
    /// What begins the name of a format that says how lines look.
    private static let pattern = "pattern:"

    /// The formats that can be chosen and are no entry of the registry, with what they are.
    static let unregistered = [
        ("pattern:TEXT", "lines of a form that is told, as in 'pattern:{time} [{level}] {rest}'")
    ]

    /// The format of a name.
    private static func format(named name: String, _ registry: Registry) throws(HostError) -> any Format {
        if name.hasPrefix(pattern) {
            do throws(LinePatternError) {
                return try LinePatternFormat(String(name.dropFirst(pattern.count)))
            } catch {
                throw .usage("the format cannot be used: \(error)")
            }
        }
        if let format = registry.format(named: name) { return format }
        let names = registry.formats.map(\.name) + ["pattern:TEXT"]
        throw .usage(
            "there is no format '\(name)', only \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
                + Suggestion.text(for: name, among: names)
        )
    }

    /// The format of a name, cut into frames where that is wanted.
    ///
    /// - Parameters:
    ///   - name: The name, or `pattern:` and how lines look.
    ///   - framing: How it is cut into frames; `nil` if not given.
    ///   - option: The option that says so.
    ///   - dialect: How a table is written.
    ///   - registry: Has the formats.
    /// - Returns: The format.
    /// - Throws: ``HostError`` when there is no such format, or it cannot be cut so.
    static func format(
        named name: String,
        framing: String?,
        option: OptionDeclaration,
        dialect: DialectChoice? = nil,
        _ registry: Registry
    ) throws(HostError) -> any Format {
        var format = try format(named: name, registry)
        if let dialect { format = try dialect.applied(to: format) }
        guard let word = framing else { return format }
        guard let framing = Framing(rawValue: word) else {
            let words = Framing.allCases.map(\.rawValue)
            throw .usage("--\(option.name): '\(word)' is not one of \(words.joined(separator: ", "))")
        }
        guard framing == .newline || format.name != BinaryFormat().name else {
            throw .usage("--\(option.name): the format \(format.name) has frames of its own; leave the option out")
        }
        guard
            framing == .newline || format.name != JSONFormat().name
                || option.name != ConvertRequest.Option.toFraming.name
        else {
            throw .usage("--\(option.name): the format json is one array, which has no frames; jsonl has lines")
        }
        return format.framed(by: framing)
    }

    /// Checks that a format can go through a transport that keeps lines or frames whole.
    ///
    /// - Throws: ``HostError`` for the formats that have no lines.
    static func check(
        _ format: any Format,
        goesThrough address: Address,
        _ direction: Address.Direction,
        option: OptionDeclaration
    ) throws(HostError) {
        guard !format.hasLines, address.hasMessages(direction) else { return }
        let advice = format.name == JSONFormat().name ? "; jsonl is for messages" : ""
        throw .usage(
            "--\(option.name): the format \(format.name) has no lines, which '\(address.name)' keeps whole; it is for files and pipes\(advice)"
        )
    }

    /// The format as it is read from an address: in a table of several senders a record ends with its line.
    static func format(_ format: any Format, readFrom address: Address) -> any Format {
        guard var dialect = (format as? CSVFormat)?.dialect, address.mixesSenders else { return format }
        dialect.endsWithLines = true
        return CSVFormat(dialect)
    }

    /// The name of the format that a path's ending stands for, if there is one.
    static func name(forEndingOf path: String, _ registry: Registry) -> String? {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        let ending = path[path.index(after: dot)...].lowercased()
        let name =
            switch ending {
            case "ndjson": JSONLinesFormat().name
            case "tab": CSVFormat(.tabSeparated).name
            case "weir": BinaryFormat().name
            default: ending
            }
        return registry.format(named: name)?.name
    }

    /// The format that the first lines of an input show, where nothing else says which it is.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - format: What it is unless they show another one.
    /// - Returns: That, or a format of JSON where they begin like an object, or an array of them.
    static func format(shownBy lines: [UInt8], otherwise format: any Format) -> any Format {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        let text = (lines.starts(with: mark) ? lines.dropFirst(mark.count) : lines[...]).drop(while: blanks.contains)
        // The names of the columns of a table look otherwise.
        switch String(decoding: text.lazy.filter { !blanks.contains($0) }.prefix(2), as: UTF8.self) {
        case "{\"", "{}":
            let line = text.prefix { $0 != UInt8(ascii: "\n") }
            let isWhole = (try? JSONNode.read(Array(line), allowsRepeatedNames: true)) != nil
            return isWhole ? JSONLinesFormat() : JSONFormat()
        case "[{", "[]": return JSONFormat()
        default: return format
        }
    }

    /// Checks that the ending of an output does not promise what it will not hold.
    ///
    /// - Parameters:
    ///   - address: The output.
    ///   - isText: Whether the command line says what it holds: then only a compressed output has another format.
    ///   - option: The option that it was given for.
    ///   - isWhole: Whether the output is replaced as a whole, and so never compressed.
    /// - Throws: ``HostError`` for endings of other formats.
    static func check(
        endingOf address: Address,
        isText: Bool,
        option: OptionDeclaration = .to,
        isWhole: Bool = false
    ) throws(HostError) {
        guard let path = address.formatPath, !FileSystem.isStream(address.path) else { return }
        let name = path.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { name[$0...].lowercased() } ?? ""
        let ownProgram = isWhole ? Compression(endingOf: address.path)?.program : nil
        if let program = packers[ending] ?? ownProgram {
            throw .usage(
                "--\(option.name): '\(address.name)' is called like something compressed, which is not written here; "
                    + "leave out the ending, and compress the file with \(program) afterwards"
            )
        }
        guard !isText, foreignEndings.contains(ending) else { return }
        throw .usage(
            "--\(option.name): there is no format for the ending '\(ending)' of '\(address.name)'; name it .jsonl or .csv"
        )
    }

    /// What compresses to files with an ending, and is not written.
    private static let packers = [
        ".tgz": "gzip", ".lz4": "lz4", ".br": "brotli", ".zip": "zip", ".7z": "7z",
    ]

    /// The endings of formats that programs would not find in lines of JSON.
    private static let foreignEndings: Set = [
        ".tsv", ".tab", ".psv", ".xls", ".xlsx", ".ods", ".parquet", ".avro", ".arrow", ".feather", ".orc", ".xml",
        ".yaml", ".yml", ".toml", ".html", ".htm", ".pdf", ".md", ".sql", ".db", ".sqlite", ".msgpack", ".cbor",
        ".proto", ".pb", ".png", ".svg",
    ]

    /// The form of matches by the ending of the output's name; JSON by default.
    static func style(forEndingOf address: Address) -> MatchStyle {
        address.formatPath?.lowercased().hasSuffix(".csv") == true ? .csv : .json
    }
}
