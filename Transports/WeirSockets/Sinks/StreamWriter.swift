internal import CWeirSockets
internal import WeirRecords

/// Sends batches through a stream of bytes, and knows what of it the other side has not taken, where the system tells.
struct StreamWriter {
    private var tail: SentTail?

    /// Whether something was sent since the stream was opened.
    private(set) var hasSent = false

    /// Creates a writer.
    ///
    /// - Parameter knowsTail: Whether the system tells how much the other side has taken.
    init(knowsTail: Bool) {
        tail = knowsTail ? SentTail() : nil
    }

    /// Begins with a new stream.
    mutating func begin() {
        hasSent = false
        tail?.removeAll()
    }

    /// Sends what is left of a batch, as far as that goes without waiting.
    ///
    /// - Returns: How that went.
    mutating func send(_ batch: inout OutgoingBatch, to descriptor: Int32) -> Sending {
        var delivered: UInt64 = 0
        while batch.restCount > 0 {
            let count = unsafe batch.bytes.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(descriptor, $0 + batch.offset, batch.restCount) }
                    ?? 0
            }
            if let error = SystemError(count) {
                let status = error.isTransient ? Sending.Status.blocked : .failed(LinkFailure(error))
                return Sending(status, delivered: delivered)
            }
            hasSent = true
            tail?.append(batch, batch.offset..<batch.offset + count) { cweir_net_untaken(descriptor) }
            delivered += batch.advance(bytes: count)
        }
        return Sending(.done, delivered: delivered)
    }

    /// How many messages of what was sent the other side has not taken yet.
    func untakenMessages(_ descriptor: Int32) -> UInt64 {
        guard let tail, descriptor >= 0, !tail.isEmpty else { return 0 }
        return tail.messages(inLast: cweir_net_untaken(descriptor))
    }
}
