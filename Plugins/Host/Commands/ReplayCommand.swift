internal import WeirCore
internal import WeirFiles
internal import WeirRecordingFormat
internal import WeirSystem

/// Sends again what was recorded, at the pace of its times: `weir replay`.
///
/// What `weir record` kept leaves as it arrived. Of any other file the lines leave as they stand in it; only their times
/// are read.
struct ReplayCommand {
    /// Where the times come from.
    private enum Times {
        /// From the recording itself.
        case arrival
        case field(String, TimeUnit, any Format)
    }

    private let input: Address
    private let output: Address
    private let times: Times
    private let speed: ReplaySpeed

    static var page: String {
        """
        Sends what was recorded again, at the pace at which it arrived.

        Examples:
          weir replay readings.rec --to udp://127.0.0.1:9000
          weir replay readings.rec --speed max > readings.csv
          weir replay readings.jsonl --time t_ms --speed 10x --to out.pipe
              lines of a file that is no recording, at the pace of their event times

        Usage: weir replay FILE [OPTIONS]

        Options:
        \(Table.text([
            ("--speed SPEED", "1x, 10x, 0.5x and so on, or max (default: 1x)"),
            ("--to ADDRESS", "where to send it (default: stdout)"),
        ]))
        Options for a file that is no recording of 'weir record':
        \(Table.text([
            ("--time FIELD", "the field with a line's time (default: time)"),
            ("--time-unit ns|us|ms|s", "what a time counts that is a bare number (default: ms)"),
            ("--format FORMAT", "csv or jsonl (default: by the file's ending, else csv)"),
        ]))
        """
    }

    /// Reads what follows `weir replay`.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(
            words,
            names: ["speed", "time", "time-unit", "format", "to"].map { ($0, true) } + [("help", false)],
            topic: "replay"
        )
        guard let place = arguments.places.first, arguments.places.count == 1 else {
            throw .usage("name one recording, such as 'weir replay readings.csv'")
        }
        input = try Address(place, option: .from, dash: "stdin", registry)
        output = try Address(arguments.options["to"] ?? "stdout", option: .to, dash: "stdout", registry)
        let text = arguments.options["speed"] ?? "1x"
        guard let speed = ReplaySpeed(text) else {
            throw .usage("--speed: '\(text)' is neither max nor of the form 10x")
        }
        self.speed = speed
        if input.isRecording {
            if let option = ["time", "time-unit", "format"].first(where: { arguments.options[$0] != nil }) {
                throw .usage("--\(option): '\(input.name)' is a recording, which has times of its own; leave it out")
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
        let ending = input.isFile ? FormatChoice.name(forEndingOf: input.path, registry) : nil
        let name = options["format"] ?? ending ?? "csv"
        guard name == "csv" || name == "jsonl" else {
            throw .usage("--format: lines of text can be sent again, csv or jsonl, not '\(name)'; see 'weir convert'")
        }
        let framing = try input.framed(by: nil, "framing", for: .from).framing
        let format = try FormatChoice.format(named: name, framing: framing, option: "format", registry)
        let unitName = options["time-unit"] ?? "ms"
        guard let unit = TimeUnit(rawValue: unitName) else {
            throw .usage(
                "--time-unit: '\(unitName)' is not one of \(TimeUnit.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return .field(options["time"] ?? "time", unit, format)
    }

    /// Sends.
    func run(console: Console, interruption: Interruption?) throws(HostError) -> ExitCode {
        InterruptSignal.catchFirst()
        switch times {
        case .arrival: return try sendRecording(console, interruption)
        case .field(let field, let unit, let format): return try sendLines(console, interruption, field, unit, format)
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
        _ unit: TimeUnit,
        _ format: any Format
    ) throws(HostError) -> ExitCode {
        let source = HeadKeepingSource(try input.openSource(), keepsHead: format.name == "csv")
        let sink = try output.openSink()
        sink.meter?.observeNotices { console.writeLine($0) }
        let schema = RecordSchema(fields: [RecordSchema.Field(field)], timeUnit: unit, timeField: 0)
        var reader = RecordReader(source, format: format, schema: schema)
        let pace = Pace(speed, interruption)
        var sent: UInt64 = 0
        var leftOut: UInt64 = 0
        var hasBegun = false
        do {
            while try reader.next({ batch in
                var due: [UInt8] = []
                if !hasBegun, let head = source.head { due = head }
                hasBegun = true
                leftOut += UInt64(batch.rejections.count { !$0.isContinuation })
                for index in 0..<batch.count {
                    guard let time = batch.time(ofField: 0, inRecordAt: index) else {
                        leftOut += 1
                        continue
                    }
                    if let moment = pace.due(time) {
                        try sink.write(due.span)
                        due.removeAll(keepingCapacity: true)
                        guard pace.wait(until: moment) else { throw TransportError.interrupted(address: input.name) }
                    }
                    due += batch.raw(recordAt: index)
                    due.append(UInt8(ascii: "\n"))
                    sent += 1
                }
                try sink.write(due.span)
            }) {}
            try sink.finish()
        } catch TransportError.closed {
            return .done
        } catch TransportError.interrupted {
            console.writeLine("interrupted; \(Quantity.counted(sent, "line", "lines")) sent")
            return .interrupted
        } catch let error as FormatError {
            throw HostError(
                .noInput,
                "'\(input.name)' cannot be read as \(format.name): \(error); say with --time which field is the time"
            )
        } catch let error as TransportError {
            if case .readFailed = error { throw HostError(.noInput, "\(error)") }
            throw HostError(.outputFailed, "\(error)")
        } catch {
            throw HostError(.internalError, "\(error)")
        }
        let remark = leftOut == 0 ? "" : ", \(Quantity.grouped(leftOut)) left out because their time cannot be read"
        console.writeLine("\(Quantity.counted(sent, "line", "lines")) sent\(remark)")
        return .done
    }

    /// Says when a line is due.
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
