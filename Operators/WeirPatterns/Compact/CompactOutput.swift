public import WeirCore

/// Takes the matches of a pattern, and what else its stream has to say.
public protocol CompactOutput: MatchReceiver, Sendable {
    /// Takes note that no event older than `watermark` will follow.
    mutating func advance(to watermark: Timestamp)

    /// Takes note that nothing follows.
    mutating func finish(_ completion: Completion)
}

extension MatchForwarder: CompactOutput {
    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
        own.cancel()
    }
}
