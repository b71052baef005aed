internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// The writing of records in another format.
struct Conversion {
    private let request: ConvertRequest
    private let console: Console
    private let interruption: Interruption?
    private let fields: [ConvertRequest.Column]
    private let source: any TransportSource
    private let sink: any TransportSink
    private var encoder: any RecordEncoder
    private var bytes: [UInt8] = []

    /// How records are spread over subjects, where they are, and the last one that was written.
    private var partitioning: RecordPartitioning?
    private var line: [UInt8] = []

    /// How many bytes a message may have for the output, where each record is one.
    private let messageLimit: Int?

    /// Whether the input can be read, so that what the outputs have from before may go.
    private var hasBegun = false

    private var tally = Tally()
    private let named: [NamedField]
    private var presence: FieldPresence
    private var progress: Progress
    private let rejections: RejectionReport
    private let meters: TransportMeters

    /// How much is written at once.
    private static let pieceLength = 256 << 10

    /// Opens everything and finds out which fields there are.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - console: Where to tell people.
    ///   - interruption: What Ctrl-C triggers.
    /// - Throws: ``HostError`` when something cannot be opened, or the fields cannot be found.
    init(_ request: ConvertRequest, console: Console, interruption: Interruption?) throws(HostError) {
        var request = request
        self.console = console
        self.interruption = interruption
        try Overwriting.check(inputs: [request.input], outputs: [request.output], rejected: request.rejected)
        try Self.checkThatOutputCanBeRead(request)
        InterruptSignal.catchFirst()
        let source = try Self.openSource(&request)
        self.request = request
        if request.columns == nil, request.input.hasMessages(.input), !request.format.isTable,
            let finder = request.format.makeFieldFinder(limits: request.limits), !finder.isComplete
        {
            console.writeLine(
                "the fields are those of the first MiB, before which nothing is written; --columns names them"
            )
        }
        (fields, self.source) = try Self.survey(request, source)
        if request.columns == nil, request.format.isTable,
            let remark = RunRequest.separatorRemark(fields.map(\.inputName))
        {
            console.writeLine(remark)
        }
        named = (request.columns ?? []).enumerated().map { index, column in
            NamedField(index: index, name: column.inputName, naming: "--columns", isGiven: true)
        }
        presence = FieldPresence(of: named)
        let schema = try Self.schema(request, fields)
        if let refusal = request.outputFormat.refusal(of: schema) { throw .usage("--to-format: \(refusal)") }
        guard let encoder = request.outputFormat.makeEncoder(for: schema) else {
            throw .usage("--to-format: \(request.outputFormat.name) can only be read")
        }
        self.encoder = encoder
        if try Self.goesOnWithTable(request, fields) {
            // The header is there already.
            var header: [UInt8] = []
            self.encoder.finish(into: &header)
        }
        let hasLines = request.outputFormat.hasLines
        if let partitions = request.partitions {
            // An input without a record has no fields, and nothing is published.
            let place = fields.isEmpty ? 0 : fields.firstIndex { $0.inputName == partitions.key }
            guard let field = place else {
                throw .usage("--key: the input has no field '\(partitions.key)'")
            }
            sink = try RecordPartitioning.openSink(request.output, console)
            partitioning = RecordPartitioning(
                field: field,
                count: partitions.count,
                lineLimit: partitions.lines,
                byteLimit: min((sink as? any MessageSink)?.messageLimit ?? .max, Self.pieceLength)
            )
        } else {
            partitioning = nil
            sink = try request.output.openSink(forLines: hasLines && request.output.isFile)
        }
        // The header of a table comes with its first record, and is not to be rejected with it.
        let hasMessages = partitioning != nil || (hasLines && !request.output.isFile && !request.outputFormat.isTable)
        messageLimit = hasMessages ? (sink as? any MessageSink)?.messageLimit : nil
        let meters = TransportMeters { console.writeLine($0) }
        self.meters = meters
        meters.add(source.meter, name: "input")
        meters.add(sink.meter, name: "output")
        let rejected = try request.rejected.map { address throws(HostError) in
            try RejectionReport.File(address, nil, meters, name: "rejected lines")
        }
        rejections = RejectionReport(console, keepingLinesIn: rejected)
        rejections.report(messagesOf: meters)
        let readsTerminal = !request.input.isFile && StandardStream.input.isTerminal
        progress = Progress(
            console,
            isOn: StandardStream.error.isTerminal && !readsTerminal,
            expectedByteCount: source.expectedByteCount
        )
    }

    private static func checkThatOutputCanBeRead(_ request: ConvertRequest) throws(HostError) {
        guard request.outputFormat.name == BinaryFormat().name, !request.output.isFile,
            StandardStream.output.isTerminal
        else { return }
        throw .usage("the binary format is not for terminals; name a file, or choose another with --to-format")
    }
    /// Reads the input to its end, or until something stops it.
    ///
    /// - Returns: How it ended; everything that there is to say was said.
    mutating func run() throws(HostError) -> ExitCode {
        // All fields are wanted unless some were chosen, so others are no reason to refuse a line.
        let format = request.columns == nil ? request.format.rejectingOtherFields() : request.format
        var reader = RecordReader(
            source,
            format: format,
            schema: RecordSchema(
                fields: fields.map { RecordSchema.Field($0.inputName, isRequired: request.columns != nil) },
                times: request.times
            ),
            limits: request.limits,
            // So that there are several records for each partition.
            chunkLength: request.partitions?.lines ?? 1 > 1 ? 1 << 20 : 256 << 10,
            batchCapacity: request.partitions?.lines ?? 1 > 1 ? 8192 : 512
        )
        var ending = pump(&reader)
        switch ending {
        case .endOfInput: if let fault = writeRest() { ending = fault }
        case .interrupted: if hasBegun, let fault = writeRest() { ending = fault }
        case .failed(let error): if error.exitCode == .noInput, hasBegun { _ = writeRest() }
        case .outputClosed: break
        }
        try? rejections.finish(meters)
        progress.erase()
        tally.refused = meters.refusedCount
        for (name, metrics) in meters.metrics { console.writeLine("\(name): \(metrics)") }
        return close(ending, byteCount: reader.byteCount)
    }

