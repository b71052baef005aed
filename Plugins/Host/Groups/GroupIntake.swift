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
    private let address: String
    private var gate: AheadGate?
    private var bytes: [UInt8] = []
    private var start = 0
    private(set) var byteCount: Int64 = 0

    /// How many bytes stay for the next messages.
    private static let keptCapacity = 64 << 10

    init(_ request: RunRequest, _ decoder: GroupDecoder, schema: RecordSchema) {
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

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        let wasRead = try decoder.next(of: bytes, from: &start) { batch in
            gate?.check(&batch)
            try body(&batch)
        }
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
            start = 0
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

    /// The place is that of the commit.
    func save(to checkpoint: inout RunCheckpoint) -> Bool { start == bytes.count }

    func handOver() -> [Int: HeadKeepingSource] { [:] }

    func close() {}
}
