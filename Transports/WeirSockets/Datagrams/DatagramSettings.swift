internal import WeirCore

/// What a source of datagrams takes.
struct DatagramSettings: Sendable {
    var boundary = Boundary.lines

    /// How long a datagram may be, in bytes.
    var limit = 65_536
    var queue = 16 << 20
    var overflow = SocketOverflow.block
    var allowed: [NetworkRange] = []
    var filter: PeerFilter?
    var authenticator: DatagramAuthenticator?
    var window = Duration.seconds(30)
    var drain = Duration.seconds(1)

    /// Whether the kernel says with each datagram how many it dropped, because it cannot be asked.
    var hearsOfDrops = false

    /// Whether the kernel keeps what arrives in a tenth of a millisecond, so that no sender waits and nothing is
    /// dropped while they gather.
    var canGather = false

    /// Whether a datagram that arrived whole can be refused for what is in it.
    var canRefuseContents: Bool { authenticator != nil || boundary == .length }
}
