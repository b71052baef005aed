internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords
internal import WeirState

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

    /// The index of a record of the last batch by its place in the batch's bytes, where records are not in the order of the
    /// input.
    func index(ofRecordStartingAt start: Int) -> Int?

    /// The time before which no record follows, where it goes on with the clock; `nil` where it does not.
    var frontier: Timestamp? { get }

    /// Whether to hand out a batch without anything now and then while ``frontier`` goes on and nothing comes.
    var reportsIdleTime: Bool { get set }

    /// The lines of the last batch that were rejected while they were read and are not among its own rejections.
    var pendingRejections: [RejectedInput] { get }

    /// How many bytes were read so far.
    var byteCount: Int64 { get }

    /// How many bytes there are in all, where that is known.
    var expectedByteCount: Int64? { get }

    /// Whether an interruption has it hand out what the inputs have before it ends.
    var drainsWhenInterrupted: Bool { get }

    /// Whether it can be asked again after an interruption: that was only all which has come by then.
    var goesOnAfterInterruption: Bool { get }

    /// Before which time no record follows, as far as those who write the input say; `nil` where they do not.
    var mark: Timestamp? { get }

    /// How many records wait to be handed out.
    var pendingCount: Int { get }

    /// When to hand out a batch without anything, so that the state is saved while nothing comes; `nil` for never.
    var saveTime: Timestamp? { get set }

    /// What was counted while records were read.
    var counts: [(name: String, value: UInt64)] { get }

    /// The header, or a record, to find out which fields the input has; `nil` where that is not known.
    var sample: [UInt8]? { get }

    /// What the intake asks and tells where the state of the run is saved; `nil` where it is not.
    var saving: IntakeSaving? { get set }

    /// Adds where the inputs are, and what was read and not handed out.
    ///
    /// - Returns: False where that cannot be told just now.
    func save(to checkpoint: inout RunCheckpoint) -> Bool

    /// Ends the intake after a pause, once ``next(_:)`` has thrown for it; all records that were read are handed out.
    ///
    /// - Returns: The inputs by their numbers, as far as they were opened, for another intake to go on with.
    func handOver() -> [Int: HeadKeepingSource]

    /// Waits until nothing reads any more.
    ///
    /// Inputs that have not ended must have been interrupted before.
    func close()
}

extension Intake {
    func index(ofRecordStartingAt start: Int) -> Int? { nil }
}

/// How an intake whose records wait for one another works together with what saves the state.
struct IntakeSaving {
    /// Whether an interruption leaves what waits for the next run.
    let leavesRest: () -> Bool

    /// Called when the inputs have ended, and records that waited are handed out next.
    let beforeTheEnd: () -> Void
}

extension Intake {
    var counts: [(name: String, value: UInt64)] { [] }

    var sample: [UInt8]? { nil }

    var goesOnAfterInterruption: Bool { false }

    var mark: Timestamp? { nil }

    var frontier: Timestamp? { nil }

    // Nothing here goes on with the clock.
    var reportsIdleTime: Bool {
        get { false }
        set {}
    }

    // Where one input is read, its reading is stopped for that.
    var saveTime: Timestamp? {
        get { nil }
        set {}
    }

    /// Of no use where nothing waits.
    var saving: IntakeSaving? {
        get { nil }
        set {}
    }
}

/// The records of one input.
final class SingleIntake: Intake {
    private let request: RunRequest
    private let source: HeadKeepingSource
    private let reading: any BatchReading
    private var gate: AheadGate?
    private var firstRecord: [UInt8]?

    init(
        _ request: RunRequest,
        schema: RecordSchema,
        batchCapacity: Int,
        _ meters: TransportMeters?,
        _ open: [Int: HeadKeepingSource],
        _ resumption: Resumption?
    ) throws(HostError) {
        self.request = request
        let input = request.inputs[0]
        (source, reading) = try request.reading(
            ofInput: 0,
            schema: schema,
            batchCapacity: batchCapacity,
            meters,
            goingOnWith: open,
            resumption
        )
        gate = AheadGate(request, input, schema)
    }

