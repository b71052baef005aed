internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// Writes the records of an input in another format: `weir convert`.
struct ConvertCommand: Command {
    static let name = "convert"
    static let operands = "INPUT OUTPUT"
    static let summary = "Write the same records in another format"
    static let examples: [HelpPage.Example] = [
        ("weir convert trades.csv trades.weir", "as typed columns: the fastest to read, and at most half the size"),
        ("weir convert trades.weir --columns time,price --to-format csv | less", ""),
        ("weir convert - day.weir --format jsonl --schema time=time,price=float < day.jsonl", ""),
    ]
    static let usage = ["weir convert [INPUT [OUTPUT]] [OPTIONS]"]
    static let options = ConvertRequest.options
    static let remark = """
        Numbers keep all of their digits, and what does not fit is rejected. CSV has no
        types and no null.
        """

    private let request: ConvertRequest

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        request = try ConvertRequest(words, registry)
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        var conversion = try Conversion(request, console: context.console, interruption: context.interruption)
        return try conversion.run()
    }
}

/// The writing of records in another format.
struct Conversion {
    /// Why a conversion ended before its input did.
    private enum Ending {
        case endOfInput
        case interrupted
        /// Nobody reads the output any more.
        case outputClosed
        case failed(HostError)
    }

    private let request: ConvertRequest
    private let console: Console
    private let interruption: Interruption?
    private let fields: [ConvertRequest.Column]
    private let source: any TransportSource
    private let sink: any TransportSink
    private var encoder: any RecordEncoder
    private var bytes: [UInt8] = []

    /// Whether the input can be read, so that what the outputs have from before may go.
    private var hasBegun = false

    private var tally = Tally()
    private let named: [NamedField]
    private var presence: FieldPresence
    private var progress: Progress
    private let rejections: RejectionReport
    private let meters: TransportMeters

    /// How much of an input that cannot be read twice is looked at to find its fields.
    private static let surveyedByteCount = 1 << 20

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
        self.request = request
        self.console = console
        self.interruption = interruption
        try Overwriting.check(inputs: [request.input], outputs: [request.output], rejected: request.rejected)
        try Self.checkThatOutputCanBeRead(request)
        InterruptSignal.catchFirst()
        (fields, source) = try Self.survey(request)
        if request.columns == nil, request.format.name == CSVFormat().name,
            let remark = RunRequest.separatorRemark(fields.map(\.inputName))
        {
            console.writeLine(remark)
        }
        named = (request.columns ?? []).enumerated().map { index, column in
            NamedField(index: index, name: column.inputName, naming: "--columns", isGiven: true)
        }
        presence = FieldPresence(of: named)
        let schema = try Self.schema(request, fields)
        guard let encoder = request.outputFormat.makeEncoder(for: schema) else {
            throw .usage("--to-format: \(request.outputFormat.name) can only be read")
        }
        self.encoder = encoder
        if try Self.goesOnWithTable(request, fields) {
            // The header is there already.
            var header: [UInt8] = []
            self.encoder.finish(into: &header)
        }
        let hasLines = request.outputFormat.name != BinaryFormat().name
        sink = try request.output.openSink(forLines: hasLines && request.output.isFile)
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

    /// Whether a table is written behind the one that is in the file.
    ///
    /// - Throws: ``HostError`` when that has other columns.
    private static func goesOnWithTable(
        _ request: ConvertRequest,
        _ fields: [ConvertRequest.Column]
    ) throws(HostError) -> Bool {
        guard request.outputFormat.name == CSVFormat().name else { return false }
        let columns = try request.output.existingColumns()
        guard !columns.isEmpty else { return false }
        guard columns == fields.map(\.name) else {
            let names = columns.map { "'\($0)'" }.joined(separator: ", ")
            throw HostError(
                .cannotCreate,
                "'\(request.output.name)' has other columns, \(names); choose them with --columns, or write to another file"
            )
        }
        return true
    }

