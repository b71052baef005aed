internal import WeirCore
public import WeirRecords

/// Files, and whatever else has a path: pipes with names, devices.
///
/// Opening a sink creates the file. What is in it already stays until the first write, which removes it unless
/// `append=true`; so nothing is lost where it turns out that there is nothing to write. A write without bytes does that
/// too, and so does the end. A sink that is finished has its file on the disk; before that, what was written survives the
/// end of the program, but not that of the machine. A source with `follow=true` never ends. A path
/// that contains a `?` ends in one, because options follow the last `?`. A pipe with a name may be opened before its other
/// end is: a source waits for the first writer when it is read, a sink for the first reader when it is opened; an
/// interruption ends the waiting.
public struct FileTransport: Transport {
    public let scheme = "file"
    public let summary = "A file, PATH; a source, and a sink that creates or overwrites it."

    let interruption: Interruption?
    let handlesCompression: Bool

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources, and of sinks for pipes, where something can.
    ///   - handlesCompression: Whether the contents of compressed files are read, whatever they are called, and files are
    ///     compressed whose names end with `.gz`, `.zst`, `.xz` or `.bz2`. The programs of the system do that: `gzip`,
    ///     `zstd`, `xz` and `bzip2`, which are started for that and end with the source or the sink.
    public init(interruption: Interruption? = nil, handlesCompression: Bool = false) {
        self.interruption = interruption
        self.handlesCompression = handlesCompression
    }

    /// The address of a path, whatever is in it.
    ///
    /// - Parameter path: The path.
    /// - Returns: The path, with a `?` at its end where there is one in it.
    public static func address(ofPath path: String) -> String {
        path.utf8.contains(UInt8(ascii: "?")) ? path + "?" : path
    }

    public var sourceOptions: [OptionDeclaration] {
        [
            OptionDeclaration(
                "follow",
                .flag,
                default: "false",
                help:
                    "go on with what is written later, also to a new file of that name; bytes that are removed before they are"
                    + " read are lost, and counted as far as they are known"
            ),
            OptionDeclaration(
                "start",
                .choice(["beginning", "end"]),
                default: "beginning",
                help: "then, whether what is in the file already is of interest"
            ),
            OptionDeclaration(
                "header",
                .choice(["none", "shared"]),
                default: "none",
                help:
                    "'shared': all files of that name begin with the same line, such as that of CSV, which is passed on once,"
                    + " with start=end too"
            ),
            OptionDeclaration("poll", .duration, default: "100ms", help: "and how often to look"),
        ]
    }

    public var sinkOptions: [OptionDeclaration] {
        [
            OptionDeclaration(
                "append",
                .flag,
                default: "false",
                help: "keep what is in the file and write behind it; a rerun adds all its matches again"
            )
        ]
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        let parts = try TransportAddress(ofSource: address, self)
        let path = parts.place
        try parts.permit(
            ["start", "header", "poll"],
            if: parts.options.flag("follow"),
            otherwise: "takes 'follow=true'"
        )
        let isPipe = interruption != nil && SystemCalls.waitsForWriters && SystemCalls.facts(about: path)?.kind == .pipe
        let descriptor = try open(
            path,
            with: isPipe ? { SystemCalls.openPipe($0, for: .reading) } : SystemCalls.openForReading
        )
        if handlesCompression, let form = DecompressingSource.form(ofFile: descriptor) {
            defer { SystemCalls.closeDescriptor(descriptor) }
            guard !parts.options.flag("follow") else {
                throw .badAddress(
                    address: parts.whole,
                    reason: "it is compressed with \(form.program), and what is compressed cannot be followed"
                )
            }
            return try DecompressingSource(of: descriptor, address: path, form: form, interruption: interruption)
        }
        guard parts.options.flag("follow") else {
            return try DescriptorSource(descriptor, address: path, isOwned: true, interruption: interruption)
        }
        return try followed(descriptor, parts, startsAtEnd: parts.options.text("start") == "end")
    }

    /// Opens a sink.
    ///
    /// A process that writes to pipes must ignore SIGPIPE, or it is killed where the sink would throw
    /// `TransportError/closed(address:)`.
    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        let path = parts.place
        let isPipe = interruption != nil && SystemCalls.facts(about: path)?.kind == .pipe
        let descriptor = try open(
            path,
            with: isPipe ? { SystemCalls.openPipe($0, for: .writing) } : SystemCalls.openForWriting
        )
        if handlesCompression, let form = Compression(endingOf: path),
            SystemCalls.facts(about: descriptor)?.kind == .regularFile
        {
            return try CompressingSink(
                descriptor,
                address: path,
                form: form,
                emptiesFile: !parts.options.flag("append")
            )
        }
        return try DescriptorSink(
            descriptor,
            address: path,
            isOwned: true,
            emptiesFile: !parts.options.flag("append")
        )
    }

    private func open(_ path: String, with call: (String) -> Int32) throws(TransportError) -> Int32 {
        guard !path.isEmpty else { throw .cannotOpen(address: path, reason: "the path is empty") }
        guard !path.utf8.contains(0) else { throw .cannotOpen(address: path, reason: "the path contains a zero") }
        while true {
            let descriptor = call(path)
            if descriptor >= 0 { return descriptor }
            let error = SystemCalls.lastError
            switch (error, interruption) {
            case (SystemCalls.interruptedCall, _): break
            // Nothing says that a reader has come: it has to be tried.
            case (SystemCalls.noReader, let interruption?):
                _ = SystemCalls.wait(for: interruption.descriptor, milliseconds: Self.pauseForReader)
            default: throw .cannotOpen(address: path, reason: SystemCalls.describe(error))
            }
            if let interruption, interruption.isTriggered { throw .interrupted(address: path) }
        }
    }

    private static let pauseForReader: Int32 = 20
}
