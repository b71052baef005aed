internal import WeirCore
internal import WeirDispatch
internal import WeirRecords
internal import WeirSystem

/// Reports the lines and messages that were rejected, and keeps them and those that came too late where that is wanted.
///
/// Thread safety: any thread.
final class RejectionReport: Sendable {
    /// A file for lines of the input.
    struct File {
        let address: Address
        let sink: any TransportSink

        /// Opens a file.
        ///
        /// - Throws: ``HostError`` when it cannot be opened.
        init(
            _ address: Address,
            _ context: Pipeline.Context?,
            _ meters: TransportMeters,
            name: String
        ) throws(HostError) {
            self.address = try context?.outputs?.continuing(address) ?? address
            let sink = try self.address.openSink()
            meters.add(sink.meter, name: name)
            self.sink = sink.patient(context?.patience, at: self.address)
        }
    }

    private struct State {
        var rejected: LineKeeper
        var late: LineKeeper
        var shown = 0
        var reasons = RejectionReasons()

        /// The messages that were refused faster than they could be written.
        var omitted: UInt64 = 0

        /// What failed on the thread that reports messages; thrown by the next call.
        var fault: TransportError?
        var isFinished = false

        /// Whether further messages are neither shown nor kept.
        var isSated: Bool { isFinished || fault != nil || (rejected.file == nil && shown > RejectionReport.limit) }
    }

    private let console: Console
    private let pipeline: String?
    private let outputs: SharedOutputs?
    private let state: Locked<State>
    private let hasThread = Locked(false)
    private let arrival = Parker()

    /// How many rejections are shown; the others are only counted.
    private static let limit = Int(RejectionReasons.shownCount)

    /// Creates a report.
    init(
        _ console: Console,
        pipeline: String? = nil,
        keepingLinesIn file: sending File?,
        late: sending File? = nil,
        outputs: SharedOutputs? = nil
    ) {
        self.console = console
        self.pipeline = pipeline
        self.outputs = outputs
        state = Locked(State(rejected: LineKeeper(file: file), late: LineKeeper(file: late)))
    }

    /// Why lines were rejected.
    var reasons: RejectionReasons { state.withLock { $0.reasons } }

    /// Counts on after another report on the same input.
    func go(onAfter reasons: RejectionReasons) { state.withLock { $0.reasons = reasons } }

    /// Reports the rejections of a batch.
    func report(_ batch: borrowing RecordBatch) throws(TransportError) {
        try report(RejectedInput.all(of: batch))
    }

    /// Reports lines, in the order of the input.
    func report(_ rejections: [RejectedInput]) throws(TransportError) {
        try state.withLock { state throws(TransportError) in
            if let fault = state.fault { throw fault }
            for rejection in rejections where !rejection.isContinuation && !rejection.isLate {
                state.reasons.add(rejection.reason)
                show(rejection, &state)
            }
            try state.rejected.keep(rejections.filter { !$0.isLate }, outputs)
            try state.late.keep(rejections.filter(\.isLate), outputs)
        }
    }

    /// Removes what an earlier run kept in the files, unless it is to stay.
    func begin() throws(TransportError) {
        try state.withLock { state throws(TransportError) in
            try state.rejected.begin(outputs)
            try state.late.begin(outputs)
        }
    }

    /// Reports the last messages, ends the last lines of the files that were begun, and closes these.
    func finish(_ meters: TransportMeters) throws(TransportError) {
        reportMessages(of: meters)
        let (omitted, fault) = try state.withLock { state throws(TransportError) -> (UInt64, TransportError?) in
            guard !state.isFinished else { return (0, nil) }
            state.isFinished = true
            // Both, whatever becomes of the first.
            let fault = state.rejected.faultOfFinishing()
            let lateFault = state.late.faultOfFinishing()
            if let fault = fault ?? lateFault { throw fault }
            return (state.rejected.file == nil ? 0 : state.omitted, state.fault)
        }
        arrival.unpark()
        if let fault { throw fault }
        guard omitted > 0 else { return }
        console.writeLine(
            "\(Quantity.counted(omitted, "rejected message is", "rejected messages are")) only counted: "
                + "they came faster than they could be written",
            about: pipeline
        )
    }

