package import WeirCore
package import WeirGroups
internal import WeirRecords
internal import WeirSockets

/// The partitions of a group as messages of JetStream.
///
/// A partition of the input is a subject, `SUBJECT.NUMBER`. A commit is an atomic batch in one stream: the outputs, the
/// pieces of what is known, and a head that names the place in the input. The head has to follow the head of the commit
/// before, so that the batch of a member that does not know of another one's commit is refused as a whole. Head and pieces
/// take the place of those before them; outputs stay.
///
/// Of what is known and large, most commits have the changes alone: their pieces are kept behind those before, until it is
/// less to write all of it anew.
///
/// Thread safety: one thread at a time.
package final class NATSPartitionLog: PartitionLog {
    let client: NATSClient
    let places: NATSGroupPlaces
    private let clock: any TimeSource

    /// Says what people should know, such as what was skipped.
    let notice: (String) -> Void

    /// Whether to go on where messages were removed before they were read.
    let skipsRemoved: Bool

    /// How many lines of output a message has, unless there are too many for that.
    let linesPerMessage: Int

    /// Where the pieces are of what is known of each partition.
    var kept: [Int: NATSKeptState] = [:]

    /// What has been read of the states of partitions that are about to come.
    var preparedStates: [Int: NATSStateReading] = [:]

    /// How many bytes are kept of them, at most.
    var preparedLimit = 256 << 20

    /// How many bytes of them are asked for at once, and how long partitions that are here wait for these at most.
    var preparedReadLimit = 256 << 10
    var preparedReadTime = Duration.seconds(1)

    /// The partitions whose states are read, and how often it was asked how far these are.
    var prepared: Set<Int> = []
    var preparationCount = 0

    var feeds: [NATSPartitionFeed] = []

    /// The feed of partitions that are about to come, which is asked for nothing until one of them has.
    var preparedFeed: NATSPartitionFeed?

    /// The feed that takes the place of several, as soon as its consumer is there.
    var mergedFeed: NATSPartitionFeed?

    /// The names of consumers that are not used any more, and those that servers were asked to delete.
    var unused: [String] = []
    var deletions: [(name: String, request: UInt64)] = []

    /// When feeds are merged at the earliest: partitions that have just come do not wait for that too.
    var nextMerge = Moment(nanoseconds: 0)

    /// When something is made ready at the earliest, after that has failed.
    var nextPreparation = Moment(nanoseconds: 0)

    /// The feeds by their subscriptions.
    var feedOfSubscription: [UInt64: NATSPartitionFeed] = [:]
    var subscriptionNumber = NATSPartitionLog.firstSubscription

    /// Since when a stream is missing, or tells less than it told before.
    var doubtSince: Moment?

    /// Since when pieces of a commit are not to be found, by their partitions.
    var missingSince: [Int: (revision: UInt64, time: Moment)] = [:]

    /// For how long servers have to say such things until they hold, in nanoseconds.
    var doubt: Int64 = 15_000_000_000
    var feedOfPartition = PartitionTable<NATSPartitionFeed>()
    var failure: NATSError?
    package var lostOutputCount: UInt64 = 0
    var batchCount: UInt64 = 0

    /// Messages that have come: partitions, or -1 for one that is not wanted any more, numbers and where they end among the
    /// bytes.
    var arrived: [(partition: Int, number: UInt64, end: Int)] = []

    /// Marks of time among them: each before the message with this index.
    var marks: [(index: Int, partition: Int, number: UInt64, source: Int, mark: TimeMark)] = []
    private var noteMark: (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void = {
        _,
        _,
        _,
        _ in
    }

    /// The header that says how far time is in the partition of an output.
    static let markField = "Weir-Time"
    private var bytes: [UInt8] = []

    /// How many messages are handed over at a time, more or less.
    private static let turn = 8192

    /// How many bytes of messages wait, at most, before they are handled.
    private static let room = 4 << 20

    /// What the numbers of the feeds' subscriptions begin with.
    static let firstSubscription: UInt64 = 16

    init(
        _ client: NATSClient,
        _ places: NATSGroupPlaces,
        linesPerMessage: Int,
        skipsRemoved: Bool,
        clock: any TimeSource,
        notice: @escaping (String) -> Void
    ) {
        self.client = client
        self.places = places
        self.linesPerMessage = linesPerMessage
        self.skipsRemoved = skipsRemoved
        self.clock = clock
        self.notice = notice
        client.onConnection = { [unowned self] in
            for feed in feeds { forgetConsumer(of: feed) }
            repeatDeletions()
            // The others may have come further than what it would begin with.
            feeds.removeAll { $0 === mergedFeed }
            mergedFeed = nil
            feedOfSubscription = [:]
        }
        // Safety: the client calls it for each message, and only while the log calls the client.
        client.onMessage = { [unowned(unsafe) self] in unsafe take($0) }
        client.onRefusal = { [unowned self] in failure = NATSError(refusal: $0) }
    }

    // MARK: Reading

    package func observeMarks(
        _ body: @escaping (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void
    ) {
        noteMark = body
    }

    package func read(_ positions: [Int: UInt64]) throws(GroupError) {
        if let feed = mergedFeed.take() { end(feed) }
        kept = kept.filter { positions[$0.key] != nil }
        var known = feedOfPartition
        if let feed = preparedFeed, feed.partitions.keys.contains(where: { positions[$0] != nil }) {
            // What has not come yet is made ready once more.
            preparedFeed = nil
            for partition in feed.partitions.keys {
                // The stream may have removed what it was to begin with.
                guard let position = positions[partition], feed.next <= position + 1 else {
                    feed.remove(partition)
                    continue
                }
                known[partition]?.remove(partition)
                known[partition] = feed
                forgetArrived([partition])
            }
        }
        for feed in feeds where feed !== preparedFeed {
            for partition in feed.partitions.keys where positions[partition] == nil { feed.remove(partition) }
        }
        // What was given up and is gone on with begins anew, behind the last commit.
        feedOfPartition = PartitionTable()
        var new = PartitionTable<UInt64>()
        for (partition, position) in positions {
            if let feed = known[partition], let last = feed.partitions[partition], last <= position {
                feedOfPartition[partition] = feed
            } else {
                known[partition]?.remove(partition)
                new[partition] = position
            }
        }
        // What has come of them comes again.
        if !new.isEmpty { forgetArrived(Set(new.keys)) }
        if let feed = add(new) {
            for partition in new.keys { feedOfPartition[partition] = feed }
        }
        for feed in feeds where feed.partitions.isEmpty { end(feed) }
        do throws(NATSError) { try setUp() } catch { throw GroupError(error) }
    }

    /// Forgets what has come of some partitions and was not handed over.
    private func forgetArrived(_ partitions: Set<Int>) {
        for index in arrived.indices where partitions.contains(arrived[index].partition) {
            arrived[index].partition = -1
        }
        for index in marks.indices where partitions.contains(marks[index].partition) { marks[index].partition = -1 }
    }

    package func prepare(_ partitions: Set<Int>) throws(GroupError) -> Bool {
        // A whole input has marks, whose place is that of the commit.
        let wanted = places.isWhole ? [] : partitions
        if let feed = preparedFeed, Set(feed.partitions.keys) != wanted {
            preparedFeed = nil
            end(feed)
        }
        // Of those that have not come yet, what was read stays.
        preparedStates = preparedStates.filter { wanted.contains($0.key) }
        if !wanted.isSubset(of: prepared) { preparationCount = 0 }
        prepared = wanted
        guard !wanted.isEmpty else { return true }
        guard preparedFeed != nil || nextPreparation <= .now else { return false }
        do throws(NATSError) {
            if preparedFeed == nil {
                guard try prepareStates() else { return false }
                // Their owners go on from there: some messages come that they will have handled.
                let heads = try heads(of: wanted)
                var positions = PartitionTable<UInt64>()
                for partition in wanted { positions[partition] = heads[partition]?.head.position ?? 0 }
                preparedFeed = add(positions)
            }
            try setUp()
        } catch {
            nextPreparation = .now + Self.mergeInterval
            throw GroupError(error)
        }
        // It may have been given up.
        return preparedFeed?.consumer != nil
    }

    package func frontier(of partition: Int) -> UInt64 {
        guard let feed = feedOfPartition[partition], let last = feed.partitions[partition] else { return 0 }
        return max(last, feed.handedOver)
    }

    package var isCaughtUp: Bool { feeds.allSatisfy { !isAsked($0) || $0.isCaughtUp } }

    package func receive(
        until limit: Timestamp,
        _ body: (_ partition: Int, _ number: UInt64, _ payload: ArraySlice<UInt8>) -> Void
    ) throws(GroupError) {
        let wait = (limit - clock.now()).wholeNanoseconds
        // What is to be read of states does not wait for messages.
        let limit = isPreparingStates ? .now : Moment.now + wait
        do throws(NATSError) {
            repeat {
                if let failure {
                    self.failure = nil
                    client.giveUp()
                    throw failure
                }
                try client.connect()
                mergeFeeds()
                try setUp()
                // First what has come: it says that a consumer is there.
                try client.step(until: .now)
                try ask()
                if arrived.isEmpty { try client.step(until: nextWake(limit)) }
            } while arrived.isEmpty && marks.isEmpty && .now < limit
            // What is there already comes with it: a processor takes many at once for little more than one.
            var known = -1
            while arrived.count > known, arrived.count < Self.turn, bytes.count < Self.room {
                known = arrived.count
                try client.step(until: .now)
            }
        } catch {
            // What has come is handled all the same.
            if arrived.isEmpty, marks.isEmpty { throw GroupError(error) }
        }
        var start = 0
        var nextMark = 0
        func handOverMarks(before index: Int) {
            while nextMark < marks.count, marks[nextMark].index <= index {
                let found = marks[nextMark]
                if found.partition >= 0 { noteMark(found.partition, found.number, found.source, found.mark) }
                nextMark += 1
            }
        }
        for (index, message) in arrived.enumerated() {
            handOverMarks(before: index)
            if message.partition >= 0 {
                body(message.partition, message.number, bytes[start..<message.end])
                feedOfPartition[message.partition]?.note(message.number, of: message.partition)
            }
            start = message.end
        }
        handOverMarks(before: arrived.count)
        for feed in feeds { feed.noteHandedOver() }
        arrived.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.room)
        client.isFull = false
    }

    private func nextWake(_ limit: Moment) -> Moment {
        feeds.reduce(limit) { min($0, $1.pull.deadline ?? $0, $1.making?.limit ?? $0) }
    }

    /// Asks for more where little is outstanding.
    private func ask() throws(NATSError) {
        guard client.connection.isUp else { return }
        for feed in feeds where isAsked(feed) {
            guard let consumer = feed.consumer else { continue }
            while let next = feed.pull.request(.now) {
                // Nobody answers for a consumer whose server hangs, so another one is made, maybe elsewhere.
                guard feed.pull.silences < 2 else {
                    giveUp(feed)
                    break
                }
                try client.connection.say { words throws(NATSError) in
                    try words.publish(
                        "$JS.API.CONSUMER.MSG.NEXT.\(consumer.stream).\(consumer.name)",
                        reply: "\(client.inbox).feed.\(feed.subscription).\(next.number)",
                        next.payload[...]
                    )
                }
            }
        }
        try client.connection.flush()
    }

    private func take(_ message: NATSFrame.Message) {
        guard let feed = feedOfSubscription[message.subscription] else { return }
        let received = client.connection.bytes
        guard let reply = message.reply, let place = JetStreamPlace(received[reply]) else {
            return takeStatus(message, feed)
        }
        guard feed.note(place, client.now) else {
            // Some were lost on the way, so they are asked for again.
            giveUp(feed)
            return
        }
        let subject = received[message.subject]
        guard let dot = subject.lastIndex(of: UInt8(ascii: ".")) else { return }
        // A whole input may have messages of other programs too.
        let last = Digits.number(subject[(dot + 1)...]).map { Int($0) } ?? -1
        let partition = places.isWhole ? 0 : last
        guard feed.partitions[partition] != nil else { return }
        let mark = places.isWhole ? mark(in: message, subject[..<dot]) : nil
        if !(places.markSubject.map { subject[..<dot].elementsEqual($0.utf8) } ?? false) {
            unsafe received[message.payload].withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            client.isFull = bytes.count >= Self.room
            arrived.append((partition, place.streamSequence, bytes.count))
        }
        // Behind the message that has it.
        if let mark { marks.append((arrived.count, partition, place.streamSequence, last, mark)) }
    }

    /// The mark of time in a message; `nil` where it has none.
    private func mark(in message: NATSFrame.Message, _ subject: ArraySlice<UInt8>) -> TimeMark? {
        let connection = client.connection
        if let markSubject = places.markSubject, subject.elementsEqual(markSubject.utf8) {
            return NATSCommitHead(Array(connection.bytes(message.payload)))?.mark
        }
        guard !message.headers.isEmpty else { return nil }
        return NATSHeaders(connection.bytes(message.headers))?[Self.markField].flatMap { Int64($0) }.map {
            TimeMark(time: $0, isIdle: false)
        }
    }

    private func takeStatus(_ message: NATSFrame.Message, _ feed: NATSPartitionFeed) {
        guard !message.headers.isEmpty, let headers = NATSHeaders(client.connection.bytes(message.headers)),
            headers.status != nil
        else { return }
        switch feed.pull.note(headers, client.now) {
        case .goesOn: break
        case .isGone: giveUp(feed)
        case .refused(let words): failure = NATSError(.disconnected, "a consumer answers \(words)")
        }
    }
}
