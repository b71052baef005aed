internal import WeirSockets

/// What a source reads.
struct NATSSourceSettings: Sendable {
    /// Where a source without a durable consumer begins in its stream.
    enum Start: String, CaseIterable {
        case all, new, last
    }

    var subject: String

    /// The stream; without one, what is published while the source is there.
    var stream: String?

    /// The consumer that remembers what was read.
    var durable: String?
    var start = Start.all
    var boundary = Boundary.lines

    /// How many messages a request to the stream asks for.
    var batch = 1024

    /// After an interruption, how long what was published before is still read.
    var drain = Duration.seconds(1)
}
