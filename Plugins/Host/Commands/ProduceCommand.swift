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
    static let lines = OptionDeclaration(
        "lines",
        .integer(1...10_000),
        default: "1",
        help: "put up to this number of records of a partition into a message, each a line"
    )

    /// Those of `weir convert` that are of the input.
    static let options =
        [
            OptionDeclaration("to", .text(placeholder: "ADDRESS"), help: "nats://HOST:PORT/SUBJECT"), key, .partitions,
            lines,
        ] + ConvertRequest.options.filter { !$0.name.hasPrefix("to") }
    static let optionsOfTables = ConvertRequest.optionsOfTables.filter { !$0.name.hasPrefix("to") }
    static let remark = """
        Each record is a message, an object of JSON, or a line of one with --lines, which
        costs the servers much less. The same key has the same partition in every run.
        At its end it waits for servers up to ten minutes, and 5 s once it is interrupted;
        'linger=' in --to says otherwise.
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

    /// How many records a message has, at most, and how many bytes.
    let lineLimit: Int
    let byteLimit: Int

    /// What a partition has so far of its next message.
    private struct Open {
        var bytes: [UInt8] = []
        var lineCount = 0
    }

    private var open: [Open] = []

    /// The partitions that have something.
    private var begun: [Int] = []

    /// Spreads records.
    ///
    /// - Parameters:
    ///   - field: Which field has the key.
    ///   - count: How many partitions there are.
    ///   - lineLimit: How many records a message has, at most.
    ///   - byteLimit: How many bytes a message of several records has, at most.
    init(field: Int, count: Int, lineLimit: Int, byteLimit: Int) {
        self.field = field
        self.count = count
        self.lineLimit = lineLimit
        self.byteLimit = byteLimit
        if lineLimit > 1 { open = [Open](repeating: Open(), count: count) }
    }

    /// Opens the sink of an output, which takes what ``append(_:of:in:to:)`` writes.
    ///
    /// - Throws: ``HostError`` when it cannot be opened.
    static func openSink(_ address: Address, _ console: Console) throws(HostError) -> any TransportSink {
        guard let transport = address.transport as? NATSTransport else {
            throw HostError(.internalError, "'\(address.name)' has no partitions")
        }
        do throws(TransportError) {
            try transport.reach(address.place) { console.writeLine($0) }
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
    mutating func append(_ line: [UInt8], of index: Int, in batch: borrowing RecordBatch, to bytes: inout [UInt8]) {
        guard !line.isEmpty else { return }
        let hash = batch.stableHash(ofField: field, inRecordAt: index)
        let partition = KeyPartitions.partition(of: hash, among: count)
        let record = line.dropLast(line.last == UInt8(ascii: "\n") ? 1 : 0)
        guard lineLimit > 1 else { return PartitionedMessage.append(record, to: partition, into: &bytes) }
        let isFull = open[partition].lineCount == lineLimit || open[partition].bytes.count + line.count >= byteLimit
        if open[partition].lineCount == 0 {
            begun.append(partition)
        } else if isFull {
            close(partition, to: &bytes)
        } else {
            open[partition].bytes.append(UInt8(ascii: "\n"))
        }
        open[partition].bytes += record
        open[partition].lineCount += 1
    }

    private mutating func close(_ partition: Int, to bytes: inout [UInt8]) {
        PartitionedMessage.append(open[partition].bytes[...], to: partition, into: &bytes)
        open[partition].bytes.removeAll(keepingCapacity: true)
        open[partition].lineCount = 0
    }

    /// Ends all messages that were begun, so that nothing waits for records that come later.
    ///
    /// - Parameter bytes: What is written.
    mutating func closeAll(to bytes: inout [UInt8]) {
        for partition in begun { close(partition, to: &bytes) }
        begun.removeAll(keepingCapacity: true)
    }
}
