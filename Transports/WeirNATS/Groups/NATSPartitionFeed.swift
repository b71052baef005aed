internal import WeirSockets

/// A consumer of some partitions' messages, which come in the order of their numbers.
///
/// What is lost on the way shows in the consumer's count; the consumer is made anew then, behind the last message.
///
/// An object, for each message is noted in it.
final class NATSPartitionFeed {
    /// The partitions, and the last message of each that was handed over.
    private(set) var partitions: PartitionTable<UInt64>

    /// Up to which number all messages were handed over.
    private(set) var handedOver: UInt64

    /// The number that the feed goes on with: what is before it has come.
    private(set) var next: UInt64

    /// How many messages the consumer has left, as far as it has said.
    private(set) var pending: UInt64?

    /// The consumer; `nil` where it is to be made.
    var consumer: JetStreamConsumer?

    /// What was asked for to make it.
    struct Making {
        let request: UInt64
        let name: String

        /// When another one is tried.
        let limit: Moment
    }

    /// The consumer that is being made.
    var making: Making?

    /// How often in a row nobody has answered.
    var silences = 0
    var pull: JetStreamPull

    /// The subscription of the consumer, and what the names of its inboxes have: what comes for another one is of a consumer
    /// that was given up.
    private(set) var subscription: UInt64 = 0

    /// The least number behind which the stream's numbers jumped since that was looked at; messages may have been removed
    /// there before they came.
    var jump: UInt64?

    private var count: UInt64 = 0

    /// How often the consumer says that it is there, in nanoseconds: it is on one server, and gone with that.
    private static let heartbeat: Int64 = 500_000_000

    /// Creates a feed without a consumer.
    ///
    /// - Parameters:
    ///   - partitions: The last message of each partition that was handed over.
    ///   - handedOver: Up to which number all messages were handed over.
    ///   - messageLimit: How many bytes a message may have.
    init(_ partitions: PartitionTable<UInt64>, handedOver: UInt64, messageLimit: Int) {
        self.partitions = partitions
        self.handedOver = handedOver
        next = handedOver + 1
        // A message that is longer than what a request permits would never come.
        pull = JetStreamPull(
            batch: 1024,
            byteLimit: max(4 << 20, messageLimit + NATSParser.headroom),
            heartbeat: Self.heartbeat
        )
    }

    /// Whether all that there was has come.
    var isCaughtUp: Bool { pending == 0 }

    /// Stops handing out messages of partitions.
    func remove(_ partition: Int) { partitions[partition] = nil }

    /// Notes that a message was handed over.
    func note(_ number: UInt64, of partition: Int) {
        guard let last = partitions[partition] else { return }
        partitions[partition] = max(last, number)
    }

    /// Notes that all was handed over that has come.
    func noteHandedOver() { handedOver = next - 1 }

    /// Forgets the consumer, so that another one is made.
    func forget() {
        consumer = nil
        pull.forget()
        count = 0
        pending = nil
    }

    /// Waits for a consumer that is being made.
    ///
    /// - Parameters:
    ///   - making: What was asked for.
    ///   - first: The number that it begins with, for what is before that the stream does not have.
    func wait(for making: Making, first: UInt64) {
        self.making = making
        next = max(next, first)
    }

    /// Begins with a consumer.
    ///
    /// - Parameters:
    ///   - consumer: The consumer.
    ///   - subscription: Where its messages come to.
    func begin(with consumer: JetStreamConsumer, _ subscription: UInt64) {
        self.consumer = consumer
        self.subscription = subscription
        pending = consumer.pending
        count = 0
    }

    /// Notes a message.
    ///
    /// - Returns: False where some before it are missing.
    func note(_ place: JetStreamPlace, _ now: Moment) -> Bool {
        pull.noteMessage(now)
        count += 1
        guard place.consumerSequence == count, place.streamSequence >= next else { return false }
        if place.streamSequence > next { jump = min(jump ?? next, next) }
        next = place.streamSequence + 1
        pending = place.pending
        return true
    }
}
