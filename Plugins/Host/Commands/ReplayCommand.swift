internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirFormats
internal import WeirRecording
internal import WeirRecords
internal import WeirSystem

/// Sends again what was recorded, at the pace of its times: `weir replay`.
///
/// What `weir record` kept leaves as it arrived. Of any other file the lines leave as they stand in it; only their times
/// are read.
struct ReplayCommand: Command {
    static let name = "replay"
    static let operands = "FILE"
    static let summary = "Send a recording again, at its pace"
    static let examples: [HelpPage.Example] = [
        ("weir replay readings.rec --to udp://127.0.0.1:9000", ""),
        ("weir replay readings.rec --speed max > readings.csv", ""),
        (
            "weir replay readings.jsonl --time t_ms --speed 10x --to out.pipe",
            "lines of a file that is no recording, at the pace of their event times"
        ),
    ]
    static let options = [speedOption, toOption] + optionsOfLines
    static let remark = """
        All but the first two are for a file that is no recording of 'weir record'.
        """

    private static let speedOption = OptionDeclaration(
        "speed",
        .text(placeholder: "SPEED"),
        default: "1x",
        help: "1x, 10x, 0.5x and so on, or max"
    )
    private static let toOption = OptionDeclaration(
        "to",
        .text(placeholder: "ADDRESS"),
        default: "stdout",
        help: "where to send it"
    )

    /// The options of what is no recording.
    private static let optionsOfLines = [timeOption] + OptionDeclaration.inputTimes + [formatOption]
    private static let timeOption = OptionDeclaration(
        "time",
        .text(placeholder: "FIELD"),
        default: "time",
        help: "the field with a line's time"
    )
    private static let formatOption = OptionDeclaration(
        "format",
        .text(placeholder: "FORMAT"),
        help: "how it is written: csv, jsonl or another format of lines (default: by the ending, or csv)"
    )

    /// Where the times come from.
    private enum Times {
        /// From the recording itself.
        case arrival
        case field(String, InputTimes, any Format)
    }