    private func show(_ rejection: RejectedInput, _ state: inout State) {
        guard state.shown <= Self.limit else { return }
        state.shown += 1
        guard state.shown <= Self.limit else {
            console.writeLine(
                "further rejections are only counted"
                    + (state.rejected.file == nil ? " (--rejected FILE keeps them)" : " here; the file has them all"),
                about: pipeline
            )
            return
        }
        let excerpt = Excerpt.of(rejection.raw, limit: 60)
        console.writeLine("\(rejection.place) rejected: \(rejection.reason): \(excerpt)", about: pipeline)
    }
}

// MARK: What transports refuse

extension RejectionReport {
    /// Reports the messages that transports refuse, as they come, until ``finish(_:)``.
    ///
    /// A thread does so, which starts with the first message: the pipeline's may be waiting for a record.
    func report(messagesOf meters: TransportMeters) {
        meters.observeRejectedMessages { [weak self, weak meters] in
            guard let self, let meters else { return }
            let isFirst = hasThread.withLock { exchange(&$0, with: true) == false }
            guard isFirst else { return arrival.unpark() }
            // Without a thread they are reported at the end.
            _ = SystemThread.start("weir.rejected") {
                while self.reportMessages(of: meters) { self.arrival.park() }
            }
        }
    }

    /// Reports the messages that transports have refused.
    ///
    /// - Returns: False where no further ones are of use.
    @discardableResult
    private func reportMessages(of meters: TransportMeters) -> Bool {
        state.withLock { state in
            guard !state.isSated else { return false }
            for (input, messages, omitted) in meters.takeRejectedMessages() {
                state.omitted += omitted
                let rejections = messages.map { RejectedInput($0, from: input) }
                for rejection in rejections { show(rejection, &state) }
                do throws(TransportError) {
                    try state.rejected.keep(rejections, outputs)
                } catch {
                    state.fault = error
                }
            }
            return !state.isSated
        }
    }
}

/// Keeps lines of the input in a file.
private struct LineKeeper {
    let file: RejectionReport.File?
    private var hasBegun = false

    /// Whether the last line may go on.
    private var hasOpenLine = false

    init(file: RejectionReport.File?) {
        self.file = file
    }

    /// Removes what was in the file before, unless it is to stay.
    mutating func begin(_ outputs: SharedOutputs?) throws(TransportError) {
        guard let file, !hasBegun else { return }
        hasBegun = true
        try file.sink.begin(file.address)
        outputs?.begin(file.address)
    }

    /// Writes lines.
    mutating func keep(_ lines: [RejectedInput], _ outputs: SharedOutputs?) throws(TransportError) {
        guard let file, !lines.isEmpty else { return }
        try begin(outputs)
        var bytes: [UInt8] = []
        for line in lines {
            if hasOpenLine, !line.isContinuation { bytes.append(UInt8(ascii: "\n")) }
            bytes += line.raw
            // At once: the next line may be hours away.
            if !line.mayContinue { bytes.append(UInt8(ascii: "\n")) }
            hasOpenLine = line.mayContinue
        }
        if !bytes.isEmpty { try file.sink.write(bytes) }
    }

    /// Ends the last line, and delivers what the file still keeps.
    ///
    /// - Returns: What went wrong.
    mutating func faultOfFinishing() -> TransportError? {
        do throws(TransportError) {
            try finish()
            return nil
        } catch {
            return error
        }
    }

    private mutating func finish() throws(TransportError) {
        guard let file, hasBegun else { return }
        if hasOpenLine { try file.sink.write([UInt8(ascii: "\n")]) }
        hasOpenLine = false
        try file.sink.finish()
    }
}
