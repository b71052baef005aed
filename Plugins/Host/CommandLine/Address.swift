internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecordingFormat

/// A place that bytes come from or go to, such as `file:readings.csv`.
struct Address: Sendable {
    let transport: any Transport

    /// The part after the scheme and its colon, with its options.
    let place: String

    /// What the address says about its framing, such as `length`; `nil` where it says nothing.
    let framing: String?

    /// The whole address.
    var text: String { "\(transport.scheme):\(place)" }

    /// The place without the options.
    var path: String { TransportAddress.place(of: place) }

    /// Whether it is a file, named by its path, whose contents are what it is about.
    var isFile: Bool { transport.scheme == "file" }

    /// Whether it is a recording, which is a file too.
    var isRecording: Bool { transport.scheme == RecordingTransport().scheme }

    /// The path whose ending says in which format the bytes are: `readings.jsonl`, also of `readings.jsonl.rec`.
    var formatPath: String? {
        if isFile { return path }
        guard isRecording, let dot = path.lastIndex(of: ".") else { return nil }
        return String(path[..<dot])
    }

    /// What to call it in messages.
    var name: String { isFile || isRecording ? path : place.isEmpty ? transport.scheme : "\(transport.scheme):\(path)" }

    /// Reads an address: `SCHEME:PLACE`, a scheme alone where it needs no place, `-`, or else a path.
    ///
    /// - Parameters:
    ///   - text: What was given.
    ///   - option: The option that it was given for.
    ///   - dash: The scheme that `-` stands for.
    ///   - registry: Has the schemes.
    /// - Throws: ``HostError`` for a scheme or an option that there is not, or a value that makes no sense.
    init(_ text: String, option: HostOption, dash: String, _ registry: Registry) throws(HostError) {
        if let transport = registry.transport(for: text == "-" ? dash : text) {
            guard transport.scheme != "file" else {
                throw .usage("--\(option.rawValue): 'file' lacks its path; write file:PATH")
            }
            try self.init(transport: transport, place: "", option)
            return
        }
        if let scheme = Self.scheme(of: text) {
            guard let transport = registry.transport(for: scheme) else {
                throw .usage(
                    "there is no transport '\(scheme)', and a file of that name is 'file:\(text)'"
                        + Suggestion.text(for: scheme, among: registry.transports.map(\.scheme))
                )
            }
            try self.init(transport: transport, place: String(text.dropFirst(scheme.count + 1)), option)
            return
        }
        if option == .from, RecordingTransport.isRecording(text),
            let recordings = registry.transport(for: RecordingTransport().scheme)
        {
            try self.init(transport: recordings, place: FileTransport.address(ofPath: text), option)
            return
        }
        guard let files = registry.transport(for: "file") else {
            throw HostError(.internalError, "there is no transport for files")
        }
        // A path alone has no options, whatever is in it.
        try self.init(transport: files, place: FileTransport.address(ofPath: text), option)
    }

    /// The place of a transport.
    ///
    /// The options are checked, as far as that goes without opening anything: a mistake in the last of several addresses is
    /// found before the first is emptied.
    init(transport: any Transport, place: String, _ option: HostOption) throws(HostError) {
        self.transport = transport
        self.place = place
        let isSource = option == .from
        let options = isSource ? transport.sourceOptions : transport.sinkOptions
        do throws(TransportError) {
            let parts =
                try isSource
                ? TransportAddress(ofSource: place, transport) : TransportAddress(ofSink: place, transport)
            framing = parts.options.given["framing"]
        } catch {
            let isMisplaced = place.contains("framing=") && !options.contains { $0.name == "framing" }
            throw .usage("\(error)" + (isMisplaced ? "; --framing says how its bytes are cut" : ""))
        }
    }

    // MARK: Framing

    /// Whether what goes through the transport is cut into messages, which it keeps whole.
    func hasMessages(_ option: HostOption) -> Bool {
        let options = option == .from ? transport.sourceOptions : transport.sinkOptions
        return options.contains { $0.name == "framing" }
    }

    /// The same place, with the framing that an option of the command line asks for where the address says nothing.
    ///
    /// - Parameters:
    ///   - word: What the option says; `nil` where it was not given.
    ///   - name: The option's name.
    ///   - option: What the address was given for.
    /// - Returns: The address, and how its bytes are cut; `nil` where nobody said.
    /// - Throws: ``HostError`` where the two contradict each other.
    func framed(
        by word: String?,
        _ name: String,
        for option: HostOption
    ) throws(HostError) -> (address: Address, framing: String?) {
        // A datagram is handed on as a frame.
        let own = framing == "datagram" ? Framing.length.rawValue : framing
        guard let word, let wanted = Framing(rawValue: word) else { return (self, own ?? word) }
        if let own, let framing {
            guard own == word else {
                throw .usage("--\(name): '\(word)' contradicts 'framing=\(framing)' in '\(text)'; leave one out")
            }
            return (self, own)
        }
        guard wanted != .newline, hasMessages(option) else { return (self, word) }
        let link = place.contains("?") ? (place.hasSuffix("?") ? "" : "&") : "?"
        return (try Address(transport: transport, place: "\(place)\(link)framing=\(word)", option), word)
    }

    /// The part before a colon, where it looks like a scheme and not like a piece of a path.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        let scheme = text[..<colon]
        let isScheme = scheme.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
        return isScheme ? String(scheme) : nil
    }
}
