/// What an operator does with what its memory, which has a limit, leaves no room for.
///
/// ``OverflowPolicy`` is the same for what waits between threads, where a publisher can wait, too.
@frozen
public enum LimitPolicy: String, Sendable, Hashable, Codable {
    /// Gives up the new one.
    case dropNewest
    /// Gives up what has been remembered longest, and keeps the new one.
    case dropOldest
    /// Fails the stream.
    case fail
}
