internal import WeirCore

/// What a source of datagrams takes.
struct DatagramSettings: Sendable {
    var boundary = Boundary.lines

    /// How long a datagram may be, in bytes.
    var limit = 65_536
    var queue = 16 << 20
    var overflow = DatagramOverflow.block
    var allowed: [NetworkRange] = []
    var filter: PeerFilter?
    var seal: DatagramSeal?
    var window = Duration.seconds(30)
    var drain = Duration.seconds(1)

    /// Whether the kernel says with each datagram how many it dropped, because it cannot be asked.
    var hearsOfDrops = false

    /// Whether the kernel keeps what arrives in a tenth of a millisecond, so that nobody has to wait or is dropped while
    /// it gathers.
    var canGather = false
}
