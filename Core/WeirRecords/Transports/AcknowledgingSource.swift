/// A source that tells those who send what of theirs is safe.
package protocol AcknowledgingSource: TransportSource {
    /// Whether the senders want to know.
    var acknowledges: Bool { get }

    /// Notes that what was handed out is safe; called by the thread that reads.
    ///
    /// - Parameter byteCount: How many of the bytes that were handed out, from the first one on.
    func acknowledge(_ byteCount: Int64)
}
