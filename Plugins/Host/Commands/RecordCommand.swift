internal import WeirCore
internal import WeirFiles
internal import WeirRecordingFormat

/// Keeps what arrives at an input, with the times of arrival: `weir record`.
struct RecordCommand {
    private let input: Address
    private let output: Address

    static var page: String {
        """
        Keeps what arrives at an input, and when, until it ends or Ctrl-C.

        Examples:
          weir record udp://127.0.0.1:9000 readings.jsonl.rec
          weir record - posts.rec < posts.pipe
          weir record udp://127.0.0.1:9000 readings.jsonl
              only the bytes, without their times

        Usage: weir record INPUT FILE

        What is there under that name is overwritten. 'weir replay' sends a recording
        again, at its pace; 'weir run' reads it like the input that it is of. Whatever
        ends the program, all that has arrived before is in the file. A FILE whose name
        ends like that of a format, such as .csv or .jsonl, gets the bytes as they are.

        """
    }

    /// Reads what follows `weir record`.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, names: [("from", true), ("to", true), ("help", false)], topic: "record")
        var places = arguments.places[...]
        guard
            let from = arguments.options["from"] ?? places.popFirst(),
            let to = arguments.options["to"] ?? places.popFirst(),
            places.isEmpty
        else { throw .usage("name an input and a file, such as 'weir record udp://127.0.0.1:9000 readings.rec'") }
        input = try Address(from, option: .from, dash: "stdin", registry)
        let place = try Address(to, option: .to, dash: "stdout", registry)
        // `file:readings` says that a file is meant, and nothing else.
        let isPlain = place.isFile && !to.hasPrefix("file:")
        if isPlain, FormatChoice.name(forEndingOf: place.path, registry) == nil {
            output = try Address(transport: RecordingTransport(), place: place.place, .to)
        } else {
            output = place
        }
        try Overwriting.check(inputs: [input], outputs: [output], rejected: nil)
    }

    /// Records.
    func run(console: Console) throws(HostError) -> ExitCode {
        InterruptSignal.catchFirst()
        let source = try input.openSource()
        // What is in frames already stays as it is.
        let sink = try output.openSink(forLines: input.framing == nil)
        return try ByteTransfer(from: source, to: sink, console: console).conclude("recorded", console)
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
