internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecording
internal import WeirRecords

/// A place that bytes come from or go to, such as `file:readings.csv`.
struct Address: Sendable {
    let transport: any Transport

    /// The part after the scheme and its colon, with its options.
    let place: String

    /// What the address says about its framing, such as `length`; `nil` where it says nothing.
    let framing: String?

    /// Whether it is read on as it grows.
    private let isFollowed: Bool

    /// Whether what is in the file already is passed over.
    let startsAtEnd: Bool

    /// The whole address, without passwords.
    var text: String { "\(transport.scheme):\(TransportAddress.withoutSecrets(place, of: transport.scheme))" }

    /// The place without the options.
    var path: String { TransportAddress.place(of: place) }

    /// Whether it is a file, named by its path, whose contents are what it is about.
    var isFile: Bool { transport.scheme == "file" }

    /// Whether it is a recording, which is a file too.
    var isRecording: Bool { transport.scheme == RecordingTransport().scheme }

    /// Whether it may be silent for a while and then go on: a socket, or a file that is followed.
    ///
    /// A pipe is none: who fills it may only be slow.
    var isLive: Bool {
        isFile ? isFollowed : hasMessages(.input)
    }

    /// What is gone once it was read: standard input, or a pipe with a name; `nil` for anything else.
    var stream: String? {
        if transport.scheme == "stdin" || ["/dev/stdin", "/dev/fd/0"].contains(path) { return "stdin" }
        return isFile && FileSystem.isPipe(path) ? FileSystem.absolutePath(path) : nil
    }

    /// Whether messages that could not be sent wait in a file, and are sent once it is opened as an output.
    var hasSpill: Bool {
        transport.sinkOptions.contains { $0.name == "spill" }
            && (try? TransportAddress(ofSink: place, transport))?.options.textIfGiven("spill") != nil
    }

    /// The path whose ending says in which format the bytes are: `readings.jsonl`, also of `readings.jsonl.rec` and
    /// `readings.jsonl.gz`.
    var formatPath: String? {
        if isFile { return String(path.dropLast(Compression(endingOf: path)?.ending.count ?? 0)) }
        guard isRecording, let dot = path.lastIndex(of: ".") else { return nil }
        return String(path[..<dot])
    }

    /// What to call it in messages, without passwords.
    var name: String {
        if isFile || isRecording { return path }
        return place.isEmpty
            ? transport.scheme : "\(transport.scheme):\(TransportAddress.withoutSecrets(path, of: transport.scheme))"
    }

    /// Which way bytes go.
    enum Direction: Sendable {
        case input, output

        /// The scheme that `-` stands for.
        var standard: String { self == .input ? "stdin" : "stdout" }
    }

    /// Reads an address: `SCHEME:PLACE`, a scheme alone where it needs no place, `-`, or else a path.
    ///
    /// - Parameters:
    ///   - text: What was given.
    ///   - direction: Whether it is read or written.
    ///   - option: The option that it was given for, where that is not `--from` or `--to`.
    ///   - registry: Has the schemes.
    /// - Throws: ``HostError`` for a scheme or an option that there is not, or a value that makes no sense.
    init(
        _ text: String,
        _ direction: Direction,
        option: OptionDeclaration? = nil,
        _ registry: Registry
    ) throws(HostError) {
        if let transport = registry.transport(for: text == "-" ? direction.standard : text) {
            guard transport.scheme != "file" else {
                let name = option?.name ?? (direction == .input ? "from" : "to")
                throw .usage("--\(name): 'file' lacks its path; write file:PATH")
            }
            try self.init(transport: transport, place: "", direction)
            return
        }
        if let scheme = Self.scheme(of: text) {
            guard let transport = registry.transport(for: scheme) else {
                throw .usage(
                    "there is no transport '\(scheme)', and a file of that name is 'file:\(text)'"
                        + Suggestion.text(for: scheme, among: registry.transports.map(\.scheme))
                )
            }
            try self.init(
                transport: transport,
                place: String(Substring(text.utf8.dropFirst(scheme.utf8.count + 1))),
                direction
            )
            return
        }
        if direction == .input, RecordingTransport.isRecording(text),
            let recordings = registry.transport(for: RecordingTransport().scheme)
        {
            try self.init(transport: recordings, place: FileTransport.address(ofPath: text), direction)
            return
        }
        guard let files = registry.transport(for: "file") else {
            throw HostError(.internalError, "there is no transport for files")
        }
        // A path alone has no options, whatever is in it.
        try self.init(transport: files, place: FileTransport.address(ofPath: text), direction)
    }

