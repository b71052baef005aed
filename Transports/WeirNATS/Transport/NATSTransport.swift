internal import WeirCore
public import WeirFiles
public import WeirRecords
internal import WeirSockets

/// Messages of NATS: `nats://HOST:PORT/SUBJECT`.
///
/// A source takes each message's payload as one or more lines, or as its `framing` says. With `stream=NAME` it reads the
/// messages that the stream has of the subject, in their order, and goes on where it was when the connection breaks;
/// `weir run --state` then saves where it is, so that another run goes on there. With `durable=NAME` the server remembers what
/// was read, several programs may share it, and each message comes at least once: it is acknowledged after it was handed on.
/// What an output that is no file has not sent by then is lost with the program.
/// Without a stream, a source gets what is published while it is connected.
///
/// A sink publishes each line. With `stream=NAME` a message counts as delivered when the stream has confirmed it; what is not
/// confirmed in time is sent again with the same `Nats-Msg-Id`, by which the stream knows what it has already, as long as its
/// window for duplicates is; a stream that is missing for six times `timeout` ends the sink. Without a stream it counts when the
/// server has handled it.
///
/// Several servers are tried in turn: `nats://one:4222,two:4222/alarms`, and while none can be reached, those that they told
/// of. A user and a password, or a token, stand before the host: `nats://USER:PASSWORD@HOST/SUBJECT`, with `%40` for an `@`,
/// and are never shown. There is no encryption here: a leaf node on this machine, `nats-server` with
/// `leafnodes { remotes = [{ url: "tls://HOST:7422" }] }`, speaks TLS to the others.
///
///     let source = try NATSTransport().openSource("//127.0.0.1:4222/purchases?stream=purchases")
///
/// Thread safety: any thread may open addresses.
public struct NATSTransport: Transport {
    public let scheme = "nats"
    public let summary =
        "Messages of NATS, //HOST:PORT/SUBJECT; a source of what is published or kept in a stream, and a sink that publishes."

    let interruption: Interruption?

