internal import WeirCore
internal import WeirFormats

/// How an input or an output is written, as far as the command line says.
enum FormatChoice {
    /// The format of a name, cut into frames where that is wanted.
    ///
    /// - Parameters:
    ///   - name: The name of the format.
    ///   - framing: The name of the framing, if one was given.
    ///   - option: The option that it was given for.
    ///   - registry: Has the formats.
    /// - Returns: The format.
    /// - Throws: ``HostError`` when there is no such format, or it cannot be cut so.
    static func format(
        named name: String,
        framing: String?,
        option: String,
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
            throw .usage("--\(option): '\(word)' is not one of \(words.joined(separator: ", "))")
        }
        guard framing == .newline || format.name != BinaryFormat().name else {
            throw .usage("--\(option): the format \(format.name) has frames of its own; leave the option out")
        }
        return format.framed(by: framing)
    }

    /// Checks that a format can go through a transport that keeps lines or frames whole.
    ///
    /// - Throws: ``HostError`` for the binary format, which has no lines.
    static func check(
        _ format: any Format,
        goesThrough address: Address,
        _ direction: HostOption,
        option: String
    ) throws(HostError) {
        guard format.name == BinaryFormat().name, address.hasMessages(direction) else { return }
        throw .usage(
            "--\(option): the format \(format.name) has no lines, which '\(address.name)' keeps whole; it is for files and pipes"
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

    /// What an input may take.
    ///
    /// - Parameter text: The longest line, if it was given.
    /// - Returns: The limits.
    /// - Throws: ``HostError`` when that is no size, or not a sensible one.
    static func limits(_ text: String?) throws(HostError) -> FormatLimits {
        guard let text else { return FormatLimits() }
        guard let size = ByteSize.parse(text) else {
            throw .usage("--max-line: '\(text)' is not a size; write 4096, 64KiB or 1MiB")
        }
        guard (16...1 << 30).contains(size) else {
            throw .usage("--max-line: \(text) is not between 16 bytes and 1GiB")
        }
        return FormatLimits(lineLength: size)
    }
}
