internal import CWeirSockets
internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// What all sockets with connections have in common.
struct ConnectionTransport: Sendable {
    private let kind: SocketKind

    /// Whether it listens at a port, and not at a Unix socket.
    private let isPort: Bool
    private let interruption: Interruption?
    private let inherited: InheritedSockets

    init(
        _ kind: SocketKind,
        isPort: Bool = false,
        _ interruption: Interruption?,
        _ inherited: InheritedSockets
    ) {
        self.kind = kind
        self.isPort = isPort
        self.interruption = interruption
        self.inherited = inherited
    }

    // MARK: Options

    var sourceOptions: [OptionDeclaration] {
        [kind == .stream ? CommonOptions.framingInStreams : CommonOptions.framingInDatagrams]
            + (kind == .stream ? CommonOptions.streams : [CommonOptions.longest]) + Self.connections
            + listening + (kind == .stream ? [CommonOptions.acknowledges] : []) + [
                CommonOptions.drain,
                OptionDeclaration("connect", .flag, default: "false", help: "connect to a listening socket instead"),
                OptionDeclaration(
                    "retry",
                    .duration,
                    default: "5s",
                    help: "then, the longest wait between two attempts"
                ),
            ]
    }

    var sinkOptions: [OptionDeclaration] {
        [CommonOptions.framing] + (kind == .stream ? [] : CommonOptions.packing) + CommonOptions.buffering + [
            OptionDeclaration("listen", .flag, default: "false", help: "listen, and send to all that connect"),
            OptionDeclaration("readers", .integer(1...100_000), default: "64", help: "then, how many may be connected"),
            OptionDeclaration(
                "reader-buffer",
                .byteCount(1...1 << 30),
                default: "1MiB",
                help: "then, how much to keep for a reader that does not keep up"
            ),
            OptionDeclaration(
                "slow",
                .choice(ServerLink.Slow.allCases.map(\.rawValue)),
                default: ServerLink.Slow.disconnect.rawValue,
                help: "and what to do when that is not enough"
            ),
        ] + listening
    }

    /// The options of what listens.
    private var listening: [OptionDeclaration] {
        isPort ? [CommonOptions.allow, CommonOptions.inherit] : CommonOptions.file + CommonOptions.peers
    }

    private static let connections = [
        OptionDeclaration(
            "connections",
            .integer(1...1_000_000),
            default: "1024",
            help: "how many may be open at a time; others wait"
        ),
        OptionDeclaration(
            "rate",
            .byteCount(1...1 << 40),
            help: "the largest number of bytes to read from each, per second"
        ),
        OptionDeclaration("idle", .duration, help: "close connections on which nothing arrived for this long"),
        OptionDeclaration("accept", .integer(1...1 << 40), help: "end after this number of connections"),
    ]

    // MARK: Sources

    func openSource(_ parts: TransportAddress) throws(TransportError) -> ConnectionSource {
        let whole = parts.whole
        let options = parts.options
        let connects = options.flag("connect")
        let useless = isPort ? ["allow", "inherit", "connections"] : ["mode", "owner", "inherit", "connections"]
        try parts.permit(useless, if: !connects, otherwise: "means nothing with 'connect=true'")
        try parts.permit(["retry"], if: connects, otherwise: "takes 'connect=true'")
        var settings = ConnectionSettings()
        settings.kind = kind
        if kind == .stream {
            try settings.readStream(parts)
            settings.acknowledges = options.flag(CommonOptions.acknowledges.name)
        } else {
            settings.boundary = options.boundary
            settings.lineLimit = options.integer("max-line")
        }
        settings.connectionLimit = options.integer("connections")
        settings.rate = options.integerIfGiven("rate")
        settings.idle = options.durationIfGiven("idle")
        settings.accept = options.integerIfGiven("accept")
        settings.drain = options.duration("drain")
        settings.filter = try filter(options, whole)
        let meter = TransportMeter()
        let acceptor: ConnectionAcceptor
        if connects {
            acceptor = ConnectionAcceptor(
                connectingTo: try place(parts),
                longestPause: options.duration("retry"),
                address: whole
            )
        } else {
            acceptor = ConnectionAcceptor(try listener(parts, meter), address: whole)
        }
        return try ConnectionSource(
            acceptor,
            settings: settings,
            meter: meter,
            address: whole,
            interruption: interruption
        )
    }

