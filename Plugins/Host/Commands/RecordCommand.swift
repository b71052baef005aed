internal import WeirCore
internal import WeirFiles

/// Keeps what arrives at an input, byte for byte: `weir record`.
struct RecordCommand {
    private let input: Address
    private let output: Address

    static var page: String {
        """
        Keeps what arrives at an input, byte for byte, until it ends or Ctrl-C.

        Examples:
          weir record udp://127.0.0.1:9000 readings.jsonl
          weir record - posts.jsonl < posts.pipe

        Usage: weir record INPUT FILE

        'weir run' reads such a file as it reads the input, 'weir replay' sends it again.

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
        else { throw .usage("name an input and a file, such as 'weir record udp://127.0.0.1:9000 readings.jsonl'") }
        input = try Address(from, option: .from, dash: "stdin", registry)
        output = try Address(to, option: .to, dash: "stdout", registry)
        try Overwriting.check(inputs: [input], outputs: [output], rejected: nil)
    }

    /// Records.
    func run(console: Console) throws(HostError) -> ExitCode {
        InterruptSignal.catchFirst()
        let source: any TransportSource
        do throws(TransportError) {
            source = try input.transport.openSource(input.place)
        } catch {
            throw HostError(.noInput, "\(error)")
        }
        let sink = try output.openSink()
        let meters = MeterBoard()
        meters.add(source.meter, name: "input")
        var count: UInt64 = 0
        var code = ExitCode.done
        do throws(TransportError) {
            try ByteCopy.run(from: source) { bytes throws(TransportError) in
                count += UInt64(bytes.count)
                try sink.write(bytes)
            }
            try sink.finish()
        } catch {
            switch error {
            case .closed: return .done
            case .interrupted: code = .interrupted
            case .readFailed, .cannotOpen: throw HostError(.noInput, "\(error)")
            case .writeFailed: throw HostError(.outputFailed, "\(error)")
            }
        }
        for (name, metrics) in meters.metrics { console.writeLine("\(name): \(metrics)") }
        console.writeLine("\(Quantity.counted(count, "byte", "bytes")) recorded")
        return code
    }
}
