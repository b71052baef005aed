package import WeirRecords

extension NATSTransport {
    /// What to look at where a server cannot be reached.
    static let advice = "; see whether nats-server runs there, and whether host and port are right"

    /// Sees whether there is a server for a sink.
    ///
    /// Where a stream is named, it may also come later.
    ///
    /// - Parameters:
    ///   - address: That of the sink.
    ///   - notice: Says that it takes long.
    /// - Throws: ``TransportError`` where there is none, with advice.
    package func reach(_ address: String, notice: (String) -> Void) throws(TransportError) {
        let parts = try TransportAddress(ofSink: address, self)
        let place = try NATSAddress(parts, allowsWildcards: false)
        let client = try NATSClient(
            try place.servers(),
            try Self.settings(place, parts.options),
            address: parts.whole,
            interruption: interruption
        )
        defer { client.close() }
        // What was read before an interruption is to be written.
        if client.isInterrupted { client.ignoreInterruption() }
        do throws(NATSError) { try client.connectOnce(notice: notice) } catch {
            if error.kind == .interrupted { throw .interrupted(address: parts.whole) }
            guard error.isTransient else { throw .cannotOpen(address: parts.whole, reason: error.reason) }
            guard parts.options.textIfGiven("stream") == nil else { return }
            throw .cannotOpen(address: parts.whole, reason: error.reason + Self.advice)
        }
    }
}
