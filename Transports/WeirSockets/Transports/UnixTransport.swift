internal import CWeirSockets
internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Streams of bytes over a Unix socket: `unix:PATH`, or `unix:@NAME` for a name that is no file, on Linux.
///
/// A source listens, reads the lines of all connections, and lets a sender wait while the engine is busy, so nothing is
/// lost. A sink connects to a listener, and keeps what it has while there is none. `connect=true` and `listen=true`
/// swap the two roles.
///
/// The file is made with mode 0600; a file that no program listens at any more is removed before, and this one at the end.
public struct UnixTransport: Transport {
    public let scheme = "unix"
    public let summary =
        "A Unix socket with connections, PATH or @NAME; a source that listens and a sink that connects."

    private let streams: ConnectionTransport

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources and sinks, where something can.
    ///   - inherited: The sockets that the program was started with.
    public init(interruption: Interruption? = nil, inherited: InheritedSockets = .none) {
        streams = ConnectionTransport(.stream, interruption, inherited)
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

/// Packets over a Unix socket with connections: `unix-seqpacket:PATH`.
///
/// Each packet is a message, and none gets lost.
/// Not on Apple's systems, which do not have them.
public struct UnixPacketTransport: Transport {
    public let scheme = "unix-seqpacket"
    public let summary = "A Unix socket with connections that keep packets apart; a source and a sink."

    private let packets: ConnectionTransport

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources and sinks, where something can.
    ///   - inherited: The sockets that the program was started with.
    public init(interruption: Interruption? = nil, inherited: InheritedSockets = .none) {
        packets = ConnectionTransport(.packets, interruption, inherited)
    }

    public var sourceOptions: [OptionDeclaration] { packets.sourceOptions }
    public var sinkOptions: [OptionDeclaration] { packets.sinkOptions }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        try packets.openSource(TransportAddress(ofSource: address, self))
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        try packets.openSink(TransportAddress(ofSink: address, self))
    }
}

extension UnixTransport: SharedTransport {
    package func mixesSenders(_ address: String) -> Bool {
        (try? TransportAddress(ofSource: address, self)).map(streams.mixesSenders) ?? false
    }
}

extension UnixPacketTransport: SharedTransport {
    package func mixesSenders(_ address: String) -> Bool {
        (try? TransportAddress(ofSource: address, self)).map(packets.mixesSenders) ?? false
    }
}
