internal import WeirNATS
internal import WeirRecords

/// Publishes the records of an input by their keys: `weir produce`.
struct ProduceCommand: Command {
    static let name = "produce"
    static let operands = "INPUT"
    static let summary = "Publish records to NATS, by their keys"
    static let examples: [HelpPage.Example] = [
        ("weir produce in.csv --to nats://127.0.0.1/in --key user", ""),
        ("weir produce in.jsonl --to 'nats://one,two/in?stream=in' --key user", ""),
    ]
    static let usage = ["weir produce [INPUT] --to nats://HOST/SUBJECT --key FIELD [OPTIONS]"]

    static let key = OptionDeclaration(
        "key",
        .text(placeholder: "FIELD"),
        help: "records with the same value in this field stay together, and in order"
    )
    /// Those of `weir convert` that are of the input.
    static let options =
        [
            OptionDeclaration("to", .text(placeholder: "ADDRESS"), help: "nats://HOST:PORT/SUBJECT"), key, .partitions,
        ] + ConvertRequest.options.filter { !$0.name.hasPrefix("to") }
    static let optionsOfTables = ConvertRequest.optionsOfTables.filter { !$0.name.hasPrefix("to") }
    static let remark = """
        Each record is a message, an object of JSON. The same key has the same partition in every run;
        --workers of 'weir run' divides keys in the same way.
        """

    private let request: ConvertRequest

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        request = try ConvertRequest(words, of: Self.self, registry)
        guard request.output.transport is NATSTransport else {
            throw .usage("'weir produce' publishes to NATS; say where, with --to nats://HOST/SUBJECT")
        }
        guard let key = request.partitions?.key else {
            throw .usage("say which field is the key, with --key FIELD")
        }
        guard request.columns?.contains(where: { $0.inputName == key }) ?? true else {
            throw .usage("--columns leaves out '\(key)', which is the key")
        }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        var conversion = try Conversion(request, console: context.console, interruption: context.interruption)
        return try conversion.run()
    }
}

/// Spreads records over subjects.
struct RecordPartitioning {
    /// Which field has the key.
    let field: Int
    let count: Int

    /// Opens the sink of an output, which takes what ``append(_:of:in:to:)`` writes.
    ///
    /// - Throws: ``HostError`` when it cannot be opened.
    static func openSink(_ address: Address) throws(HostError) -> any TransportSink {
        guard let transport = address.transport as? NATSTransport else {
            throw HostError(.internalError, "'\(address.name)' has no partitions")
        }
        do throws(TransportError) {
            return try transport.openPartitionedSink(address.place)
        } catch {
            throw HostError(error, opening: .cannotCreate)
        }
    }

    /// Adds a record to what is written.
    ///
    /// - Parameters:
    ///   - line: The record as it is published, with the end of its line.
    ///   - index: Where it is in the batch.
    ///   - batch: Has its key.
    ///   - bytes: What is written.
    func append(_ line: [UInt8], of index: Int, in batch: borrowing RecordBatch, to bytes: inout [UInt8]) {
        guard !line.isEmpty else { return }
        let hash = batch.stableHash(ofField: field, inRecordAt: index)
        let partition = KeyPartitions.partition(of: hash, among: count)
        PartitionedMessage.append(line.dropLast(line.last == UInt8(ascii: "\n") ? 1 : 0), to: partition, into: &bytes)
    }
}
