internal import WeirCore
internal import WeirGroups
internal import WeirRecords
internal import WeirState

/// Decodes messages, for the partitions of a member in turn.
final class GroupDecoder {
    private var reader: MessageReader

    init(_ request: RunRequest, schema: RecordSchema) {
        reader = MessageReader(
            format: request.inputs[0].format,
            schema: schema,
            limits: request.limits,
            batchCapacity: RunningPlugins.batchCapacity
        )
    }

    func next(
        of bytes: [UInt8],
        from start: inout Int,
        _ body: (inout RecordBatch) throws -> Void
    ) throws -> Bool {
        try reader.next(of: bytes, from: &start, body)
    }
}

/// The records of one partition, as far as their messages have come.
final class GroupIntake: Intake {
    private let decoder: GroupDecoder
    private let schema: RecordSchema
    private let address: String
    private var gate: AheadGate?

    private var isIdle = false
    private var bytes: [UInt8] = []
    private var start = 0
    private(set) var byteCount: Int64 = 0

    /// How far time is in the parts of the input.
    private var marks: TimeMarks

    /// How many bytes stay for the next messages.
    private static let keptCapacity = 64 << 10

    init(_ request: RunRequest, _ decoder: GroupDecoder, schema: RecordSchema, sourceCount: Int) {
        marks = TimeMarks(sourceCount: sourceCount)
        self.schema = schema
        self.decoder = decoder
        address = request.inputs[0].name
        gate = AheadGate(request, request.inputs[0], schema)
    }

    /// Adds a message.
    func append(_ payload: ArraySlice<UInt8>) {
        bytes += payload
        if let last = payload.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        byteCount += Int64(payload.count)
    }

    /// Adds a mark behind the messages.
    func append(_ mark: TimeMark, of source: Int) { marks.add(mark, of: source) }

    var mark: Timestamp? { marks.time.map { Timestamp(nanosecondsSinceEpoch: $0) } }

    /// Has the next batch say that nothing came while time went on.
    func passTime() { isIdle = true }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        let wasRead = try decoder.next(of: bytes, from: &start) { batch in
            gate?.check(&batch)
            try body(&batch)
        }
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
            start = 0
            marks.settle()
        }
        if !wasRead, isIdle {
            isIdle = false
            var batch = RecordBatch(schema: schema, capacity: 1)
            try body(&batch)
            return true
        }
        guard wasRead else { throw TransportError.interrupted(address: address) }
        return true
    }

    let goesOnAfterInterruption = true
    let pendingRejections: [RejectedInput] = []
    let expectedByteCount: Int64? = nil
    let drainsWhenInterrupted = false
    let pendingCount = 0

    func input(ofLineStartingAt start: Int) -> String? { nil }

    func input(ofRecordAt index: Int) -> String? { nil }

    private static let partName = "marks"

    /// The place is that of the commit.
    func save(to checkpoint: inout RunCheckpoint) -> Bool {
        guard start == bytes.count else { return false }
        let bytes = marks.encoded
        if !bytes.isEmpty { checkpoint.parts.append(RunCheckpoint.Part(name: Self.partName, bytes: bytes)) }
        return true
    }

    /// Goes on with the marks of another intake.
    func goOn(with checkpoint: RunCheckpoint) {
        guard let part = checkpoint.parts.first(where: { $0.name == Self.partName }) else { return }
        marks.goOn(with: part.bytes)
    }

    func handOver() -> [Int: HeadKeepingSource] { [:] }

    func close() {}
}