    func next(_ body: (inout RecordBatch) throws -> Void) throws -> Bool {
        do {
            return try reading.next { batch in
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

    var byteCount: Int64 { reading.byteCount }

    var expectedByteCount: Int64? { source.expectedByteCount }

    var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    var pendingCount: Int { 0 }

    var sample: [UInt8]? {
        let input = request.inputs[0]
        // Where the first lines have shown another format, there is no header.
        if input.format.beginsWithHeader, reading.head != [] { return reading.head }
        let isRecord = !input.format.isTable && input.format.name != BinaryFormat().name
        return isRecord || !input.isFormatKnown ? firstRecord : nil
    }

    /// Has the input be asked again after pauses.
    func goOn(afterPausesOf interruption: Interruption) { source.isHeldBack = { interruption.isHeldBack } }

    func save(to checkpoint: inout RunCheckpoint) -> Bool {
        guard let place = reading.place else { return false }
        checkpoint.inputs.append(
            RunCheckpoint.Input(name: request.inputs[0].name, place: place, byteCount: reading.byteCount)
        )
        return true
    }

    func handOver() -> [Int: HeadKeepingSource] {
        reading.handOver()
        return [0: source]
    }

    func close() { reading.close() }
}

extension RunRequest {
    /// Opens the inputs.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - batchCapacity: How many records to hand out at a time.
    ///   - meters: Where to add those of the inputs that are opened.
    ///   - open: The inputs that are open already, by their numbers. The line numbers of rejections count anew for these.
    ///   - resumption: What the run goes on from; `nil` where it begins.
    /// - Returns: An intake that has handed out nothing yet.
    /// - Throws: ``HostError`` when an input cannot be opened.
    func makeIntake(
        schema: RecordSchema,
        batchCapacity: Int,
        _ meters: TransportMeters?,
        goingOnWith open: [Int: HeadKeepingSource] = [:],
        _ resumption: Resumption? = nil
    ) throws(HostError) -> any Intake {
        try checkTimes(of: schema)
        // Any one of several inputs may bring a field.
        let schema = inputs.count == 1 ? schema.requiring(NamedField.all(of: instances, in: schema)) : schema
        let intake: any Intake =
            readsOnThreads
            ? try MergedIntake(self, schema: schema, batchCapacity: batchCapacity, meters, open, resumption)
            : try SingleIntake(self, schema: schema, batchCapacity: batchCapacity, meters, open, resumption)
        guard let lateness, let timeField = schema.timeField else { return intake }
        return try OrderedIntake(
            intake,
            lateness: lateness,
            limit: heldLimit,
            timeField: timeField,
            schema: schema,
            batchCapacity: batchCapacity,
            resumption
        )
    }

    /// Opens an input, unless it is open already, so that another intake can go on with it.
    ///
    /// - Parameters:
    ///   - number: The input's number.
    ///   - schema: What is wanted of each record.
    ///   - batchCapacity: How many records to hand out at a time.
    ///   - meters: Where to add that of an input that is opened.
    ///   - open: The inputs that are open already, by their numbers.
    ///   - resumption: What the run goes on from; `nil` where it begins.
    /// - Returns: The input, and what reads it.
    /// - Throws: ``HostError`` when it cannot be opened.
    func reading(
        ofInput number: Int,
        schema: RecordSchema,
        batchCapacity: Int,
        _ meters: TransportMeters?,
        goingOnWith open: [Int: HeadKeepingSource],
        _ resumption: Resumption?
    ) throws(HostError) -> (source: HeadKeepingSource, reading: any BatchReading) {
        let input = inputs[number]
        let (source, place) =
            if let source = open[number] {
                (source, nil as RunCheckpoint.Input.Place?)
            } else {
                try resumedSource(of: input, meters, resumption)
            }
        let lines = try firstLines(of: input, before: place)
        do throws(FormatError) {
            let reading = try makeReading(
                of: source,
                input,
                schema: schema,
                batchCapacity: batchCapacity,
                goingOnAt: place,
                behind: lines
            )
            return (source, reading)
        } catch {
            throw HostError(.noInput, explain(error, in: input))
        }
    }

    /// Whether inputs are read at once, by threads of their own: also one that is live and whose records wait, so that they
    /// go on when nothing comes.
    var readsOnThreads: Bool { inputs.count > 1 || (lateness != nil && inputs.contains(where: \.isLive)) }

    /// Whether the reading of the one input stops for a moment where it brings nothing, so that the state is saved.
    var savesInPauses: Bool {
        guard state != nil, partition == nil, !readsOnThreads, let input = inputs.first else { return false }
        return input.isLive || readerCount == 1 && input.isStream
    }
}
