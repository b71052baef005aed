internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Programs: `exec:COMMAND`.
///
/// The command is one for the shell, `/bin/sh -c COMMAND`, so quotes, pipes and variables mean what they mean there. A command
/// that contains a `?` ends in one, because options follow the last `?`. A source reads the command's standard output; a sink
/// writes to its standard input. What the command says on the standard error goes where that of this program goes.
///
/// A source ends with a command that ends with status 0. One that fails is started again, after a pause that grows;
/// `restart` says otherwise. A line that the command did not end is rejected. A sink counts the messages that a command
/// had not read when it ended as refused, and goes on with the next run; its end waits for the command. Where there is no next
/// run, writing throws `TransportError.closed` after status 0 or SIGPIPE, and
/// `TransportError.writeFailed` after any other ending.
///
/// A command runs in a process group of its own, and ends, with what it has started there, when its source or sink does, or
/// when this program ends, in whatever way: it is asked to first (SIGTERM), and made to two seconds later.
///
///     let source = try ExecTransport().openSource("journalctl -f -o json?restart=always")
///
/// Thread safety: any thread may open addresses.
public struct ExecTransport: Transport {
    public let scheme = "exec"
    public let summary = "A COMMAND for the shell; a source of what it prints, and a sink that it reads."

    private let interruption: Interruption?

    /// Creates the transport.
    ///
    /// - Parameter interruption: What ends the waiting of its sources and sinks, where something can.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    public var sourceOptions: [OptionDeclaration] {
        [CommonOptions.framingInStreams] + CommonOptions.streams + [
            OptionDeclaration(
                "rate",
                .byteCount(1...1 << 40),
                help: "the largest number of bytes to read, per second"
            ),
            OptionDeclaration("idle", .duration, help: "end a command that has printed nothing for this long"),
            CommonOptions.drain,
        ] + Self.runs
    }

    public var sinkOptions: [OptionDeclaration] {
        [CommonOptions.framing] + CommonOptions.buffering.filter { $0.name != "retry" && $0.name != "linger" } + [
            OptionDeclaration(
                "linger",
                .duration,
                default: "1m",
                help: "how long the end waits for what is still kept, and for the command"
            )
        ] + Self.runs
    }

    private static let runs = [
        OptionDeclaration(
            "restart",
            .choice(ProgramRestart.allCases.map(\.rawValue)),
            default: ProgramRestart.failure.rawValue,
            help: "when to start the command again: 'failure' is a status that is not 0"
        ),
        OptionDeclaration("retry", .duration, default: "5s", help: "then, the longest wait before it"),
    ]

    private func runs(_ parts: TransportAddress) throws(TransportError) -> ProgramRuns {
        try parts.permit(["retry"], if: parts.options.text("restart") != "never", otherwise: "takes a restart")
        let command = parts.place
        guard command.utf8.contains(where: { $0 != UInt8(ascii: " ") }) else {
            throw .badAddress(address: parts.whole, reason: "the command is missing; write exec:COMMAND")
        }
        guard !command.utf8.contains(0) else {
            throw .badAddress(address: parts.whole, reason: "the command contains a zero")
        }
        return ProgramRuns(
            command,
            restart: ProgramRestart(rawValue: parts.options.text("restart")) ?? .failure,
            longestPause: parts.options.duration("retry")
        )
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        let parts = try TransportAddress(ofSource: address, self)
        var settings = ConnectionSettings()
        try settings.readStream(parts)
        settings.rate = parts.options.integerIfGiven("rate")
        settings.idle = parts.options.durationIfGiven("idle")
        settings.drain = parts.options.duration("drain")
        return try ConnectionSource(
            ConnectionAcceptor(running: try runs(parts), address: parts.whole),
            settings: settings,
            meter: TransportMeter(),
            address: parts.whole,
            interruption: interruption
        )
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        try parts.permitSpillLimit()
        let meter = TransportMeter()
        let poller = try Poller(address: parts.whole)
        let link = ProgramLink(try runs(parts), poller: poller, meter: meter, address: parts.whole)
        if let error = link.open() { throw .cannotOpen(address: parts.whole, reason: "\(error)") }
        return try OutboxSink(
            link,
            settings: parts.options.outboxSettings(),
            spill: try parts.options.spill(address: parts.whole),
            poller: poller,
            meter: meter,
            address: parts.whole,
            interruption: interruption
        )
    }
}
