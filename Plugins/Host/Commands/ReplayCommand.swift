internal import WeirCore
internal import WeirFiles
internal import WeirSystem

/// Sends the lines of a recording again, at the pace of their times: `weir replay`.
///
/// The lines leave as they stand in the file; only their times are read.
struct ReplayCommand {
    private let input: Address
    private let output: Address
    private let format: any Format
    private let field: String
    private let unit: TimeUnit

    /// How many times as fast as it happened; `nil` for as fast as possible.
    private let speed: Double?

    static var page: String {
        """
        Sends the lines of a recording again, at the pace of their times.

        Examples:
          weir replay readings.csv --time t_ms | weir run shake --columns time=t_ms
          weir replay day.jsonl --speed 10x --to udp://127.0.0.1:9000

        Usage: weir replay FILE [OPTIONS]

        Options:
        \(Table.text([
            ("--speed SPEED", "1x, 10x, 0.5x and so on, or max (default: 1x)"),
            ("--time FIELD", "the field with a line's time (default: time)"),
            ("--time-unit ns|us|ms|s", "what a time counts that is a bare number (default: ms)"),
            ("--format FORMAT", "csv or jsonl (default: by the file's ending, else csv)"),
            ("--to ADDRESS", "where to send the lines (default: stdout)"),
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
        let ending = input.isFile ? FormatChoice.name(forEndingOf: input.path, registry) : nil
        let name = arguments.options["format"] ?? ending ?? "csv"
        guard name == "csv" || name == "jsonl" else {
            throw .usage("--format: lines of text can be sent again, csv or jsonl, not '\(name)'; see 'weir convert'")
        }
        format = try FormatChoice.format(named: name, framing: nil, option: "format", registry)
        field = arguments.options["time"] ?? "time"
        let unitName = arguments.options["time-unit"] ?? "ms"
        guard let unit = TimeUnit(rawValue: unitName) else {
            throw .usage(
                "--time-unit: '\(unitName)' is not one of \(TimeUnit.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        self.unit = unit
        let text = arguments.options["speed"] ?? "1x"
        if text == "max" {
            speed = nil
        } else {
            guard text.hasSuffix("x"), let factor = Double(text.dropLast()), factor.isFinite, factor > 0 else {
                throw .usage("--speed: '\(text)' is neither max nor of the form 10x")
            }
            speed = factor
        }
        try Overwriting.check(inputs: [input], outputs: [output], rejected: nil)
    }

    /// Sends.
    func run(console: Console, interruption: Interruption?) throws(HostError) -> ExitCode {
        InterruptSignal.catchFirst()
        let source: HeadKeepingSource
        do throws(TransportError) {
            source = HeadKeepingSource(try input.transport.openSource(input.place), keepsHead: format.name == "csv")
        } catch {
            throw HostError(.noInput, "\(error)")
        }
        let sink = try output.openSink()
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
                    if !pace.isDue(time) {
                        try sink.write(due.span)
                        due.removeAll(keepingCapacity: true)
                        guard pace.wait(for: time) else { throw TransportError.interrupted(address: input.name) }
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
        private let speed: Double?
        private let interruption: Interruption?
        private let clock = MonotonicClock()
        private let wake = Parker()
        private var first: (time: Timestamp, at: Timestamp)?

        init(_ speed: Double?, _ interruption: Interruption?) {
            self.speed = speed
            self.interruption = interruption
            guard speed != nil, let interruption else { return }
            _ = SystemThread.start("weir.interrupt") { [wake] in
                interruption.wait()
                wake.unpark()
            }
        }

        private func moment(of time: Timestamp) -> Timestamp {
            guard let speed else { return .distantPast }
            let now = clock.now()
            guard let first else {
                self.first = (time, now)
                return now
            }
            let offset = Double(time.nanosecondsSinceEpoch - first.time.nanosecondsSinceEpoch) / speed
            guard offset.magnitude < 9e17 else { return offset < 0 ? .distantPast : .distantFuture }
            return Timestamp(nanosecondsSinceEpoch: first.at.nanosecondsSinceEpoch + Int64(offset))
        }

        func isDue(_ time: Timestamp) -> Bool { speed == nil || moment(of: time) <= clock.now() }

        /// Waits until a line is due.
        ///
        /// - Returns: False when it was interrupted.
        func wait(for time: Timestamp) -> Bool {
            let moment = moment(of: time)
            while clock.now() < moment {
                if interruption?.isTriggered ?? false { return false }
                wake.park(until: moment)
            }
            return true
        }
    }
}
