internal import WeirRecords

/// Where the records of a pipeline come from, batch by batch.
protocol Intake: AnyObject {
    /// Returns the next records, waiting for them.
    ///
    /// - Parameter body: Called once with a batch that is not empty, unless the inputs have ended.
    /// - Returns: False when the inputs have ended; `body` was then not called.
    /// - Throws: ``HostError``, ``TransportError/interrupted(address:)``, and what `body` throws.
    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool

    /// The input that a line came from, by its place in the last batch's bytes, where there are several.
    func input(ofLineStartingAt start: Int) -> String?

    /// The input that a record of the last batch came from, where there are several.
    func input(ofRecordAt index: Int) -> String?

    /// The lines of the last batch that were rejected while they were read and are not among its own rejections.
    var pendingRejections: [RejectedInput] { get }

    /// How many bytes were read so far.
    var byteCount: Int64 { get }

    /// How many bytes there are in all, where that is known.
    var expectedByteCount: Int64? { get }

    /// Whether an interruption has it hand out what the inputs have before it ends.
    var drainsWhenInterrupted: Bool { get }

    /// How many records wait to be handed out.
    var pendingCount: Int { get }

    /// What was counted while records were read.
    var counts: [(name: String, value: UInt64)] { get }

    /// The header, or a record, to find out which fields the input has; `nil` where that is not known.
    var sample: [UInt8]? { get }

    /// Reads on for other fields, without losing a record.
    ///
    /// - Returns: False when the intake cannot do that; nothing has changed then.
    func change(to schema: RecordSchema) -> Bool

    /// Waits until nothing reads any more.
    ///
    /// Inputs that have not ended must have been interrupted before.
    func close()
}

extension Intake {
    var counts: [(name: String, value: UInt64)] { [] }

    var sample: [UInt8]? { nil }
}

/// The records of one input, read by the thread that asks for them.
final class SingleIntake: Intake {
    private let request: RunRequest
    private let source: HeadKeepingSource
    private var reader: RecordReader
    private var gate: AheadGate?
    private var firstRecord: [UInt8]?

    init(_ request: RunRequest, schema: RecordSchema, batchCapacity: Int, _ meters: TransportMeters?) throws(HostError)
    {
        self.request = request
        let input = request.inputs[0]
        source = HeadKeepingSource(try request.openSource(of: input, meters), keepsHead: input.format.name == "csv")
        reader = RecordReader(
            source,
            format: input.format,
            schema: schema,
            limits: request.limits,
            batchCapacity: batchCapacity
        )
        gate = AheadGate(request, input, schema)
    }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        do {
            return try reader.next { batch in
                if firstRecord == nil, batch.count > 0 { firstRecord = batch.raw(recordAt: 0) }
                gate?.check(&batch)
                try body(&batch)
            }
        } catch let error as FormatError {
            throw HostError(.noInput, request.explain(error, in: request.inputs[0]))
        }
    }

    func input(ofLineStartingAt start: Int) -> String? { nil }

    func input(ofRecordAt index: Int) -> String? { nil }

    var pendingRejections: [RejectedInput] { [] }

    // The source's count and not the reader's: that may not be looked at while it lends a batch.
    var byteCount: Int64 { source.byteCount }

    var expectedByteCount: Int64? { source.expectedByteCount }

    var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    var pendingCount: Int { 0 }

    var sample: [UInt8]? {
        switch request.inputs[0].format.name {
        case "csv": source.head
        case "jsonl": firstRecord
        default: nil
        }
    }

    /// The line numbers of later rejections count from here.
    func change(to schema: RecordSchema) -> Bool {
        guard let head = source.head else { return false }
        let schema = schema.requiring(NamedField.all(of: request.instances, in: schema))
        source.prepend(head + reader.takeUnread())
        reader = RecordReader(source, format: request.inputs[0].format, schema: schema, limits: request.limits)
        gate = AheadGate(request, request.inputs[0], schema)
        return true
    }

    func close() {}
}

extension RunRequest {
    /// Opens the inputs.
    func makeIntake(schema: RecordSchema, batchCapacity: Int, _ meters: TransportMeters?) throws(HostError)
        -> any Intake
    {
        try checkTimes(of: schema)
        // Any one of several inputs may bring a field.
        let schema = inputs.count == 1 ? schema.requiring(NamedField.all(of: instances, in: schema)) : schema
        let intake: any Intake =
            readsOnThreads
            ? try MergedIntake(self, schema: schema, batchCapacity: batchCapacity, meters)
            : try SingleIntake(self, schema: schema, batchCapacity: batchCapacity, meters)
        guard let lateness, let timeField = schema.timeField else { return intake }
        return OrderedIntake(
            intake,
            lateness: lateness,
            limit: heldLimit,
            timeField: timeField,
            schema: schema,
            batchCapacity: batchCapacity
        )
    }

    /// Whether inputs are read at once, by threads of their own: also one that is live and whose records wait, so that they
    /// go on when nothing comes.
    var readsOnThreads: Bool { inputs.count > 1 || (lateness != nil && inputs.contains(where: \.isLive)) }
}
