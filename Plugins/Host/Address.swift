internal import WeirCore
internal import WeirFiles
internal import WeirRecordingFormat

/// A place that bytes come from or go to, such as `file:readings.csv`.
struct Address: Sendable {
    let transport: any Transport

    /// The part after the scheme and its colon, with its options.
    let place: String

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
    /// - Throws: ``HostError`` for a scheme that there is not.
    init(_ text: String, option: HostOption, dash: String, _ registry: Registry) throws(HostError) {
        if let transport = registry.transport(for: text == "-" ? dash : text) {
            guard transport.scheme != "file" else {
                throw .usage("--\(option.rawValue): 'file' lacks its path; write file:PATH")
            }
            self.init(transport: transport, place: "")
            return
        }
        if let scheme = Self.scheme(of: text) {
            guard let transport = registry.transport(for: scheme) else {
                throw .usage(
                    "there is no transport '\(scheme)', and a file of that name is 'file:\(text)'"
                        + Suggestion.text(for: scheme, among: registry.transports.map(\.scheme))
                )
            }
            self.init(transport: transport, place: String(text.dropFirst(scheme.count + 1)))
            return
        }
        if option == .from, RecordingTransport.isRecording(text),
            let recordings = registry.transport(for: RecordingTransport().scheme)
        {
            self.init(transport: recordings, place: FileTransport.address(ofPath: text))
            return
        }
        guard let files = registry.transport(for: "file") else {
            throw HostError(.internalError, "there is no transport for files")
        }
        // A path alone has no options, whatever is in it.
        self.init(transport: files, place: FileTransport.address(ofPath: text))
    }

    /// The place of a transport.
    init(transport: any Transport, place: String) {
        self.transport = transport
        self.place = place
    }

    /// The part before a colon, where it looks like a scheme and not like a piece of a path.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        let scheme = text[..<colon]
        let isScheme = scheme.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
        return isScheme ? String(scheme) : nil
    }
}
