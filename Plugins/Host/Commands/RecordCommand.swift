internal import WeirCore
internal import WeirFiles
internal import WeirRecording
internal import WeirRecords

/// Keeps what arrives at an input, with the times of arrival: `weir record`.
struct RecordCommand: Command {
    static let name = "record"
    static let operands = "INPUT FILE"
    static let summary = "Keep what arrives at an input, and when"
    static let examples: [HelpPage.Example] = [
        ("weir record udp://127.0.0.1:9000 readings.jsonl.rec", ""),
        ("weir record - posts.rec < posts.pipe", ""),
        ("weir record udp://127.0.0.1:9000 readings.jsonl", "only the bytes, without their times"),
    ]
    static let usage = ["weir record INPUT FILE"]
    static let remark = """
        It ends with the input, or with Ctrl-C. What is in FILE already is overwritten,
        unless FILE is written 'recording:FILE?append=true'. 'weir replay' sends a
        recording again, at its pace; 'weir run' reads it like the input that it is of.
        However the program ends, all that has arrived before is in the file. A FILE
        whose name ends like that of a format, such as .csv or .jsonl, gets the bytes as
        they are.
        """

    private let input: Address
    private let output: Address

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(
            words,
            [.from, .to, .showHelp].map { AcceptedOption($0) },
            topic: Self.name
        )
        var places = arguments.places[...]
        guard
            let from = arguments.options[.from] ?? places.popFirst(),
            let to = arguments.options[.to] ?? places.popFirst(),
            places.isEmpty
        else { throw .usage("name an input and a file, such as 'weir record udp://127.0.0.1:9000 readings.rec'") }
        input = try Address(from, .input, registry)
        let place = try Address(to, .output, registry)
        let format = place.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) }
        try FormatChoice.check(endingOf: place, isText: true, isWhole: format == nil)
        // `file:readings` says that a file is meant, and nothing else.
        let isPlain = place.isFile && !to.hasPrefix("file:")
        if isPlain, format == nil {
            output = try Address(transport: RecordingTransport(), place: place.place, .output)
        } else {
            output = place
        }
        try Overwriting.check(inputs: [input], outputs: [output], rejected: nil)
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        InterruptSignal.catchFirst()
        let source = try input.openSource()
        // What is in frames already stays as it is.
        let sink = try output.openSink(forLines: input.framing == nil)
        do throws(TransportError) {
            try sink.begin(output)
        } catch {
            throw HostError(.outputFailed, "\(error)")
        }
        return try ByteTransfer(from: source, to: sink, console: context.console)
            .conclude("recorded", context.console)
    }
}

extension Address {
    /// Opens a source.
    ///
    /// - Throws: ``HostError`` when it cannot be opened.
    func openSource() throws(HostError) -> any TransportSource {
        do throws(TransportError) {
            return try transport.openSource(place)
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }
}
