internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Streams of bytes over TCP: `tcp://HOST:PORT`.
///
/// A source listens, reads the lines of all connections, and lets a sender wait while the engine is busy, so nothing is
/// lost. It binds this machine's loopback address unless a host is named (`tcp://:9000`), so that strangers cannot reach it
/// by accident; `*` stands for all addresses of IPv4, `[::]` for all of IPv6. A sink connects to a listener, and keeps what
/// it has while there is none. `connect=true` and `listen=true` swap the two roles. A host's name is looked up once, when the
/// address is opened.
///
/// What a sink counts as delivered was handed to the system. When a connection breaks, the messages that the other side's
/// system has not acknowledged count as refused, and a notice says so; the end waits for the last acknowledgement. What the
/// other program does with what its system has taken, TCP does not tell.
///
/// There is no encryption: a program such as stunnel, haproxy or `socat` in front of the port does that, and the address
/// stays the loopback one.
///
///     let source = try TCPTransport().openSource("//:9000?idle=5m&connections=64")
///
/// Thread safety: any thread may open addresses.
public struct TCPTransport: Transport {
    public let scheme = "tcp"
    public let summary =
        "Connections of TCP, //HOST:PORT; a source that listens, on the loopback address where no host is named, and a sink that connects."

    private let streams: ConnectionTransport

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources and sinks, where something can.
    ///   - inherited: The sockets that the program was started with.
    public init(interruption: Interruption? = nil, inherited: InheritedSockets = .none) {
        streams = ConnectionTransport(.stream, isPort: true, interruption, inherited)
    }

    public var sourceOptions: [OptionDeclaration] { streams.sourceOptions }
    public var sinkOptions: [OptionDeclaration] { streams.sinkOptions }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        try streams.openSource(TransportAddress(ofSource: address, self))
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        try streams.openSink(TransportAddress(ofSink: address, self))
    }
}

extension TCPTransport: SharedTransport {
    package func mixesSenders(_ address: String) -> Bool {
        (try? TransportAddress(ofSource: address, self)).map(streams.mixesSenders) ?? false
    }
}
