public import WeirCore

/// What a transport counted: where every message that was sent to it is now.
///
/// A message is what the transport keeps whole: a line, a frame, or a datagram with all the lines in it. At any moment,
/// also while traffic flows,
///
/// ```text
/// sent == delivered + pending + rejected (by cause) + dropped (by cause)
/// ```
///
/// where the left side is counted as messages come in, and the right side as they go out.
@frozen
public struct TransportMetrics: Sendable, Hashable {
    /// Why a source refused a message.
    public enum Rejection: String, Sendable, CaseIterable {
        /// Its sender's address or user is not on the list, or there are more senders than can be told apart.
        case notAllowed = "not allowed"
        /// It is longer than the limit.
        case tooLong = "too long"
        /// A datagram was longer than the buffer for it; what arrived of it is no whole message.
        case truncated
        /// Its connection ended in the middle of it.
        case unfinished
        /// It is not framed as was agreed upon.
        case malformed
        /// Its signature is not made with the key.
        case badSignature = "bad signature"
        /// It came a second time, or is older than the window.
        case replayed
        /// It repeats the header that another connection began with; nothing in it is lost.
        case header
        /// Its connection begins with another header than the first one.
        case otherHeader = "other header"
    }

    /// Where a message was lost that was not refused.
    public enum Drop: String, Sendable, CaseIterable {
        /// In the kernel, whose receive buffer was full.
        case kernel = "by the kernel"
        /// In the transport's own queue, which was full.
        case queueFull = "queue full"
        /// In the transport's own queue, to make room for a newer one.
        case oldest = "oldest in the queue"
        /// It was not taken before the sink was closed.
        case unsent
        /// The other side refused it, such as a datagram for a port without a listener.
        case refused
        /// It was too long to be sent.
        case tooLongToSend = "too long to send"
        /// It was damaged in the file that it was spilled to.
        case damaged = "damaged in the spill"
        /// The transport was closed while it waited to be read.
        case unread
        /// All readers that it was kept for left, or were disconnected, before they took it.
        case untaken = "taken by no reader"
    }

    /// The messages that the transport took in.
    public package(set) var arrived: UInt64 = 0

    /// Their bytes.
    public package(set) var arrivedBytes: UInt64 = 0

    /// The messages that were handed on: by a source to its reader, by a sink to the system.
    ///
    /// Also blank lines and empty frames, which formats pass over.
    public package(set) var delivered: UInt64 = 0

    /// Whether nothing says that what is sent arrives, as with UDP.
    package var isUnconfirmed = false

    /// The messages that wait in the transport: in its queue, or in the file that it spills to.
    public package(set) var pending: UInt64 = 0

    /// The messages that senders numbered and that never came, neither in order nor a little later.
    ///
    /// Counts what was lost anywhere between the two transports, also what the kernel dropped here.
    public package(set) var lost: UInt64 = 0

    /// The bytes that are known to be lost and cannot be told apart into messages, such as those of a followed file that
    /// was emptied before they were read.
    public package(set) var lostBytes: UInt64 = 0

    /// The connections that are open.
    public package(set) var openConnections: UInt64 = 0

    /// The connections that were made.
    public package(set) var connections: UInt64 = 0

    /// The connections that were closed because of who made them.
    public package(set) var refusedConnections: UInt64 = 0

    /// The readers that a sink disconnected because they did not keep up.
    public package(set) var slowReaders: UInt64 = 0

    private var rejections = [UInt64](repeating: 0, count: Rejection.allCases.count)
    private var drops = [UInt64](repeating: 0, count: Drop.allCases.count)

    /// Creates metrics of nothing.
    public init() {}

    /// How many messages were sent to the transport, as far as that can be known on this side.
    public var sent: UInt64 { arrived + self[.kernel] }

    /// How many messages were refused for a cause.
    public package(set) subscript(cause: Rejection) -> UInt64 {
        get { rejections[cause.index] }
        set { rejections[cause.index] = newValue }
    }

    /// How many messages were lost for a cause.
    public package(set) subscript(cause: Drop) -> UInt64 {
        get { drops[cause.index] }
        set { drops[cause.index] = newValue }
    }

    /// How many messages were refused in all.
    public var rejected: UInt64 { rejections.reduce(0, +) }

    /// How many messages were lost in all.
    public var dropped: UInt64 { drops.reduce(0, +) }

    /// Whether every message is accounted for, as it must always be.
    public var isBalanced: Bool { sent == delivered + pending + rejected + dropped }
}

extension TransportMetrics: CustomStringConvertible {
    /// The counts that are not zero, in words.
    public var description: String {
        var parts =
            isUnconfirmed
            ? ["\(sent) to send", "\(delivered) sent"] : ["\(sent) sent", "\(delivered) delivered"]
        if sent == 0 && lostBytes > 0 { parts = [] }
        if pending > 0 { parts.append("\(pending) pending") }
        parts += Rejection.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) rejected (\($0.rawValue))" }
        parts += Drop.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) dropped (\($0.rawValue))" }
        if lostBytes > 0 { parts.append("\(lostBytes) bytes lost") }
        if lost > 0 { parts.append("\(lost) lost on the way") }
        if refusedConnections > 0 { parts.append("\(refusedConnections) connections refused") }
        if slowReaders > 0 { parts.append("\(slowReaders) slow readers disconnected") }
        return parts.joined(separator: ", ")
    }
}

extension TransportMetrics.Rejection {
    fileprivate var index: Int {
        switch self {
        case .notAllowed: 0
        case .tooLong: 1
        case .truncated: 2
        case .unfinished: 3
        case .malformed: 4
        case .badSignature: 5
        case .replayed: 6
        case .header: 7
        case .otherHeader: 8
        }
    }
}

extension TransportMetrics.Drop {
    fileprivate var index: Int {
        switch self {
        case .kernel: 0
        case .queueFull: 1
        case .oldest: 2
        case .unsent: 3
        case .refused: 4
        case .tooLongToSend: 5
        case .damaged: 6
        case .unread: 7
        case .untaken: 8
        }
    }
}

extension TransportMetrics: MetricSnapshot {
    /// The numbers, each with its name; the causes of rejections and drops are labels.
    ///
    /// - Parameter labels: What all of them get, such as the address of the transport.
    /// - Returns: The numbers, always the same ones in the same order.
    public func samples(_ labels: [String: String]) -> [Metric] {
        var list = MetricList("weir_transport", labels)
        list.counter("messages", sent)
        list.counter("delivered", delivered)
        list.counter("lost", lost)
        list.counter("lost_bytes", lostBytes)
        for cause in Rejection.allCases { list.counter("rejected", cause: cause.rawValue, self[cause]) }
        for cause in Drop.allCases { list.counter("dropped", cause: cause.rawValue, self[cause]) }
        list.gauge("pending_messages", Double(pending))
        list.gauge("open_connections", Double(openConnections))
        return list.metrics
    }
}
