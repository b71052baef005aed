internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// How an input or an output is written, as far as the command line says.
enum FormatChoice {
    /// The format of a name, cut into frames where that is wanted.
    ///
    /// - Returns: The format.
    /// - Throws: ``HostError`` when there is no such format, or it cannot be cut so.
    static func format(
        named name: String,
        framing: String?,
        option: OptionDeclaration,
        _ registry: Registry
    ) throws(HostError) -> any Format {
        guard let format = registry.format(named: name) else {
            let names = registry.formats.map(\.name)
            throw .usage(
                "there is no format '\(name)', only \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
                    + Suggestion.text(for: name, among: names)
            )
        }
        guard let word = framing else { return format }
        guard let framing = Framing(rawValue: word) else {
            let words = Framing.allCases.map(\.rawValue)
            throw .usage("--\(option.name): '\(word)' is not one of \(words.joined(separator: ", "))")
        }
        guard framing == .newline || format.name != BinaryFormat().name else {
            throw .usage("--\(option.name): the format \(format.name) has frames of its own; leave the option out")
        }
        return format.framed(by: framing)
    }

    /// Checks that a format can go through a transport that keeps lines or frames whole.
    ///
    /// - Throws: ``HostError`` for the binary format, which has no lines.
    static func check(
        _ format: any Format,
        goesThrough address: Address,
        _ direction: Address.Direction,
        option: OptionDeclaration
    ) throws(HostError) {
        guard format.name == BinaryFormat().name, address.hasMessages(direction) else { return }
        throw .usage(
            "--\(option.name): the format \(format.name) has no lines, which '\(address.name)' keeps whole; it is for files and pipes"
        )
    }

    /// The name of the format that a path's ending stands for, if there is one.
    static func name(forEndingOf path: String, _ registry: Registry) -> String? {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        let ending = path[path.index(after: dot)...].lowercased()
        let name =
            switch ending {
            case "ndjson": JSONLinesFormat().name
            case "weir": BinaryFormat().name
            default: ending
            }
        return registry.format(named: name)?.name
    }

    /// Checks that the ending of an output does not promise what it will not hold.
    ///
    /// - Parameters:
    ///   - address: The output.
    ///   - isText: Whether the command line says what it holds: then only a compressed output has another format.
    ///   - option: The option that it was given for.
    /// - Throws: ``HostError`` for endings of other formats.
    static func check(endingOf address: Address, isText: Bool, option: OptionDeclaration = .to) throws(HostError) {
        guard let path = address.formatPath, !FileSystem.isStream(path),
            let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".")
        else { return }
        let ending = name[dot...].lowercased()
        if let program = packers[ending] {
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

    /// What compresses to files with an ending.
    private static let packers = [
        ".gz": "gzip", ".tgz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz", ".lz4": "lz4", ".br": "brotli",
        ".zip": "zip", ".7z": "7z",
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
