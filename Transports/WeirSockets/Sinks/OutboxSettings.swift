internal import WeirCore

/// How a sink keeps what it cannot send yet.
package struct OutboxSettings: Sendable {
    /// How many bytes to keep.
    package var buffer = 8 << 20

    /// What to do with a message when the buffer is full, and so is the spill where there is one.
    package var overflow = SocketOverflow.block

    /// What ends a message in what is written.
    package var boundary = Boundary.lines

    /// The longest datagram, in bytes, without its header and signature; `nil` for streams.
    package var datagram: Int?

    /// How many lines go into a datagram at most.
    package var linesPerDatagram = Int.max

    /// The longest wait between two attempts.
    package var retry = Duration.seconds(5)

    /// How long a batch may become by joining, in bytes: the next one waits until all of it was sent.
    package var batch = 64 << 10

    /// How long the end waits for what is still kept.
    package var linger = Duration.seconds(5)

    /// The same where the program is made to end; `nil` where that is no difference.
    package var lingerAtInterruption: Duration?

    /// How long the end waits before it says that it does.
    package var silence = Duration.seconds(5)
}
