internal import WeirCore

/// What a source of requests takes.
struct HTTPSourceSettings: Sendable {
    var rules = HTTPRequest.Rules()
    var boundary = Boundary.lines
    var lineLimit = 64 << 10
    var headLimit = 16 << 10
    var sharesHeader = false
    var connectionLimit = 256

    /// How many bytes of bodies may be held at a time.
    var memory = 64 << 20

    /// How long a request may take from its first byte to its last, and its answer.
    var timeout = Duration.seconds(30)

    /// How long a connection is kept without a request.
    var idle = Duration.seconds(60)
    var drain = Duration.seconds(1)
    var filter: ConnectionFilter?
}
