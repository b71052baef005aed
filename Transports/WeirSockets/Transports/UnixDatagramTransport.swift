internal import CWeirSockets
internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Datagrams over a Unix socket: `unix-dgram:PATH`, as `logger --socket` sends them.
///
/// Unlike those of UDP they do not get lost: while the receiver is busy, its senders wait.
public struct UnixDatagramTransport: Transport {
    public let scheme = "unix-dgram"
    public let summary = "A Unix socket for datagrams, PATH or @NAME; a source and a sink."

    private let interruption: Interruption?
    private let inherited: InheritedSockets

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources and sinks, where something can.
    ///   - inherited: The sockets that the program was started with.
    public init(interruption: Interruption? = nil, inherited: InheritedSockets = .none) {
        self.interruption = interruption
        self.inherited = inherited
    }

    public var sourceOptions: [OptionDeclaration] {
        CommonOptions.datagrams + CommonOptions.file + CommonOptions.peers
    }

    public var sinkOptions: [OptionDeclaration] {
        [CommonOptions.framing] + CommonOptions.packing + CommonOptions.buffering
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        let parts = try TransportAddress(ofSource: address, self)
        let whole = parts.whole
        var settings = parts.options.datagramSettings()
        settings.filter = try parts.options.peerFilter(address: whole)
        let unix = try parts.options.unixSettings(parts.place, address: whole)
        let listener = try SocketListener(unix, kind: .datagram, inherited: inherited, address: whole)
        if settings.filter != nil, let error = SystemError(cweir_net_pass_credentials(listener.descriptor)) {
            throw .cannotOpen(address: whole, reason: "the system does not say who sends a datagram: \(error)")
        }
        let meter = TransportMeter()
        ReceiveBuffer.grow(
            listener.descriptor,
            to: parts.options.integer("receive-buffer"),
            address: whole,
            meter: meter
        )
        return try DatagramSource(
            [listener.handOver()],
            settings: settings,
            listener: listener,
            address: whole,
            interruption: interruption,
            meter: meter
        )
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        let whole = parts.whole
        try parts.permitSpillLimit()
        var settings = parts.options.outboxSettings()
        settings.datagram = parts.options.integer("datagram")
        settings.linesPerDatagram = parts.options.integerIfGiven("lines") ?? .max
        let place = try UnixPlace(parts.place, inherits: false, address: whole)
        let meter = TransportMeter()
        let poller = try Poller(address: whole)
        return try OutboxSink(
            try ClientLink.open(.unix(place, .datagram), poller: poller, meter: meter, address: whole),
            settings: settings,
            spill: try parts.options.spill(address: whole),
            poller: poller,
            meter: meter,
            address: whole,
            interruption: interruption
        )
    }
}

extension UnixDatagramTransport: SharedTransport {
    package func mixesSenders(_ address: String) -> Bool { true }
}
