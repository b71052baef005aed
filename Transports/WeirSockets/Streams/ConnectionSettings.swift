internal import WeirCore

/// What a source of connections takes from them.
struct ConnectionSettings: Sendable {
    var boundary = Boundary.lines
    var kind = SocketKind.stream
    var lineLimit = 64 << 10
    var connectionLimit = 1024

    /// Bytes a second for each connection.
    var rate: Int?
    var idle: Duration?
    var deliversUnfinished = false
    var sharesHeader = false

    /// Whether senders are told how many of their messages are safe.
    var acknowledges = false
    var filter: ConnectionFilter?

    /// How many connections to take in all.
    var accept: Int?
    var drain = Duration.seconds(1)

    /// How many bytes may come at once where there is a rate: a second's worth.
    var burst: Int { max(rate ?? 0, 1) }
}
