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

    /// How many parts the input has that say how far time is.
    private let sourceCount: Int
    private var isIdle = false
    private var bytes: [UInt8] = []
    private var start = 0
    private(set) var byteCount: Int64 = 0

    /// How far time is in the parts of the input; what waits is behind messages that were not read yet.
    private var marks: [Int: TimeMark] = [:]
    private var waitingMarks: [(source: Int, mark: TimeMark)] = []

    /// How many bytes stay for the next messages.
    private static let keptCapacity = 64 << 10

    init(_ request: RunRequest, _ decoder: GroupDecoder, schema: RecordSchema, sourceCount: Int) {
        self.sourceCount = sourceCount
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
    func append(_ mark: TimeMark, of source: Int) { waitingMarks.append((source, mark)) }

    /// The least time of all parts that are not idle.
    ///
    /// Where all are idle it is the greatest, and until all are known there is none.
    var mark: Timestamp? {
        guard sourceCount > 0, marks.count >= sourceCount else { return nil }
        let times = marks.values.filter { !$0.isIdle }.map(\.time)
        return (times.min() ?? marks.values.map(\.time).max()).map { Timestamp(nanosecondsSinceEpoch: $0) }
    }

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
            for (source, mark) in waitingMarks {
                let time = max(mark.time, marks[source]?.time ?? .min)
                marks[source] = TimeMark(time: time, isIdle: mark.isIdle)
            }
            waitingMarks.removeAll(keepingCapacity: true)
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
        guard !marks.isEmpty else { return true }
        let text = marks.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value.time)\($0.value.isIdle ? " idle" : "")"
        }
        checkpoint.parts.append(
            RunCheckpoint.Part(name: Self.partName, bytes: Array(text.joined(separator: "\n").utf8))
        )
        return true
    }

    /// Goes on with the marks of another intake.
    func goOn(with checkpoint: RunCheckpoint) {
        guard let part = checkpoint.parts.first(where: { $0.name == Self.partName }) else { return }
        for line in String(decoding: part.bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let source = Int(words[0]), let time = Int64(words[1]) else { continue }
            marks[source] = TimeMark(time: time, isIdle: words.count > 2)
        }
    }

    func handOver() -> [Int: HeadKeepingSource] { [:] }

    func close() {}
}