    private mutating func pump(_ reader: inout RecordReader) -> Pipeline.Ending {
        do {
            while try reader.next({ batch in try take(&batch) }) {
                // A source that drains says itself when there is nothing more.
                if let interruption, interruption.isTriggered, !source.drainsWhenInterrupted { return .interrupted }
                progress.update(events: tally.events, byteCount: reader.byteCount)
            }
            return .endOfInput
        } catch let error as Pipeline.OutputError {
            return Pipeline.Ending(error)
        } catch TransportError.interrupted {
            return .interrupted
        } catch let error as FormatError {
            return .failed(HostError(.noInput, Self.explain(error, request)))
        } catch {
            return .failed(HostError(.noInput, "\(error)"))
        }
    }

    private mutating func take(_ batch: inout RecordBatch) throws(Pipeline.OutputError) {
        try begin()
        let found = batch.rejections.count
        presence.look(at: batch)
        for index in 0..<batch.count {
            if partitioning != nil || messageLimit != nil {
                line.removeAll(keepingCapacity: true)
                encoder.encode(recordAt: index, of: &batch, into: &line)
                guard fits(&batch, index) else { continue }
            }
            if partitioning != nil {
                partitioning?.append(line, of: index, in: batch, to: &bytes)
            } else if messageLimit != nil {
                bytes += line
            } else {
                encoder.encode(recordAt: index, of: &batch, into: &bytes)
            }
            if bytes.count >= Self.pieceLength { try write() }
        }
        partitioning?.closeAll(to: &bytes)
        try write()
        tally.count(batch, rejectedBefore: found)
        guard !batch.rejections.isEmpty else { return }
        progress.erase()
        do throws(TransportError) {
            try rejections.report(batch)
        } catch {
            throw Pipeline.OutputError.rejections(error)
        }
    }

    /// Whether a record is no longer than a message of the output may be; otherwise it is rejected.
    private func fits(_ batch: inout RecordBatch, _ index: Int) -> Bool {
        let length = line.count - (line.last == UInt8(ascii: "\n") ? 1 : 0)
        guard let messageLimit, length > messageLimit else { return true }
        batch.reject(
            recordAt: index,
            reason: "as a message it has \(length) bytes, and '\(request.output.name)' takes \(messageLimit); "
                + "choose fields with --columns, or raise 'max_payload' of the server"
        )
        return false
    }

    private mutating func begin() throws(Pipeline.OutputError) {
        guard !hasBegun else { return }
        hasBegun = true
        do throws(TransportError) {
            try sink.begin(request.output)
        } catch {
            throw Pipeline.OutputError.matches(error)
        }
        do throws(TransportError) {
            try rejections.begin()
        } catch {
            throw Pipeline.OutputError.rejections(error)
        }
    }

    private mutating func write() throws(Pipeline.OutputError) {
        guard !bytes.isEmpty else { return }
        do throws(TransportError) {
            try sink.write(bytes)
        } catch {
            throw Pipeline.OutputError.matches(error)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes what is left at the end.
    ///
    /// - Returns: What went wrong, if anything did.
    private mutating func writeRest() -> Pipeline.Ending? {
        do throws(Pipeline.OutputError) {
            encoder.finish(into: &bytes)
            try write()
            do throws(TransportError) {
                try rejections.finish(meters)
            } catch {
                throw Pipeline.OutputError.rejections(error)
            }
            do throws(TransportError) {
                try sink.finish()
            } catch {
                throw Pipeline.OutputError.matches(error)
            }
            return nil
        } catch {
            return Pipeline.Ending(error)
        }
    }

    /// Why less was converted than there could have been.
    private var remarks: [String] {
        let reasons = rejections.reasons.remarks(tally) { reason in
            reason.contains("' has no time zone") ? RunAdvice.zoneMend : RunAdvice.formatMend(for: reason, tally)
        }
        guard tally.events > 0 else { return reasons }
        let unseen = named.filter { presence.unseen.contains($0.index) }
        return reasons + request.times.remarks
            + unseen.map { "no record has a value in '\($0.name)', which --columns names" }
    }

    /// Says how it went.
    private func close(_ ending: Pipeline.Ending, byteCount: Int64) -> ExitCode {
        let nanoseconds = progress.elapsedNanoseconds
        let summary =
            "\(Quantity.counted(tally.events, "record", "records")) converted, \(Quantity.grouped(tally.rejected)) rejected "
            + "in \(Quantity.seconds(nanoseconds)) s (\(Quantity.rate(tally.events, in: nanoseconds)) records/s)"
        switch ending {
        case .endOfInput:
            for remark in remarks { console.writeLine(remark) }
            console.writeLine(tally.remark(byteCount: byteCount) + summary)
            return tally.exitCode(isStrict: request.isStrict)
        case .interrupted:
            console.writeLine("interrupted; " + summary)
            return .interrupted
        case .outputClosed:
            return .done
        case .failed(let error):
            console.writeLine(error.message)
            if tally.events > 0 || tally.rejected > 0 { console.writeLine("stopped early; " + summary) }
            return error.exitCode
        }
    }
}
