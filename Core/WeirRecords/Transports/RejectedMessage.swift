/// A message that a source refused.
///
///     for message in source.meter?.takeRejectedMessages().messages ?? [] {
///         print(message.cause.rawValue, message.origin ?? "", message.bytes.count)
///     }
public struct RejectedMessage: Sendable, Hashable {
    /// Why it was refused.
    public let cause: TransportMetrics.Rejection

    /// Who sent it, such as `10.0.0.3:4711` or `user 1000`; `nil` where that is not known.
    public let origin: String?

    /// What arrived of it.
    public let bytes: [UInt8]
}

/// Refused messages that wait to be taken: a bounded number of bytes, whatever is sent.
struct RejectedMessages: Sendable {
    private var messages: [RejectedMessage] = []
    private var byteCount = 0
    private var omitted: UInt64 = 0

    private static let byteLimit = 1 << 20
    private static let countLimit = 4096

    var isEmpty: Bool { messages.isEmpty }

    /// Adds a message, or counts it where there is no room.
    ///
    /// A single message may be longer than the limit.
    ///
    /// - Returns: Whether it is the first one.
    mutating func add(
        _ cause: TransportMetrics.Rejection,
        _ bytes: UnsafeRawBufferPointer,
        from origin: () -> String?
    ) -> Bool {
        let isFirst = messages.isEmpty
        guard isFirst || (byteCount + bytes.count <= Self.byteLimit && messages.count < Self.countLimit) else {
            omitted += 1
            return false
        }
        unsafe messages.append(RejectedMessage(cause: cause, origin: origin(), bytes: Array(bytes)))
        byteCount += bytes.count
        return isFirst
    }

    /// Takes all messages, and the number of those that were not kept.
    mutating func take() -> (messages: [RejectedMessage], omitted: UInt64) {
        defer { self = RejectedMessages() }
        return (messages, omitted)
    }
}
