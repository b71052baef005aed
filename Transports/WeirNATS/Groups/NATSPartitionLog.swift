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
    var feedNumber: UInt64 = 0
    private var feedOfPartition: [Int: UInt64] = [:]
    var failure: NATSError?
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
        }
        client.onMessage = { [unowned self] in take($0) }
        client.wantsMore = { [unowned self] in bytes.count < Self.room }
        client.onRefusal = { [unowned self] in failure = NATSError(.notPermitted, "the server refuses: '\($0)'") }
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
        add(new)
        for (number, feed) in feeds where feed.partitions.isEmpty { end(number) }
        do throws(NATSError) { try setUp() } catch { throw GroupError(error) }
    }

    private func add(_ partitions: [Int: UInt64]) {
        guard !partitions.isEmpty else { return }
        feedNumber += 1
        feeds[feedNumber] = NATSPartitionFeed(partitions, number: feedNumber)
        for partition in partitions.keys { feedOfPartition[partition] = feedNumber }
    }

    /// Makes one feed of several that have come equally far, for each costs the server something.
    private func mergeFeeds() {
        guard feeds.count > 1, feeds.count > 8 || feeds.values.allSatisfy(\.isCaughtUp) else { return }
        var all: [Int: UInt64] = [:]
        for feed in feeds.values {
            for (partition, position) in feed.partitions { all[partition] = max(position, feed.next - 1) }
        }
        for number in feeds.keys { end(number) }
        add(all)
    }

    private func end(_ number: UInt64) {
        guard let feed = feeds.removeValue(forKey: number) else { return }
        try? client.connection.say { words throws(NATSError) in
            words.unsubscribe(Self.firstSubscription + number)
        }
        // It would go away by itself, after a while.
        guard let consumer = feed.consumer else { return }
        try? client.publish("$JS.API.CONSUMER.DELETE.\(consumer.stream).\(consumer.name)", [])
    }

    package func frontier(of partition: Int) -> UInt64 {
        guard let feed = feedOfPartition[partition].flatMap({ feeds[$0] }), let last = feed.partitions[partition]
        else { return 0 }
        return max(last, feed.handedOver)
    }

    /// How many messages have not come yet, as far as the server has said.
    package var pending: UInt64 { feeds.values.reduce(0) { $0 + ($1.pending ?? 0) } }

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
                try ask()
                try client.step(until: nextWake(limit))
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
                    feeds[number]?.forget()
                    break
                }
                try client.connection.say { words throws(NATSError) in
                    try words.publish(
                        "$JS.API.CONSUMER.MSG.NEXT.\(consumer.stream).\(consumer.name)",
                        reply: "\(client.inbox).feed.\(number).\(next.number)",
                        next.payload[...]
                    )
                }
            }
        }
        try client.connection.flush()
    }

    private func take(_ message: NATSFrame.Message) {
        guard message.subscription > Self.firstSubscription else { return }
        let number = message.subscription - Self.firstSubscription
        guard feeds[number] != nil else { return }
        let connection = client.connection
        guard let reply = message.reply, let place = JetStreamPlace(connection.bytes(reply)) else {
            return takeStatus(message, number)
        }
        guard feeds[number]?.note(place, .now) ?? false else {
            // Some were lost on the way, so they are asked for again.
            feeds[number]?.forget()
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
        case .isGone: feeds[number]?.forget()
        case .refused(let words): failure = NATSError(.disconnected, "a consumer answers \(words)")
        }
    }

    // MARK: Feeds

    private func setUp() throws(NATSError) {
        guard feeds.values.contains(where: { $0.consumer == nil }) else { return }
        let stream = try client.stream(places.inputStream)
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
        try client.connection.say { words throws(NATSError) in
            // There is one already where the consumer was made anew.
            words.unsubscribe(Self.firstSubscription + number)
            words.subscribe("\(client.inbox).feed.\(number).*", as: Self.firstSubscription + number)
        }
        feeds[number]?.begin(with: consumer, first: first)
        if places.markSubject != nil, let position = feed.partitions[0] { try takeMarks(at: position) }
    }

    /// Takes the marks of those parts of the input that have nothing behind a place: what is in the stream before them is
    /// not waited for.
    private func takeMarks(at position: UInt64) throws(NATSError) {
        // First the marks: what was published meanwhile is behind them.
        let heads = try client.lastMessages(of: places.inputStream, like: "\(places.markSubject ?? "").*")
        var last: [Int: UInt64] = [:]
        for message in try client.lastMessages(of: places.inputStream, like: "\(places.inputSubject).*") {
            if let source = message.number { last[source] = message.sequence }
        }
        for head in heads {
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
        guard feed.next <= stream.last + 1 else {
            throw NATSError(
                .unsendable,
                "the stream '\(stream.name)' ends with message \(stream.last), and \(feed.next - 1) were read"
            )
        }
        let late = feed.partitions.filter { $0.value > 0 && max($0.value, feed.next - 1) + 1 < stream.first }.keys
            .sorted()
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
