internal import WeirCore
internal import WeirFiles

/// Measures how fast a pipeline is on this machine: `weir bench`.
struct BenchCommand {
    private let command: RunCommand
    private let rounds: Int

    static var page: String {
        """
        Measures how fast a plugin takes an input on this machine; the matches are
        thrown away.

        Examples:
          weir bench shake readings.csv
          weir bench shake readings.csv --rounds 9

        Usage: weir bench PLUGIN INPUT [--rounds N] [OPTIONS OF 'weir run']

        The input must be one that can be read several times, such as a file.

        """
    }

    /// Reads what follows `weir bench`: as for `weir run`, and the number of rounds.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        var rest = words
        var rounds = 5
        if let index = rest.firstIndex(of: "--rounds") {
            guard index + 1 < rest.count, let count = Int(rest[index + 1]), (1...1000).contains(count) else {
                throw .usage("--rounds: give a whole number from 1 to 1000")
            }
            rounds = count
            rest.removeSubrange(index...index + 1)
        }
        if let option = rest.first(where: {
            $0 == "--to" || $0.hasPrefix("--to=") || $0 == "--config" || $0 == "--live"
        }) {
            throw .usage("\(option) means nothing here: the matches are thrown away")
        }
        command = try RunCommand(rest + ["--to", "file:/dev/null"], topic: "bench", registry)
        self.rounds = rounds
    }

    /// Measures.
    ///
    /// - Returns: What was measured, for people.
    func run(_ registry: Registry, interruption: Interruption?) throws(HostError) -> String {
        guard case .pipeline(let arguments) = command.task else { throw .usage("name a plugin and an input") }
        let request = try command.request(arguments, registry)
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
                Pipeline.Surroundings(console: Console(nil), status: status, interruption: interruption)
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