    /// Creates the transport.
    ///
    /// - Parameter interruption: What ends the waiting of its sources and sinks, where something can.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    private static let timeout = OptionDeclaration(
        "timeout",
        .duration,
        default: "5s",
        help: "how long the server may take for an answer, and a stream to confirm a message"
    )

    public var sourceOptions: [OptionDeclaration] {
        [
            CommonOptions.framingInDatagrams,
            OptionDeclaration(
                "stream",
                .text(placeholder: "NAME"),
                help: "read what this stream of JetStream keeps; otherwise what is published from now on"
            ),
            OptionDeclaration(
                "durable",
                .text(placeholder: "NAME"),
                help: "have this consumer remember what was handed on; it is made where it is missing"
            ),
            OptionDeclaration(
                "deliver",
                .choice(NATSSourceSettings.Start.allCases.map(\.rawValue)),
                default: NATSSourceSettings.Start.all.rawValue,
                help: "where to begin in the stream, unless it was read before: first, behind the last, or with it"
            ),
            OptionDeclaration(
                "batch",
                .integer(1...8192),
                default: "1024",
                help: "ask the stream for this number of messages at a time; two requests are under way"
            ),
            CommonOptions.drain, Self.timeout,
            OptionDeclaration(
                "retry",
                .duration,
                default: "5s",
                help: "the longest wait between two attempts to connect"
            ),
        ]
    }

    public var sinkOptions: [OptionDeclaration] {
        [
            CommonOptions.framing,
            OptionDeclaration(
                "stream",
                .text(placeholder: "NAME"),
                help: "have this stream of JetStream confirm each message; otherwise the server does"
            ),
            OptionDeclaration(
                "window",
                .integer(1...65_536),
                default: "1024",
                help: "how many messages may wait for their confirmation"
            ),
            OptionDeclaration(
                "lines",
                .integer(1...1_000_000),
                default: "1",
                help: "put up to this number of lines into a message"
            ),
            Self.timeout,
        ] + CommonOptions.buffering
    }

    // MARK: Sources

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        try open(address, at: nil)
    }

    func open(_ address: String, at position: SourcePosition?) throws(TransportError) -> NATSSource {
        let parts = try TransportAddress(ofSource: address, self)
        let options = parts.options
        let place = try NATSAddress(parts, allowsWildcards: true)
        let stream = options.textIfGiven("stream")
        try parts.permit(["durable", "deliver", "batch"], if: stream != nil, otherwise: "takes 'stream=NAME'")
        try parts.permit(
            ["drain"],
            if: stream == nil,
            otherwise: "means nothing for a stream, which keeps what is left"
        )
        var settings = NATSSourceSettings(subject: place.subject, stream: stream)
        settings.durable = options.textIfGiven("durable")
        settings.start = NATSSourceSettings.Start(rawValue: options.text("deliver")) ?? .all
        settings.boundary = options.boundary
        settings.batch = options.integer("batch")
        settings.drain = options.duration("drain")
        try Self.check(stream, "stream", parts)
        try Self.check(settings.durable, "consumer", parts)
        let meter = TransportMeter()
        let client = try NATSClient(
            try place.servers(meter),
            try Self.settings(place, options),
            address: parts.whole,
            interruption: interruption
        )
        let source = NATSSource(
            client,
            settings: settings,
            address: parts.whole,
            interruption: interruption,
            meter: meter
        )
        if let position { source.goOn(at: position) }
        try source.begin()
        return source
    }

    static func check(_ name: String?, _ what: String, _ parts: TransportAddress) throws(TransportError) {
        guard let name else { return }
        do throws(NATSError) { try JetStreamName.check(name, what) } catch {
            throw .badAddress(address: parts.whole, reason: error.reason)
        }
    }

    static func settings(_ place: NATSAddress, _ options: OptionValues) throws(TransportError) -> NATSSettings {
        var settings = NATSSettings()
        settings.credentials = place.credentials
        settings.timeout = try place.duration("timeout", options)
        settings.retry = try place.duration("retry", options)
        return settings
    }

    /// That there is no such stream, and what to do.
    static func missingStream(_ name: String, _ subject: String) -> String {
        "there is no stream '\(name)'; make one: nats stream add \(name) --subjects '\(Excerpt.line(subject))' --defaults"
    }

    // MARK: Sinks

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        try openSink(address, isPartitioned: false)
    }

    /// Opens a sink that takes what ``PartitionedMessage`` writes, and publishes each message to the subject and the number of
    /// its partition behind that.
    ///
    /// - Throws: ``TransportError`` when it cannot be opened.
    package func openPartitionedSink(_ address: String) throws(TransportError) -> any TransportSink {
        try openSink(address, isPartitioned: true)
    }

    private func openSink(_ address: String, isPartitioned: Bool) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        let options = parts.options
        let place = try NATSAddress(parts, allowsWildcards: false)
        try parts.permitSpillLimit()
        try parts.permit(
            ["framing", "lines"],
            if: !isPartitioned,
            otherwise: "means nothing where each message has its key"
        )
        var settings = NATSLinkSettings(subject: place.subject)
        settings.stream = options.textIfGiven("stream")
        settings.window = options.integer("window")
        settings.timeout = options.duration("timeout")
        try Self.check(settings.stream, "stream", parts)
        let meter = TransportMeter()
        // Nothing says that what the server took arrives anywhere.
        if settings.stream == nil { meter.update { $0.isUnconfirmed = true } }
        let client = try Self.settings(place, options)
        let servers = try place.servers(meter)
        let subject = place.subject + (isPartitioned ? ".*" : "")
        let found = try probe(servers, client, settings.stream, subject, parts.whole, meter, needsStream: isPartitioned)
        if settings.stream == nil, let stream = found?.stream {
            settings.stream = stream
            meter.update { $0.isUnconfirmed = false }
        }
        let headerLength = NATSMessageHead.headerLength(settings)
        let limit = found.map { max(0, $0.limit - headerLength) }
        let streamLimit = found?.streamLimit.map { max(0, $0 - headerLength) }
        let poller = try Poller(address: parts.whole)
        var outbox = options.outboxSettings()
        if isPartitioned {
            outbox.boundary = .length
            // A whole file may wait when its end comes, and nothing but that is to be done.
            if !parts.given.contains("linger") {
                outbox.lingerAtInterruption = exchange(&outbox.linger, with: Self.lingerOfPartitions)
            }
        }
        // Lines that are put together are to fit; a longer one goes alone, and is counted.
        outbox.datagram = min(limit ?? 1 << 30, streamLimit ?? .max)
        // So that the window is seldom empty between two of them.
        outbox.batch = 1 << 20
        outbox.linesPerDatagram = options.integer("lines")
        let link = NATSLink(
            servers,
            settings,
            client,
            poller: poller,
            meter: meter,
            address: parts.whole,
            content: isPartitioned ? .partitioned : outbox.boundary == .lines ? .lines : .frames
        )
        // One that is not there was told of, and is tried again.
        if found != nil { _ = link.open() }
        return try OutboxSink(
            link,
            settings: outbox,
            spill: try options.spill(address: parts.whole),
            poller: poller,
            meter: meter,
            address: parts.whole,
            interruption: interruption,
            messageLimit: limit
        )
    }

    private static let lingerOfPartitions = Duration.seconds(600)

    /// The stream that keeps the messages of all partitions.
    ///
    /// - Throws: ``NATSError`` where there is none: what nobody keeps is gone.
    private static func streamName(taking subject: String, _ client: NATSClient) throws(NATSError) -> String? {
        guard let name = try client.streams(taking: subject).first else {
            throw NATSError(
                .unsendable,
                "no stream takes '\(Excerpt.line(subject))'; make one: nats stream add NAME --subjects "
                    + "'\(Excerpt.line(subject))' --discard new --defaults"
            )
        }
        return name
    }

    /// Finds out what can never work; a server that is not there may come.
    ///
    /// What was read before an interruption may still have to be written, so one that came before does not end this.
    ///
    /// - Returns: How many bytes the server takes in a message, and the stream; `nil` where there is no server.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)``, and ``TransportError/interrupted(address:)``.
    private func probe(
        _ servers: [SocketPlace],
        _ settings: NATSSettings,
        _ name: String?,
        _ subject: String,
        _ address: String,
        _ meter: TransportMeter,
        needsStream: Bool
    ) throws(TransportError) -> (limit: Int, streamLimit: Int?, stream: String?)? {
        let client = try NATSClient(servers, settings, address: address, interruption: interruption)
        defer { client.close() }
        if client.isInterrupted { client.ignoreInterruption() }
        do throws(NATSError) {
            try client.connectOnce()
            var stream = name
            if name == nil, needsStream { stream = try Self.streamName(taking: subject, client) }
            guard let name = stream else { return (client.info.payloadLimit, nil, nil) }
            let found = try client.stream(name)
            try found.check(subject)
            return (client.info.payloadLimit, found.messageLimit, name)
        } catch {
            if error.kind == .interrupted { throw .interrupted(address: address) }
            if error.isMissing, let name {
                throw .cannotOpen(address: address, reason: Self.missingStream(name, subject))
            }
            guard error.isTransient, name != nil || !needsStream else {
                throw .cannotOpen(address: address, reason: error.reason)
            }
            meter.note("'\(address)' cannot be written to: \(error.reason); it is tried again")
            return nil
        }
    }
}

// Streams that are read on where another run was.
extension NATSTransport: ResumableTransport {
    package func stateObstacle(_ address: String) -> String? {
        guard let parts = try? TransportAddress(ofSource: address, self),
            parts.options.textIfGiven("durable") != nil
        else { return nil }
        return "both 'durable' and '--state' would remember what was read; leave out one"
    }

    package func canResume(_ address: String) -> Bool {
        guard let parts = try? TransportAddress(ofSource: address, self) else { return false }
        // A durable consumer goes on behind what was acknowledged, and not where the state is.
        return parts.options.textIfGiven("stream") != nil && parts.options.textIfGiven("durable") == nil
    }

    package func openSource(
        _ address: String,
        at position: SourcePosition
    ) throws(TransportError) -> any TransportSource {
        try open(address, at: position)
    }

    package func hasGrown(_ address: String, since position: SourcePosition) -> Bool { true }
}