    /// The place of a transport.
    ///
    /// The options are checked, as far as that goes without opening anything: a mistake in the last of several addresses is
    /// found before the first is emptied.
    init(transport: any Transport, place: String, _ direction: Direction) throws(HostError) {
        guard !place.utf8.contains(0) else {
            throw .usage(
                "there is a zero in '\(place.split(separator: "\0").joined(separator: "\\u0000"))', which no address has"
            )
        }
        self.transport = transport
        self.place = place
        let isSource = direction == .input
        let options = isSource ? transport.sourceOptions : transport.sinkOptions
        do throws(TransportError) {
            let parts =
                try isSource
                ? TransportAddress(ofSource: place, transport) : TransportAddress(ofSink: place, transport)
            framing = parts.options.given["framing"]
            isFollowed = parts.options.given["follow"] == "true"
            startsAtEnd = parts.options.given["start"] == "end"
        } catch {
            let isMisplaced = place.contains("framing=") && !options.contains { $0.name == "framing" }
            throw .usage("\(error)" + (isMisplaced ? "; --framing says how its bytes are cut" : ""))
        }
    }

    // MARK: Options

    /// Whether what is written goes behind what is there.
    var appends: Bool {
        guard isFile || isRecording, let parts = try? TransportAddress(ofSink: place, transport) else { return false }
        return parts.options.flag("append")
    }

    /// The same place, where what is written goes behind what is there.
    ///
    /// - Throws: ``HostError`` for a place that cannot append.
    func appending() throws(HostError) -> Address { appends ? self : try with("append=true", .output) }

    private func with(_ setting: String, _ direction: Direction) throws(HostError) -> Address {
        // By its byte: it is part of a character where a combining mark follows it.
        let mark = UInt8(ascii: "?")
        let link = place.utf8.contains(mark) ? (place.utf8.last == mark ? "" : "&") : "?"
        return try Address(transport: transport, place: "\(place)\(link)\(setting)", direction)
    }

    // MARK: Framing

    /// Whether what goes through the transport is cut into messages, which it keeps whole.
    func hasMessages(_ direction: Direction) -> Bool {
        let options = direction == .input ? transport.sourceOptions : transport.sinkOptions
        return options.contains { $0.name == "framing" }
    }

    /// Whether it is read from several senders, whose lines come in between each other.
    var mixesSenders: Bool { (transport as? any SharedTransport)?.mixesSenders(place) ?? false }

    /// The same place, with the framing that an option of the command line asks for where the address says nothing.
    ///
    /// - Parameters:
    ///   - word: What the option says; `nil` where it was not given.
    ///   - option: That option.
    ///   - direction: Whether the address is read or written.
    /// - Returns: The address, and how its bytes are cut; `nil` if not given.
    /// - Throws: ``HostError`` where the two contradict each other.
    func framed(
        by word: String?,
        _ option: OptionDeclaration,
        _ direction: Direction
    ) throws(HostError) -> (address: Address, framing: String?) {
        // A datagram, and a message with its length in digits, is handed on as a frame.
        let own = framing == "datagram" || framing == "octets" ? Framing.length.rawValue : framing
        guard let word, let wanted = Framing(rawValue: word) else { return (self, own ?? word) }
        if let own, let framing {
            guard own == word else {
                throw .usage("--\(option.name): '\(word)' contradicts 'framing=\(framing)' in '\(text)'; leave one out")
            }
            return (self, own)
        }
        guard wanted != .newline, hasMessages(direction) else { return (self, word) }
        return (try with("framing=\(word)", direction), word)
    }

    /// The part before a colon, where it looks like a scheme and not like a piece of a path.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.startIndex else { return nil }
        let scheme = text[..<colon]
        let isScheme = scheme.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
        return isScheme ? String(scheme) : nil
    }
}
