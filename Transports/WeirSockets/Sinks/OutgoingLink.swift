internal import WeirCore

/// The way from a sink to those who take what it sends.
///
/// Thread safety: the sink's thread alone.
protocol OutgoingLink: AnyObject {
    /// Whether there is somebody to send to.
    var isUp: Bool { get }

    /// Tries to find somebody.
    ///
    /// - Returns: Why that did not work; `nil` when it did, or when somebody may come by himself.
    func open() -> SystemError?

    /// Parts with whoever there is.
    func close()

    /// Sends what is left of a batch, as far as that goes without waiting.
    func send(_ batch: inout OutgoingBatch) -> Sending

    /// Whether everything that was handed to the link has left it.
    var isFlushed: Bool { get }

    /// Takes note of what the poller found; tokens from 2 are the link's.
    func handle(token: UInt64, ready: Interest)
}

/// How sending went.
struct Sending {
    enum Status {
        case done
        /// The poller will say when it goes on.
        case blocked
        /// The other side is gone.
        case failed(SystemError)
    }

    var status: Status

    /// How many messages were sent.
    var delivered: UInt64 = 0

    /// How many messages could not be sent at all.
    var tooLong: UInt64 = 0

    /// How many messages that seemed sent were not.
    var refused: UInt64 = 0

    init(_ status: Status, delivered: UInt64 = 0) {
        self.status = status
        self.delivered = delivered
    }
}
