package import WeirCore

/// What a partition has found and knows by a place in its input.
package struct PartitionCommit: Sendable {
    package let partition: Int

    /// The number of the commit that this one follows; 0 where it is the first.
    package let revision: UInt64

    /// The last message that was handled.
    package let position: UInt64

    /// What was found since the commit before: lines, each with its end.
    package let outputs: [UInt8]

    /// What is known; `nil` where it is the same as before.
    package let state: [UInt8]?

    /// How far time is in this partition, for those who read the outputs of all.
    package let mark: TimeMark?

    /// Whether another member goes on from here, which has made ready for it.
    package let isHandover: Bool

    package init(
        partition: Int,
        revision: UInt64,
        position: UInt64,
        outputs: [UInt8],
        state: [UInt8]?,
        mark: TimeMark? = nil,
        isHandover: Bool = false
    ) {
        self.partition = partition
        self.revision = revision
        self.position = position
        self.outputs = outputs
        self.state = state
        self.mark = mark
        self.isHandover = isHandover
    }
}

/// How far time is in a part of the input.
package struct TimeMark: Sendable, Hashable {
    /// Outputs that follow are not older, in nanoseconds since 1970.
    package let time: Int64

    /// Whether nothing has come for a while: then others do not wait for this part.
    package let isIdle: Bool

    package init(time: Int64, isIdle: Bool) {
        self.time = time
        self.isIdle = isIdle
    }
}

/// Where a partition goes on.
package struct PartitionPlace: Sendable, Hashable {
    /// The number of the commit.
    package let revision: UInt64
    package let position: UInt64

    /// What is known; `nil` where that was lost, and the partition goes on without it.
    package let state: [UInt8]?

    package init(revision: UInt64, position: UInt64, state: [UInt8]?) {
        self.revision = revision
        self.position = position
        self.state = state
    }
}

/// The input of a group, divided into partitions, and what the group has found and knows of each.
///
/// The messages of all partitions are numbered together, from 1 on. A commit is kept as a whole or not at all, and only where
/// it follows the last one: of two members that work at the same partition, one is refused. That, and no clock, keeps
/// outputs from being lost or doubled.
///
/// It is all that a group needs of a server; NATS JetStream is one. Another one that has numbered messages and transactions
/// can take its place.
///
/// Thread safety: one thread at a time.
package protocol PartitionLog: AnyObject {
    /// The last commits of partitions.
    ///
    /// - Returns: The commits, by their partitions; one that has none is not among them.
    /// - Throws: ``GroupError``.
    func lastCommits(of partitions: Set<Int>) throws(GroupError) -> [Int: PartitionPlace]

    /// Keeps commits.
    ///
    /// - Parameter commits: At most one for each partition.
    /// - Returns: Their numbers, in their order; or why one was not kept. With ``GroupError/Kind/unreachable`` it may have
    ///   been kept, or may still be.
    func commit(_ commits: [PartitionCommit]) -> [Result<UInt64, GroupError>]

    /// Says which partitions ``receive(until:_:)`` returns messages of from now on.
    ///
    /// - Parameter positions: The last message of each that was handled; 0 where there was none.
    /// - Throws: ``GroupError``, also where messages behind that were removed.
    func read(_ positions: [Int: UInt64]) throws(GroupError)

    /// Makes ready what ``read(_:)`` will need for partitions that are another member's and about to come, so that they pause
    /// for less time.
    ///
    /// No messages of theirs are returned, and nothing depends on it: they may not come, or come without it.
    ///
    /// It takes several calls, so that others do not wait for it.
    ///
    /// - Parameter partitions: All such partitions; for others that were made ready that is undone.
    /// - Returns: Whether all is ready.
    /// - Throws: ``GroupError``.
    func prepare(_ partitions: Set<Int>) throws(GroupError) -> Bool

    /// Waits for messages.
    ///
    /// - Parameters:
    ///   - limit: Until when to wait where there are none, and nothing is left to make ready.
    ///   - body: Called with each message: its partition, its number and what it says. The messages of a partition come in
    ///     the order of their numbers; some may come twice, and some that were handled.
    /// - Throws: ``GroupError``. Messages may be missing then: ``read(_:)`` has to say once more where to go on.
    func receive(
        until limit: Timestamp,
        _ body: (_ partition: Int, _ number: UInt64, _ payload: ArraySlice<UInt8>) -> Void
    ) throws(GroupError)

    /// Says who gets the marks of time among the messages, in the order of these: the partition, the number, the part of the
    /// input that a mark is of, and the mark. A log whose input has none calls nobody.
    func observeMarks(_ body: @escaping (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void)

    /// Whether all messages have come, as far as the server has said.
    var isCaughtUp: Bool { get }

    /// How many outputs of commits that were kept were left out, because the server takes none of that size.
    var lostOutputCount: UInt64 { get }

    /// Up to which number there are no more messages of a partition to come.
    ///
    /// It holds for the partitions of the last ``read(_:)``, until something is thrown.
    func frontier(of partition: Int) -> UInt64
}

extension PartitionLog {
    package var isCaughtUp: Bool { true }

    package var lostOutputCount: UInt64 { 0 }

    package func observeMarks(
        _ body: @escaping (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void
    ) {}
}
