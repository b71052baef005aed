internal import CWeir
public import WeirCore

/// What a mailbox holds and has seen: a snapshot, which delays no thread.
///
/// Each number is right at some moment while the snapshot was made; taken together they are exact when no thread was at
/// work.
public struct MailboxMetrics: Hashable, Sendable {
    /// The numbers of one priority's queue or stack, or sums of them.
    public struct Lane: Hashable, Sendable {
        /// How many elements wait.
        public internal(set) var pending: UInt64 = 0

        /// How many elements were ever let in, whether they were taken, wait, or were dropped as the oldest or late.
        public internal(set) var accepted: UInt64 = 0

        /// The largest number that waited.
        ///
        /// Exact for stacks, for capacities up to 8, and when the place was full; otherwise too low by less than an
        /// eighth of the capacity and less than 64. A sum of it is an upper bound.
        public internal(set) var highWaterMark: UInt64 = 0

        /// How many new elements were dropped because the place was full.
        public internal(set) var droppedNewest: UInt64 = 0

        /// How many waiting elements were dropped to make room for newer ones.
        public internal(set) var droppedOldest: UInt64 = 0

        /// How many new elements were dropped because the mailbox was closed.
        public internal(set) var droppedWhenClosed: UInt64 = 0

        /// How many new elements were dropped because the one who alone makes room put them, or waits for who did.
        public internal(set) var droppedOwn: UInt64 = 0

        /// How many elements were let in at the very time when the mailbox closed, and dropped because the consumer had
        /// ended.
        public internal(set) var droppedLate: UInt64 = 0

        /// How many elements were dropped, for whatever cause.
        public var dropped: UInt64 {
            droppedNewest &+ droppedOldest &+ droppedWhenClosed &+ droppedOwn &+ droppedLate
        }

        /// How many elements the consumer has taken.
        public var taken: UInt64 { accepted &- pending &- droppedOldest &- droppedLate }
    }

    /// By lane, in the order in which the consumer empties them.
    var lanes: [Lane] = []

    /// How often the consumer was sent to sleep.
    public internal(set) var sleeps: UInt32 = 0

    /// How often the sleeping consumer was woken.
    public internal(set) var wakeUps: UInt32 = 0

    /// The numbers of one priority's queue or stack.
    ///
    /// - Parameters:
    ///   - priority: The priority.
    ///   - order: The queue or the stack.
    public subscript(priority: Priority, order: DispatchOrder) -> Lane {
        lanes[Int(MailboxLane.number(priority, order))]
    }

    /// The sums over all priorities, queues and stacks.
    public var total: Lane {
        lanes.reduce(into: Lane()) { sum, lane in
            sum.pending &+= lane.pending
            sum.accepted &+= lane.accepted
            sum.highWaterMark &+= lane.highWaterMark
            sum.droppedNewest &+= lane.droppedNewest
            sum.droppedOldest &+= lane.droppedOldest
            sum.droppedWhenClosed &+= lane.droppedWhenClosed
            sum.droppedOwn &+= lane.droppedOwn
            sum.droppedLate &+= lane.droppedLate
        }
    }
}

extension MailboxMetrics.Lane {
    init(_ numbers: cweir_mailbox_numbers_t) {
        pending = numbers.pending
        accepted = numbers.accepted
        highWaterMark = numbers.peak
        droppedNewest = numbers.dropped_newest
        droppedOldest = numbers.dropped_oldest
        droppedWhenClosed = numbers.dropped_closed
        droppedOwn = numbers.dropped_own
        droppedLate = numbers.dropped_late
    }
}
