internal import WeirFiles
public import WeirRecords

/// What an ``EventReader`` reads: a place, and how what is there is written.
public struct EventInput: Sendable, Hashable {
    /// The path of a file; `nil` for standard input.
    private let path: String?

    private let format: DecodableFormat?

    /// A file, or whatever else has a path, such as a pipe with a name.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - format: How it is written; `nil` goes by the ending of its name: `.csv`, or `.jsonl` or `.ndjson` for JSON Lines.
    /// - Returns: The input; it is opened by the reader.
    public static func file(_ path: String, format: DecodableFormat? = nil) -> EventInput {
        EventInput(path: path, format: format)
    }

    /// The process's standard input.
    ///
    /// - Parameter format: How it is written.
    /// - Returns: The input.
    public static func standardInput(_ format: DecodableFormat) -> EventInput {
        EventInput(path: nil, format: format)
    }

    /// Opens the input.
    func open(_ interruption: Interruption) throws(TransportError) -> (any TransportSource, DecodableFormat) {
        guard let format = format ?? path.flatMap(DecodableFormat.init(ofFile:)) else {
            throw .cannotOpen(
                address: path ?? "",
                reason: "its name does not end in .csv, .jsonl or .ndjson; say in which format it is"
            )
        }
        guard let path else { return (try StandardInput(interruption: interruption).openSource(""), format) }
        let transport = FileTransport(interruption: interruption)
        return (try transport.openSource(FileTransport.address(ofPath: path)), format)
    }
}

extension EventReader where Output: Decodable {
    /// Opens an input of values that are only `Decodable`.
    ///
    /// - Parameters:
    ///   - type: What is read.
    ///   - input: Where it is, and how it is written.
    ///   - timeUnit: What a time that is written as a bare number counts.
    ///   - limits: What may be taken of an input that cannot be trusted.
    ///   - onRejection: Takes each line that was not understood, on the reader's thread, before the events that follow it.
    /// - Throws: ``ReadingError/transport(_:)`` when the input cannot be opened, or its name does not say its format.
    public convenience init(
        _ type: Output.Type = Output.self,
        from input: EventInput,
        timeUnit: TimeUnit = .milliseconds,
        limits: FormatLimits = FormatLimits(),
        onRejection: @escaping @Sendable (RejectedLine) -> Void = { _ in }
    ) throws(ReadingError) {
        let schema = RecordSchema(fields: [], timeUnit: timeUnit)
        try self.init(input, schema: schema, limits: limits, onRejection) { format in
            var values = format.makeValueDecoder(for: schema, limits: limits)
            return (ValueFormat(format: format), { try values.value(Output.self, ofRecordAt: $1, in: $0) })
        }
    }
}

extension EventReader where Output: FieldDecodable {
    /// Opens an input of values that read themselves from fields.
    ///
    /// - Parameters:
    ///   - type: What is read.
    ///   - input: Where it is, and how it is written.
    ///   - timeUnit: What a time that is written as a bare number counts.
    ///   - limits: What may be taken of an input that cannot be trusted.
    ///   - onRejection: Takes each line that was not understood, on the reader's thread, before the events that follow it.
    /// - Throws: ``ReadingError/transport(_:)`` when the input cannot be opened, or its name does not say its format.
    public convenience init(
        _ type: Output.Type = Output.self,
        from input: EventInput,
        timeUnit: TimeUnit = .milliseconds,
        limits: FormatLimits = FormatLimits(),
        onRejection: @escaping @Sendable (RejectedLine) -> Void = { _ in }
    ) throws(ReadingError) {
        try self.init(fieldsFrom: input, timeUnit, limits, onRejection)
    }
}

extension EventReader where Output: FieldDecodable & Decodable {
    /// Opens an input of values that read themselves from fields, which is faster than being decoded.
    ///
    /// - Parameters:
    ///   - type: What is read.
    ///   - input: Where it is, and how it is written.
    ///   - timeUnit: What a time that is written as a bare number counts.
    ///   - limits: What may be taken of an input that cannot be trusted.
    ///   - onRejection: Takes each line that was not understood, on the reader's thread, before the events that follow it.
    /// - Throws: ``ReadingError/transport(_:)`` when the input cannot be opened, or its name does not say its format.
    public convenience init(
        _ type: Output.Type = Output.self,
        from input: EventInput,
        timeUnit: TimeUnit = .milliseconds,
        limits: FormatLimits = FormatLimits(),
        onRejection: @escaping @Sendable (RejectedLine) -> Void = { _ in }
    ) throws(ReadingError) {
        try self.init(fieldsFrom: input, timeUnit, limits, onRejection)
    }
}

extension EventReader {
    private typealias Reading = (format: any Format, value: (borrowing RecordBatch, Int) throws -> Output)

    private convenience init(
        fieldsFrom input: EventInput,
        _ timeUnit: TimeUnit,
        _ limits: FormatLimits,
        _ onRejection: @escaping @Sendable (RejectedLine) -> Void
    ) throws(ReadingError) where Output: FieldDecodable {
        let schema = RecordSchema(Output.Key.self, timeUnit: timeUnit)
        try self.init(input, schema: schema, limits: limits, onRejection) { format in
            (
                format.records,
                { batch, index in
                    try batch.withRecord(at: index, keyedBy: Output.Key.self) { record throws(FieldError) in
                        try Output(from: record)
                    }
                }
            )
        }
    }

    private convenience init(
        _ input: EventInput,
        schema: RecordSchema,
        limits: FormatLimits,
        _ onRejection: @escaping @Sendable (RejectedLine) -> Void,
        reading: (DecodableFormat) -> Reading
    ) throws(ReadingError) {
        do throws(TransportError) {
            let interruption = try Interruption()
            let (source, format) = try input.open(interruption)
            let (records, value) = reading(format)
            let reader = RecordReader(source, format: records, schema: schema, limits: limits)
            self.init(
                EventBatches(reader, interruption: interruption, onRejection: onRejection, value: value)
            )
        } catch {
            throw .transport(error)
        }
    }
}
