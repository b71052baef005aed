internal import WeirCore

/// Where the records of a pipeline come from, batch by batch.
protocol Intake: AnyObject {
    /// Hands out the next records, waiting for them.
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
    var pendingRejections: [RejectedLine] { get }

    /// How many bytes were read so far.
    var byteCount: Int64 { get }

    /// How many bytes there are in all, where that is known.
    var expectedByteCount: Int64? { get }

    /// Whether an interruption has it hand out what the inputs have before it ends.
    var drainsWhenInterrupted: Bool { get }

    /// How many records wait to be handed out.
    var pendingCount: Int { get }

    /// Reads on for other fields, without losing a record.
    ///
    /// - Returns: False when the intake cannot do that; nothing has changed then.
    func change(to schema: RecordSchema) -> Bool

    /// Waits until nothing reads any more; somebody must have interrupted the inputs before, unless they have ended.
    func close()
}

/// The records of one input, read by the thread that asks for them.
final class SingleIntake: Intake {
    private let request: RunRequest
    private let source: HeadKeepingSource
    private var reader: RecordReader

    init(_ request: RunRequest, schema: RecordSchema, batchCapacity: Int, _ meters: MeterBoard?) throws(HostError) {
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
    }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        do {
            return try reader.next(body)
        } catch let error as FormatError {
            throw HostError(.noInput, request.explain(error, in: request.inputs[0]))
        }
    }

    func input(ofLineStartingAt start: Int) -> String? { nil }

    func input(ofRecordAt index: Int) -> String? { nil }

    var pendingRejections: [RejectedLine] { [] }

    // The source's count and not the reader's: that may not be looked at while it lends a batch.
    var byteCount: Int64 { source.byteCount }

    var expectedByteCount: Int64? { source.expectedByteCount }

    var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    var pendingCount: Int { 0 }

    /// The line numbers of later rejections count from here.
    func change(to schema: RecordSchema) -> Bool {
        guard let head = source.head else { return false }
        source.prepend(head + reader.takeUnread())
        reader = RecordReader(source, format: request.inputs[0].format, schema: schema, limits: request.limits)
        return true
    }

    func close() {}
}

extension RunRequest {
    /// Opens the inputs.
    func makeIntake(schema: RecordSchema, batchCapacity: Int, _ meters: MeterBoard?) throws(HostError) -> any Intake {
        if inputs.count == 1 { return try SingleIntake(self, schema: schema, batchCapacity: batchCapacity, meters) }
        return try MergedIntake(self, schema: schema, batchCapacity: batchCapacity, meters)
    }
}