    private static func openSource(_ address: Address) throws(HostError) -> any TransportSource {
        do throws(TransportError) {
            return try address.transport.openSource(address.place)
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }

    // MARK: Fields

    /// Finds out which fields there are, unless that was said.
    ///
    /// - Returns: The fields, and the input from its start.
    private static func survey(
        _ request: ConvertRequest
    ) throws(HostError) -> (fields: [ConvertRequest.Column], source: any TransportSource) {
        let source = try openSource(request.input)
        if let columns = request.columns { return (columns, source) }
        do {
            // Only a file is there a second time.
            let canReadTwice = request.input.isFile && source.expectedByteCount != nil
            let survey = try FieldSurvey(
                canReadTwice ? try openSource(request.input) : source,
                format: request.format,
                limits: request.limits,
                keeping: canReadTwice ? nil : surveyedByteCount
            )
            // Found out now, while what was there before under the name of the output still is.
            var seen: Set<String> = []
            if let name = survey.names.first(where: { !seen.insert($0).inserted }) {
                throw FormatError.duplicateField(name)
            }
            let fields = survey.names.map { ConvertRequest.Column(name: $0, inputName: $0) }
            return (fields, canReadTwice ? source : HeadKeepingSource(source, keepsHead: false, after: survey.bytes))
        } catch let error as FormatError {
            throw HostError(.noInput, explain(error, request))
        } catch let error as HostError {
            throw error
        } catch TransportError.interrupted(let place) {
            throw HostError(.interrupted, "\(TransportError.interrupted(address: place))")
        } catch {
            throw HostError(.noInput, "\(error)")
        }
    }

    private static func schema(
        _ request: ConvertRequest,
        _ fields: [ConvertRequest.Column]
    ) throws(HostError) -> OutputSchema {
        let names = fields.map(\.name)
        for (name, _) in request.types where !names.contains(name) {
            throw .usage(
                "--schema: there is no field '\(name)'"
                    + Suggestion.text(
                        for: name,
                        among: names,
                        otherwise: "there are \(names.map { "'\($0)'" }.joined(separator: ", "))"
                    )
            )
        }
        // What the binary format can count.
        guard names.count <= Int(UInt16.max), names.allSatisfy({ $0.utf8.count <= Int(UInt16.max) }) else {
            throw HostError(
                .noInput,
                "the input has too many fields, or one with too long a name; name some with --columns"
            )
        }
        let headerLength = names.reduce(32) { $0 + $1.utf8.count + 3 }
        guard headerLength <= request.limits.lineLength else {
            throw HostError(
                .noInput,
                "the names of the fields take more than \(request.limits.lineLength) bytes; --max-line raises the limit"
            )
        }
        return OutputSchema(
            fields: names.map { name in
                OutputSchema.Field(name, type: request.types.first { $0.name == name }?.type)
            },
            timeUnit: request.timeUnit,
            tellsTextFromNumbers: request.format.tellsTextFromNumbers,
            limits: request.limits
        )
    }

    private static func explain(_ error: FormatError, _ request: ConvertRequest) -> String {
        let place = request.input.name == "stdin" ? "standard input" : "'\(request.input.name)'"
        var text = "\(place) cannot be read as \(request.format.name): \(error)"
        switch error {
        case .badHeader: text += "; --format says how it is written"
        case .missingFields: text += "; --columns says which to read"
        case .duplicateField, .compressed: break
        }
        return text
    }

    // MARK: Running

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
                timeUnit: request.timeUnit
            ),
            limits: request.limits
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

    private mutating func pump(_ reader: inout RecordReader) -> Ending {
        do {
            while try reader.next({ batch in try take(&batch) }) {
                // A source that drains says itself when there is nothing more.
                if let interruption, interruption.isTriggered, !source.drainsWhenInterrupted { return .interrupted }
                progress.update(events: tally.events, byteCount: reader.byteCount)
            }
            return .endOfInput
        } catch let error as OutputError {
            return Self.ending(of: error)
        } catch TransportError.interrupted {
            return .interrupted
        } catch let error as FormatError {
            return .failed(HostError(.noInput, Self.explain(error, request)))
        } catch {
            return .failed(HostError(.noInput, "\(error)"))
        }
    }

    private mutating func take(_ batch: inout RecordBatch) throws(OutputError) {
        try begin()
        let found = batch.rejections.count
        presence.look(at: batch)
        for index in 0..<batch.count {
            encoder.encode(recordAt: index, of: &batch, into: &bytes)
            if bytes.count >= Self.pieceLength { try write() }
        }
        try write()
        tally.count(batch, rejectedBefore: found)
        guard !batch.rejections.isEmpty else { return }
        progress.erase()
        do throws(TransportError) {
            try rejections.report(batch)
        } catch {
            throw OutputError(isRecords: false, error: error)
        }
    }

    private mutating func begin() throws(OutputError) {
        guard !hasBegun else { return }
        hasBegun = true
        do throws(TransportError) {
            try sink.begin(request.output)
        } catch {
            throw OutputError(isRecords: true, error: error)
        }
        do throws(TransportError) {
            try rejections.begin()
        } catch {
            throw OutputError(isRecords: false, error: error)
        }
    }

    private mutating func write() throws(OutputError) {
        guard !bytes.isEmpty else { return }
        do throws(TransportError) {
            try sink.write(bytes)
        } catch {
            throw OutputError(isRecords: true, error: error)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes what is left at the end.
    ///
    /// - Returns: What went wrong, if anything did.
    private mutating func writeRest() -> Ending? {
        do throws(OutputError) {
            encoder.finish(into: &bytes)
            try write()
            do throws(TransportError) {
                try rejections.finish(meters)
            } catch {
                throw OutputError(isRecords: false, error: error)
            }
            do throws(TransportError) {
                try sink.finish()
            } catch {
                throw OutputError(isRecords: true, error: error)
            }
            return nil
        } catch {
            return Self.ending(of: error)
        }
    }

    private static func ending(of error: OutputError) -> Ending {
        if error.isRecords, case .closed = error.error { return .outputClosed }
        return .failed(HostError(.outputFailed, "\(error.error)"))
    }

    /// Why less was converted than there could have been.
    private var remarks: [String] {
        guard tally.events > 0 else { return rejections.reasons.remarks(tally) }
        let unseen = named.filter { presence.unseen.contains($0.index) }
        return rejections.reasons.remarks(tally)
            + unseen.map { "no record has a value in '\($0.name)', which --columns names" }
    }

    /// Says how it went.
    private func close(_ ending: Ending, byteCount: Int64) -> ExitCode {
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

/// What failed while records were being written.
private struct OutputError: Error {
    /// Whether it was the output, and not the file of rejected lines.
    let isRecords: Bool
    let error: TransportError
}
