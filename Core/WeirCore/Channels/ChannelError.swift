/// What can go wrong in a channel.
public enum ChannelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More elements were waiting than the channel has room for, and its policy is to fail.
    case overflow(capacity: Int)

    public var description: String {
        switch self {
        case .overflow(let capacity):
            "more than \(capacity) elements were waiting in a channel whose overflow policy is to fail; "
                + "give it a larger capacity or another policy"
        }
    }
}
