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

    /// Where the pieces are of what is known of a partition: the number of the first, and how many they are.
    var pieces: [Int: (first: UInt64, count: Int, byteCount: Int)] = [:]

    var feeds: [UInt64: NATSPartitionFeed] = [:]
    private var feedNumber: UInt64 = 0

    /// The feeds by their subscriptions.
    private var feedOfSubscription: [UInt64: UInt64] = [:]
    private var subscriptionNumber = NATSPartitionLog.firstSubscription

    /// Since when a stream is missing, or tells less than it told before.
    private var doubtSince: Moment?
    private var feedOfPartition: [Int: UInt64] = [:]
    var failure: NATSError?
    package var lostOutputCount: UInt64 = 0
    var batchCount: UInt64 = 0

    /// Messages that have come: partitions, or -1 for one that is not wanted any more, numbers and where they end among the
    /// bytes.
    private var arrived: [(partition: Int, number: UInt64, end: Int)] = []

    /// Marks of time among them: each before the message with this index.
    private var marks: [(index: Int, partition: Int, number: UInt64, source: Int, mark: TimeMark)] = []
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
            for number in feeds.keys { feeds[number]?.forget() }
            feedOfSubscription = [:]
        }
        client.onMessage = { [unowned self] in take($0) }
        client.wantsMore = { [unowned self] in bytes.count < Self.room }
        client.onRefusal = { [unowned self] in failure = NATSError(refusal: $0) }
    }

    // MARK: Reading

    package func observeMarks(
        _ body: @escaping (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void
    ) {
        noteMark = body
    }

    package func read(_ positions: [Int: UInt64]) throws(GroupError) {
        for (number, feed) in feeds {
            for partition in feed.partitions.keys where positions[partition] == nil { feeds[number]?.remove(partition) }
        }
        // What was given up and is gone on with begins anew, behind the last commit.
        let known = feedOfPartition
        feedOfPartition = [:]
        var new: [Int: UInt64] = [:]
        for (partition, position) in positions {
            if let number = known[partition], let last = feeds[number]?.partitions[partition], last <= position {
                feedOfPartition[partition] = number
            } else {
                if let number = known[partition] { feeds[number]?.remove(partition) }
                new[partition] = position
            }
        }
        // What has come of them comes again.
        if !new.isEmpty {
            for index in arrived.indices where new[arrived[index].partition] != nil { arrived[index].partition = -1 }
            for index in marks.indices where new[marks[index].partition] != nil { marks[index].partition = -1 }
        }
        add(new, handedOver: new.values.min() ?? 0)
        for (number, feed) in feeds where feed.partitions.isEmpty { end(number) }
        do throws(NATSError) { try setUp() } catch { throw GroupError(error) }
    }

    private func add(_ partitions: [Int: UInt64], handedOver: UInt64) {
        guard !partitions.isEmpty else { return }
        feedNumber += 1
        feeds[feedNumber] = NATSPartitionFeed(
            partitions,
            number: feedNumber,
            handedOver: handedOver,
            messageLimit: client.info.payloadLimit
        )
        for partition in partitions.keys { feedOfPartition[partition] = feedNumber }
    }

    /// Makes one feed of several that have come equally far, for each costs the server something.
    private func mergeFeeds() {
        guard feeds.count > 1, feeds.count > 8 || feeds.values.allSatisfy(\.isCaughtUp) else { return }
        var all: [Int: UInt64] = [:]
        for feed in feeds.values { all.merge(feed.partitions) { one, other in max(one, other) } }
        // What has come of some and not of others comes again.
        let handedOver = feeds.values.map(\.handedOver).min() ?? 0
        let jump = feeds.values.compactMap(\.jump).min()
        for number in feeds.keys { end(number) }
        add(all, handedOver: handedOver)
        feeds[feedNumber]?.jump = jump
    }

    private func end(_ number: UInt64) {
        guard let feed = feeds.removeValue(forKey: number) else { return }
        end(feed)
    }

    /// Ends the consumer of a feed; it would go away by itself, after a while.
    private func end(_ feed: NATSPartitionFeed) {
        guard feedOfSubscription.removeValue(forKey: feed.subscription) != nil else { return }
        try? client.connection.say { words throws(NATSError) in words.unsubscribe(feed.subscription) }
        guard let consumer = feed.consumer ?? feed.previous else { return }
        try? client.publish("$JS.API.CONSUMER.DELETE.\(consumer.stream).\(consumer.name)", [])
    }

    package func frontier(of partition: Int) -> UInt64 {
        guard let feed = feedOfPartition[partition].flatMap({ feeds[$0] }), let last = feed.partitions[partition]
        else { return 0 }
        return max(last, feed.handedOver)
    }

    package var isCaughtUp: Bool { feeds.values.allSatisfy(\.isCaughtUp) }

    package func receive(
        until limit: Timestamp,
        _ body: (_ partition: Int, _ number: UInt64, _ payload: ArraySlice<UInt8>) -> Void
    ) throws(GroupError) {
        let wait = (limit - clock.now()).wholeNanoseconds
        let limit = Moment.now + wait
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
                if let feed = feedOfPartition[message.partition] {
                    feeds[feed]?.note(message.number, of: message.partition)
                }
            }
            start = message.end
        }
        handOverMarks(before: arrived.count)
        for number in feeds.keys { feeds[number]?.noteHandedOver() }
        arrived.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.room)
    }

    private func nextWake(_ limit: Moment) -> Moment {
        feeds.values.compactMap(\.pull.deadline).reduce(limit, min)
    }

    /// Asks for more where little is outstanding.
    private func ask() throws(NATSError) {
        guard client.connection.isUp else { return }
        for (number, feed) in feeds {
            guard let consumer = feed.consumer else { continue }
            while let next = feeds[number]?.pull.request(.now) {
                // Nobody answers for a consumer whose server hangs, so another one is made, maybe elsewhere.
                guard feeds[number]?.pull.silences ?? 0 < 2 else {
                    giveUp(number)
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
        guard let number = feedOfSubscription[message.subscription] else { return }
        let connection = client.connection
        guard let reply = message.reply, let place = JetStreamPlace(connection.bytes(reply)) else {
            return takeStatus(message, number)
        }
        guard feeds[number]?.note(place, .now) ?? false else {
            // Some were lost on the way, so they are asked for again.
            giveUp(number)
            return
        }
        let subject = connection.bytes(message.subject)
        guard let dot = subject.lastIndex(of: UInt8(ascii: ".")) else { return }
        // A whole input may have messages of other programs too.
        let last = Digits.number(subject[(dot + 1)...]).map { Int($0) } ?? -1
        let partition = places.isWhole ? 0 : last
        guard feeds[number]?.partitions[partition] != nil else { return }
        let mark = places.isWhole ? mark(in: message, subject[..<dot]) : nil
        if !(places.markSubject.map { subject[..<dot].elementsEqual($0.utf8) } ?? false) {
            bytes += connection.bytes(message.payload)
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

    private func takeStatus(_ message: NATSFrame.Message, _ number: UInt64) {
        guard !message.headers.isEmpty, let headers = NATSHeaders(client.connection.bytes(message.headers)),
            headers.status != nil
        else { return }
        switch feeds[number]?.pull.note(headers, .now) {
        case .goesOn, nil: break
        case .isGone: giveUp(number)
        case .refused(let words): failure = NATSError(.disconnected, "a consumer answers \(words)")
        }
    }

    // MARK: Feeds

    /// Gives up a consumer: another one is made with the next call.
    private func giveUp(_ number: UInt64) {
        guard let feed = feeds[number] else { return }
        end(feed)
        feeds[number]?.forget()
    }

    /// The input stream as it is now.
    private func inputStream() throws(NATSError) -> JetStreamStream {
        do throws(NATSError) {
            let stream = try client.stream(places.inputStream)
            let known = feeds.values.map(\.next).max() ?? 0
            guard known <= stream.last + 1 else {
                throw NATSError(
                    .unsendable,
                    "the stream '\(stream.name)' ends with message \(stream.last), and \(known - 1) were read"
                )
            }
            doubtSince = nil
            return stream
        } catch {
            throw doubting(error, error.isMissing || error.kind == .unsendable)
        }
    }

    /// What a server says that has just become the leader, or does not know yet that it is none, may be older: it holds once
    /// it was said for a while.
    func doubting(_ error: NATSError, _ isInDoubt: Bool) -> NATSError {
        guard isInDoubt else { return error }
        let since = doubtSince ?? .now
        doubtSince = since
        guard since + Self.doubt <= .now else { return NATSError(.disconnected, error.reason) }
        return NATSError(.unsendable, error.reason)
    }

    /// How long that is, in nanoseconds.
    private static let doubt: Int64 = 15_000_000_000

    /// Fails where messages were removed between two that came: before a commit, whose place would be behind them.
    func checkJumps() throws(NATSError) {
        // Commits take the place of others all the time where these are part of the input.
        guard !places.isWhole, let jump = feeds.values.compactMap(\.jump).min() else { return }
        let stream = try inputStream()
        if stream.first > jump {
            let words =
                "the stream '\(stream.name)' begins with message \(stream.first), and messages up to \(jump - 1) were read: "
                + "what was removed between them may be of partitions of this member"
            guard skipsRemoved else {
                throw NATSError(.unsendable, "\(words); with --state-mismatch drop the group goes on behind that")
            }
            notice("\(words); it is skipped")
        }
        for number in feeds.keys { feeds[number]?.jump = nil }
    }

    private func setUp() throws(NATSError) {
        guard feeds.values.contains(where: { $0.consumer == nil }) else { return }
        let stream = try inputStream()
        guard stream.creation == places.inputCreation else {
            throw NATSError(
                .unsendable,
                "the stream '\(stream.name)' is another one than at the start: it was made at \(stream.creation)"
            )
        }
        for number in feeds.keys.sorted() { try setUp(number, stream) }
    }

    private func setUp(_ number: UInt64, _ stream: JetStreamStream) throws(NATSError) {
        guard let feed = feeds[number], feed.consumer == nil else { return }
        try checkRetention(feed, stream)
        var wanted = JetStreamConsumerSettings("")
        wanted.subjects = feed.partitions.keys.sorted().flatMap(places.inputs)
        wanted.acknowledgement = .none
        let first = max(feed.next, max(1, stream.first))
        wanted.start = .sequence(first)
        let consumer = try makeConsumer(&wanted, stream)
        subscriptionNumber += 1
        let subscription = subscriptionNumber
        try client.connection.say { words throws(NATSError) in
            words.subscribe("\(client.inbox).feed.\(subscription).*", as: subscription)
        }
        feedOfSubscription[subscription] = number
        feeds[number]?.begin(with: consumer, subscription, first: first)
        if places.markSubject != nil, let position = feed.partitions[0] { try takeMarks(at: position) }
    }

    /// Takes the marks of those parts of the input that have nothing behind a place: what is in the stream before them is
    /// not waited for.
    private func takeMarks(at position: UInt64) throws(NATSError) {
        // Together, for another server may know less.
        let markSubject = "\(places.markSubject ?? "")."
        let found = try client.lastMessages(
            of: places.inputStream,
            like: [markSubject + "*", "\(places.inputSubject).*"]
        )
        var last: [Int: UInt64] = [:]
        for message in found where !message.subject.hasPrefix(markSubject) {
            if let source = message.number { last[source] = message.sequence }
        }
        for head in found where head.subject.hasPrefix(markSubject) {
            guard let source = head.number, last[source] ?? 0 <= position, let mark = NATSCommitHead(head.payload)?.mark
            else { continue }
            marks.append((arrived.count, 0, position, source, mark))
        }
    }

    /// Makes a consumer, several times where nobody answers.
    ///
    /// Servers may give it to one of them that was lost a moment ago, and do not answer then; another name gets another one.
    private func makeConsumer(
        _ wanted: inout JetStreamConsumerSettings,
        _ stream: JetStreamStream
    ) throws(NATSError) -> JetStreamConsumer {
        var rest = 4
        while true {
            wanted.name = "weir-\(client.inbox.dropFirst(7))-\(UInt64.random(in: .min ... .max))"
            do throws(NATSError) {
                return try client.createConsumer(wanted, of: stream.name, within: client.settings.timeout / 5)
            } catch {
                rest -= 1
                guard error.kind == .late, rest > 0 else { throw error }
            }
        }
    }

    /// Fails where the stream has removed what was not read yet.
    private func checkRetention(_ feed: NATSPartitionFeed, _ stream: JetStreamStream) throws(NATSError) {
        guard !places.isWhole else { return }
        let late = feed.partitions.filter { partition, last in
            // What has no commit begins with what there is.
            (last > 0 || pieces[partition] != nil) && max(last, feed.next - 1) + 1 < stream.first
        }.keys.sorted()
        guard let partition = late.first else { return }
        let words =
            "the stream '\(stream.name)' begins with message \(stream.first), and partition \(partition) was read up to "
            + "\(max(feed.partitions[partition] ?? 0, feed.next - 1)): what was removed between them may be of it"
        guard skipsRemoved else {
            throw NATSError(.unsendable, "\(words); with --state-mismatch drop the group goes on behind that")
        }
        notice("\(words); it is skipped, as with \(late.count - 1) other partitions")
    }
}
