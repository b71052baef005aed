internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Measures how fast a pipeline is on this machine: `weir bench`.
struct BenchCommand: Command {
    static let name = "bench"
    static let operands = "PLUGIN INPUT"
    static let summary = "Measure how fast a plugin takes an input here"
    static let examples: [HelpPage.Example] = [
        ("weir bench shake readings.csv", ""), ("weir bench shake readings.csv --rounds 9", ""),
    ]
    static let usage = ["weir bench PLUGIN INPUT [--rounds N] [OPTIONS OF 'weir run']"]
    static let options = [rounds]
    static let remark = """
        The matches are thrown away. The input must be one that can be read several
        times, such as a file.
        """
    static let pluginOptions: [OptionDeclaration]? = RunOptions.all

    private static let rounds = OptionDeclaration(
        "rounds",
        .integer(1...1000),
        default: "5",
        help: "how often to read the input"
    )

    private let line: RunLine
    private let rounds: Int

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        var rounds = 0
        line = try RunLine(words, of: Self.self, registry) { options throws(HostError) in
            rounds = try options.integer(Self.rounds) ?? 0
            for option in [OptionDeclaration.to, .config, .live, .state] where options[option] != nil {
                throw .usage("--\(option.name) means nothing here: the matches are thrown away")
            }
            options[.to] = "file:/dev/null"
        }
        self.rounds = rounds
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        InterruptSignal.catchFirst()
        return try context.show(try measure(context.registry, context.interruption))
    }

    private func measure(_ registry: Registry, _ interruption: Interruption?) throws(HostError) -> String {
        guard case .pipeline(let arguments) = line.task else { throw .usage("name a plugin and an input") }
        let request = try line.request(arguments, registry)
        for input in request.inputs {
            guard case .address(let address) = input.source else { continue }
            guard address.isFile || address.isRecording else {
                throw .usage("'\(address.name)' can be read only once; give a file")
            }
        }
        var rates: [Double] = []
        var last = PipelineStatus.Numbers()
        for _ in 0..<rounds {
            let status = PipelineStatus(name: "bench")
            let clock = MonotonicClock()
            let start = clock.now()
            let pipeline = try Pipeline(
                request,
                Pipeline.Context(console: Console(nil), status: status, interruption: interruption)
            )
            if case .failed(let error) = pipeline.run() { throw error }
            let seconds = Double((clock.now() - start).wholeNanoseconds) / 1e9
            last = status.numbers
            rates.append(Double(last.tally.events) / max(seconds, 1e-9))
            if let interruption, interruption.isTriggered { throw HostError(.interrupted, "interrupted") }
        }
        guard last.tally.events > 0 else {
            throw HostError(.noInput, "the input has no events to measure with; give one that has")
        }
        rates.sort()
        let bytes = Double(last.byteCount) / Double(max(1, last.tally.events))
        func row(_ rate: Double) -> String {
            "\(Quantity.grouped(UInt64(rate))) events/s, \(Quantity.short(rate * bytes))B/s"
        }
        return Table.text([
            (
                "events",
                "\(Quantity.grouped(last.tally.events)), \(Quantity.grouped(last.matches)) matches, \(Quantity.grouped(last.tally.rejected)) rejected"
            ),
            ("best", row(rates.last ?? 0)),
            ("median of \(rounds)", row(rates[rates.count / 2])),
            ("worst", row(rates.first ?? 0)),
            (
                "delay of a batch",
                "p50 \(Quantity.duration(last.delays.quantile(0.5))), p99 \(Quantity.duration(last.delays.quantile(0.99)))"
            ),
        ])
    }
}
