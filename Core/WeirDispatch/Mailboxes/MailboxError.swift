public import WeirCore

/// What can go wrong with a mailbox.
public enum MailboxError: Error, Hashable, Sendable {
    /// The capacity, which is attached, is not a power of two between 1 and 2³⁰.
    case invalidCapacity(Int)

    /// There is no memory for the slots.
    case outOfMemory

    /// More elements were waiting at one place than it has room for, and its policy is to fail.
    case overflow(priority: Priority, order: DispatchOrder, capacity: Int)
}

extension MailboxError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidCapacity(let capacity):
            "the capacity of a mailbox has to be a power of two between 1 and 2^30, not \(capacity)"
        case .outOfMemory:
            "there is no memory for the slots of the mailbox"
        case .overflow(let priority, let order, let capacity):
            "more than \(capacity) elements were waiting in the \(order) of priority \(priority), whose overflow "
                + "policy is to fail; give it a larger capacity or another policy"
        }
    }
}