    private let input: Address
    private let output: Address
    private let times: Times
    private let speed: ReplaySpeed

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        guard let place = arguments.places.first, arguments.places.count == 1 else {
            throw .usage("name one recording, such as 'weir replay readings.csv'")
        }
        input = try Address(place, .input, registry)
        output = try Address(arguments.options[Self.toOption] ?? "stdout", .output, registry)
        let text = arguments.options[Self.speedOption] ?? "1x"
        guard let speed = ReplaySpeed(text) else {
            throw .usage("--speed: '\(text)' is neither max nor of the form 10x")
        }
        self.speed = speed
        if input.isRecording {
            if let option = Self.optionsOfLines.first(where: { arguments.options[$0] != nil }) {
                throw .usage(
                    "--\(option.name): '\(input.name)' is a recording, which has times of its own; leave it out"
                )
            }
            times = .arrival
        } else {
            times = try Self.field(of: input, arguments.options, registry)
        }
        try Overwriting.check(inputs: [input], outputs: [output], rejected: nil)
    }

    private static func field(
        of input: Address,
        _ options: [String: String],
        _ registry: Registry
    ) throws(HostError) -> Times {
        let ending = input.isFile ? input.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) } : nil
        let name = options[formatOption] ?? ending ?? "csv"
        guard name != BinaryFormat().name, name != JSONFormat().name else {
            throw .usage(
                "--format: lines of text can be sent again, such as csv or jsonl, not '\(name)'; see 'weir convert'"
            )
        }
        let framing = try input.framed(by: nil, .framing, .input).framing
        let format = try FormatChoice.format(named: name, framing: framing, option: formatOption, registry)
        return .field(options[timeOption] ?? "time", try options.inputTimes(), format)
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let (console, interruption) = (context.console, context.interruption)
        InterruptSignal.catchFirst()
        switch times {
        case .arrival: return try sendRecording(console, interruption)
        case .field(let field, let times, let format): return try sendLines(console, interruption, field, times, format)
        }
    }

    /// Sends the pieces of a recording.
    private func sendRecording(_ console: Console, _ interruption: Interruption?) throws(HostError) -> ExitCode {
        let source: any TransportSource
        do throws(TransportError) {
            source = try RecordingTransport(interruption: interruption).openSource(path: input.path, speed: speed)
        } catch {
            throw HostError(error, opening: .noInput)
        }
        let sink = try output.openSink()
        return try ByteTransfer(from: source, to: sink, console: console).conclude("sent", console)
    }

    /// Sends the lines of a file.
    private func sendLines(
        _ console: Console,
        _ interruption: Interruption?,
        _ field: String,
        _ times: InputTimes,
        _ format: any Format
    ) throws(HostError) -> ExitCode {
        let source = HeadKeepingSource(try input.openSource(), keepsHead: format.beginsWithHeader)
        let sink = try output.openSink()
        let meters = TransportMeters { console.writeLine($0) }
        meters.add(sink.meter, name: "output")
        let schema = RecordSchema(fields: [RecordSchema.Field(field)], times: times, timeField: 0)
        var reader = RecordReader(source, format: format, schema: schema)
        let pace = Pace(speed, interruption)
        var sent: UInt64 = 0
        var leftOut: UInt64 = 0
        var reasons = RejectionReasons()
        var hasBegun = false
        var fault: (any Error)?
        do {
            while try reader.next({ batch in
                var due: [UInt8] = []
                if !hasBegun, let head = source.head { due = head }
                hasBegun = true
                for rejection in batch.rejections where !rejection.isContinuation {
                    leftOut += 1
                    reasons.add(rejection.reason)
                }
                for index in 0..<batch.count {
                    let time: Timestamp
                    do throws(FieldError) {
                        time = try batch.countedTime(ofField: 0, inRecordAt: index)
                    } catch {
                        leftOut += 1
                        reasons.add(error.description(in: schema))
                        continue
                    }
                    if let moment = pace.due(time) {
                        try sink.write(due)
                        due.removeAll(keepingCapacity: true)
                        guard pace.wait(until: moment) else { throw TransportError.interrupted(address: input.name) }
                    }
                    due += batch.raw(recordAt: index)
                    due.append(UInt8(ascii: "\n"))
                    sent += 1
                }
                try sink.write(due)
            }) {}
        } catch {
            fault = error
        }
        do {
            // Where nothing could be read, what is in a file already stays.
            if fault == nil || hasBegun { try sink.finish() }
        } catch {
            fault = fault ?? error
        }
        for (name, metrics) in meters.metrics { console.writeLine("\(name): \(metrics)") }
        do {
            if let fault { throw fault }
        } catch TransportError.closed {
            return .done
        } catch TransportError.interrupted {
            console.writeLine("interrupted; \(Quantity.counted(sent, "line", "lines")) sent")
            return .interrupted
        } catch let error as FormatError {
            var mend = "say with --time which field is the time"
            if case .missingFields(_, let available) = error {
                if let nearest = Suggestion.nearest(to: field, among: available) { mend += ", such as '\(nearest)'" }
                mend = RunRequest.separatorRemark(available) ?? mend
            }
            throw HostError(.noInput, "'\(input.name)' cannot be read as \(format.name): \(error); \(mend)")
        } catch let error as TransportError {
            if case .readFailed = error { throw HostError(.noInput, "\(error)") }
            throw HostError(.outputFailed, "\(error)")
        } catch {
            throw HostError(.internalError, "\(error)")
        }
        let remark = leftOut == 0 ? "" : ", \(Quantity.grouped(leftOut)) left out because their time cannot be read"
        for remark in times.remarks { console.writeLine(remark) }
        console.writeLine("\(Quantity.counted(sent, "line", "lines")) sent\(remark)")
        guard sent == 0 else { return .done }
        if let reason = reasons.ranked.first?.reason {
            let mend =
                reason.contains("' has no time zone")
                ? RunAdvice.zoneMend : "--time says which field is the time, --time-format how it is written"
            console.writeLine("nothing was sent: \(reason); \(mend)")
            return .allRejected
        }
        console.writeLine("nothing was sent: " + (source.byteCount == 0 ? "the input is empty" : "it has no records"))
        return .done
    }

    /// Computes when a line is due.
    private final class Pace {
        private let speed: ReplaySpeed
        private let interruption: Interruption?
        private let clock = MonotonicClock()
        private let wake = Parker()
        private var schedule: ReplaySchedule?

        init(_ speed: ReplaySpeed, _ interruption: Interruption?) {
            self.speed = speed
            self.interruption = interruption
            guard speed != .unpaced, let interruption else { return }
            _ = SystemThread.start("weir.interrupt") { [wake] in
                interruption.wait()
                wake.unpark()
            }
        }

        /// When a line of a time is due; `nil` for at once.
        func due(_ time: Timestamp) -> Timestamp? {
            if schedule == nil { schedule = ReplaySchedule(speed, first: time, start: clock.now()) }
            guard let due = schedule?.due(time), due > clock.now() else { return nil }
            return due
        }

        /// Waits until a line is due.
        ///
        /// - Returns: False when it was interrupted.
        func wait(until moment: Timestamp) -> Bool {
            while clock.now() < moment {
                if interruption?.isTriggered ?? false { return false }
                wake.park(until: moment)
            }
            return true
        }
    }
}
