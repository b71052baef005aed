internal import WeirCore

/// How a sink keeps what it cannot send yet.
struct OutboxSettings: Sendable {
    /// What to do with a message when the buffer is full, and so is the spill where there is one.
    enum Overflow: String, Sendable, CaseIterable {
        /// Whoever writes waits; nothing is lost.
        case block
        case dropNewest = "drop-newest"
        case dropOldest = "drop-oldest"

        /// What becomes of messages, for people.
        var consequence: String {
            switch self {
            case .block: "what follows waits until there is room"
            case .dropNewest: "what follows is dropped and counted until there is room"
            case .dropOldest: "the oldest in the buffer are dropped and counted until there is room"
            }
        }
    }

    /// How many bytes to keep.
    var buffer = 8 << 20
    var overflow = Overflow.block

    /// What ends a message in what is written.
    var boundary = Boundary.lines

    /// The longest datagram, in bytes, without what seals it; `nil` for streams.
    var datagram: Int?

    /// How many lines go into a datagram at most.
    var linesPerDatagram = Int.max

    /// The longest wait between two attempts.
    var retry = Duration.seconds(5)

    /// How long the end waits for what is still kept.
    var linger = Duration.seconds(5)
}
