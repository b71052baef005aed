public import WeirCore

/// How many elements may wait at one place of a mailbox, and what happens to those that find it full.
public struct MailboxBound: Hashable, Sendable {
    /// How many elements may wait: a power of two between 1 and 2³⁰.
    ///
    /// With `OverflowPolicy.latest` always one.
    public var capacity: Int

    /// What happens to an element that finds all places taken.
    public var overflowPolicy: OverflowPolicy

    /// Creates a bound.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait: a power of two between 1 and 2³⁰.
    ///   - overflowPolicy: What happens to an element that finds all places taken.
    public init(capacity: Int = 1024, overflowPolicy: OverflowPolicy = .block) {
        self.capacity = capacity
        self.overflowPolicy = overflowPolicy
    }
}

/// The bounds of a mailbox: one for each priority's queue and one for its stack.
///
///     var bounds = MailboxBounds(capacity: 4096)
///     bounds[.lowest, .queue] = MailboxBound(capacity: 64, overflowPolicy: .dropOldest)
public struct MailboxBounds: Hashable, Sendable {
    /// By lane, in the order in which the consumer empties them.
    var lanes: [MailboxBound]

    /// Creates bounds that are the same everywhere.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait at each place: a power of two between 1 and 2³⁰.
    ///   - overflowPolicy: What happens to an element that finds all places taken.
    public init(capacity: Int = 1024, overflowPolicy: OverflowPolicy = .block) {
        let bound = MailboxBound(capacity: capacity, overflowPolicy: overflowPolicy)
        lanes = Array(repeating: bound, count: MailboxLane.count)
    }

    /// The bound of one priority's queue or stack.
    ///
    /// - Parameters:
    ///   - priority: The priority.
    ///   - order: The queue or the stack.
    public subscript(priority: Priority, order: DispatchOrder) -> MailboxBound {
        get { lanes[Int(MailboxLane.number(priority, order))] }
        set { lanes[Int(MailboxLane.number(priority, order))] = newValue }
    }
}

/// The numbers of lanes in C: all stacks before all queues, by priority within each.
@usableFromInline
enum MailboxLane {
    static let count = 10

    @inlinable
    static func number(_ priority: Priority, _ order: DispatchOrder) -> UInt32 {
        UInt32(order.rawValue) &* 5 &+ UInt32(priority.rawValue)
    }

    @inlinable
    static func priority(_ lane: UInt32) -> Priority {
        // Five levels twice: every remainder is one of the five.
        unsafe Priority(rawValue: UInt8(truncatingIfNeeded: lane >= 5 ? lane &- 5 : lane)).unsafelyUnwrapped
    }

    @inlinable
    static func order(_ lane: UInt32) -> DispatchOrder {
        lane < 5 ? .stack : .queue
    }
}