    /// Whether a source has several connections at a time.
    func mixesSenders(_ parts: TransportAddress) -> Bool {
        let options = parts.options
        return !options.flag("connect") && options.integerIfGiven("accept") != 1 && options.integer("connections") != 1
    }

    // MARK: Places

    private func place(_ parts: TransportAddress) throws(TransportError) -> SocketPlace {
        guard !isPort else {
            let host = try HostAddress(parts.place, whole: parts.whole, loopback: false)
            guard host.address.port != 0 else {
                throw .badAddress(address: parts.whole, reason: "there is no port 0 to connect to")
            }
            return .port(host.address)
        }
        return .unix(try parts.options.unixSettings(parts.place, address: parts.whole).place, kind)
    }

    private func listener(_ parts: TransportAddress, _ meter: TransportMeter) throws(TransportError) -> SocketListener {
        guard isPort else {
            return try SocketListener(
                try parts.options.unixSettings(parts.place, address: parts.whole),
                kind: kind,
                inherited: inherited,
                address: parts.whole
            )
        }
        return try SocketListener(port: parts.place, of: parts, inherited: inherited, meter: meter)
    }

    private func filter(_ options: OptionValues, _ whole: String) throws(TransportError) -> ConnectionFilter? {
        guard isPort else { return try options.peerFilter(address: whole).map { .users($0) } }
        let ranges = try options.ranges(address: whole)
        return ranges.isEmpty ? nil : .hosts(ranges)
    }

    // MARK: Sinks

    func openSink(_ parts: TransportAddress) throws(TransportError) -> OutboxSink {
        let whole = parts.whole
        let options = parts.options
        let listens = options.flag("listen")
        try parts.permit(
            ["readers", "reader-buffer", "slow"] + listening.map(\.name),
            if: listens,
            otherwise: "takes 'listen=true'"
        )
        try parts.permit(["retry"], if: !listens, otherwise: "means nothing with 'listen=true'")
        try parts.permitSpillLimit()
        var settings = options.outboxSettings()
        if kind == .packets {
            settings.datagram = options.integer("datagram")
            settings.linesPerDatagram = options.integerIfGiven("lines") ?? .max
        }
        let meter = TransportMeter()
        let poller = try Poller(address: whole)
        let link: any OutgoingLink
        if listens {
            link = ServerLink(
                try listener(parts, meter),
                kind: kind,
                poller: poller,
                meter: meter,
                readerLimit: options.integer("readers"),
                readerBuffer: options.integer("reader-buffer"),
                slow: ServerLink.Slow(rawValue: options.text("slow")) ?? .disconnect,
                filter: try filter(options, whole)
            )
        } else {
            link = try ClientLink.open(try place(parts), poller: poller, meter: meter, address: whole)
        }
        return try OutboxSink(
            link,
            settings: settings,
            spill: try options.spill(address: whole),
            poller: poller,
            meter: meter,
            address: whole,
            interruption: interruption
        )
    }
}

extension ClientLink {
    /// Makes a link, and tries it once: what can never work fails at once, and what may still come is waited for.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` where permission is lacking, or it is no such socket.
    static func open(
        _ place: SocketPlace,
        poller: Poller,
        meter: TransportMeter,
        address: String
    ) throws(TransportError) -> ClientLink {
        _ = try place.address(for: address)
        let link = ClientLink(.connection(place), poller: poller, meter: meter, address: address)
        guard let error = link.open() else { return link }
        switch error {
        case .missing, .refused, .wouldBlock, .unreachable:
            meter.note("'\(address)' cannot be written to: \(error); it is tried again")
            return link
        default: throw .cannotOpen(address: address, reason: "\(error)")
        }
    }
}
