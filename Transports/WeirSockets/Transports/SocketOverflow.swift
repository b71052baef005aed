/// What happens to a message or a datagram when a buffer is full; the raw value is the word of the option.
package enum SocketOverflow: String, Sendable, CaseIterable {
    /// A sink makes its writer wait. A source leaves datagrams in the kernel, which drops what does not fit, and counts it.
    case block
    /// The new one is dropped, and counted.
    case dropNewest = "drop-newest"
    /// The oldest of those that wait are dropped for it, and counted.
    case dropOldest = "drop-oldest"

    /// What becomes of messages that are sent, for people.
    var consequence: String {
        switch self {
        case .block: "what follows waits until there is room"
        case .dropNewest: "what follows is dropped and counted until there is room"
        case .dropOldest: "the oldest in the buffer are dropped and counted until there is room"
        }
    }
}
