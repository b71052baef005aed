internal import WeirCore
internal import WeirDispatch

/// The connection, or connections, from a sink to its receivers.
///
/// Thread safety: the sink's thread alone.
package protocol OutgoingLink: AnyObject {
    /// Whether there is a receiver.
    var isUp: Bool { get }

    /// Whether opening proves that there is a receiver; otherwise sending does, and not the first time.
    var isProvenByOpening: Bool { get }

    /// Tries to reach a receiver.
    ///
    /// - Returns: Why that did not work; `nil` when it did, when it is not known yet, or when receivers connect to this side.
    func open() -> SystemError?

    /// Closes the connections.
    func close()

    /// Closes the connections for good.
    ///
    /// - Parameter deadline: Until when to wait where the other side has still to do with what it got.
    func finish(by deadline: Moment)

    /// Sends what is left of a batch, as far as that goes without waiting.
    func send(_ batch: inout OutgoingBatch) -> Sending

    /// Whether everything that was handed to the link has left it.
    var isFlushed: Bool { get }

    /// How many messages that were handed to the link have not left it; of several receivers, for the one that lacks most.
    var unflushedMessages: UInt64 { get }

    /// How many messages that seemed sent were refused after all, as far as that is known a moment after the last one.
    func lastRefusals() -> UInt64

    /// Whether the receiver that ``open()`` found is still to answer.
    var isConnecting: Bool { get }

    /// When to send again though nothing has happened; `nil` where something will.
    var deadline: Moment? { get }

    /// Does what is due though nothing has happened; called when the deadline has come.
    ///
    /// - Returns: What it says of what was sent before, or that the link has failed.
    func tick(_ now: Moment) -> Sending?

    /// Handles an event of the poller; tokens from 2 are the link's.
    ///
    /// - Returns: What it says of what was sent before, or that opening failed after all.
    func handle(token: UInt64, ready: PollEvents) -> Sending?
}

extension OutgoingLink {
    package var isConnecting: Bool { false }
    package var deadline: Moment? { nil }
    package func tick(_ now: Moment) -> Sending? { nil }
    package func finish(by deadline: Moment) { close() }
    package func lastRefusals() -> UInt64 { 0 }
    package var unflushedMessages: UInt64 { 0 }
}

/// How sending went.
package struct Sending {
    package enum Status {
        case done
        /// The poller will say when it goes on.
        case blocked
        /// The other side is gone, or does not want it now.
        case failed(LinkFailure)
    }

    package var status: Status

    /// How many messages were sent.
    package var delivered: UInt64 = 0

    /// How many messages could not be sent at all.
    package var tooLong: UInt64 = 0

    /// How many messages that seemed sent were not.
    package var refused: UInt64 = 0

    /// How many messages that counted as sent were taken by no reader.
    package var untaken: UInt64 = 0

    package init(_ status: Status, delivered: UInt64 = 0) {
        self.status = status
        self.delivered = delivered
    }
}

/// Why nothing can be sent.
package struct LinkFailure: Error {
    /// What is wrong, for people.
    package let reason: String

    /// How long to wait before the next attempt, in nanoseconds, where the other side or the link says so.
    package var pause: Int64?

    /// Whether there is no use in trying again.
    package var isFinal = false

    /// Whether the receiver ended as one does that has all that it wants.
    package var hadEnough = false

    package init(_ reason: String) {
        self.reason = reason
    }

    package init(_ error: SystemError) {
        reason = "\(error)"
    }
}
