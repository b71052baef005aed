public import WeirCore

/// Takes the matches of a pattern, and what else its stream has to say.
public protocol CompactOutput: MatchReceiver, Sendable {
    /// Takes a watermark: no event that is older will follow.
    mutating func advance(to watermark: Timestamp)

    /// Takes the completion; called once.
    mutating func finish(_ completion: Completion)
}

extension MatchForwarder: CompactOutput {
    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
        own.cancel()
    }
}
