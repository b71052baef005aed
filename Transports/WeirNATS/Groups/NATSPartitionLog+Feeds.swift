internal import WeirCore
internal import WeirGroups
internal import WeirRecords
internal import WeirSockets

// Feeds: consumers that are made, merged and given up.
extension NATSPartitionLog {
    /// How long feeds stay as they are, in nanoseconds.
    static let mergeInterval: Int64 = 2_000_000_000

    /// Adds a feed, whose consumer is made with the next ``setUp()``.
    ///
    /// - Parameters:
    ///   - partitions: The last message of each partition that was handed over.
    ///   - handedOver: Up to which number all messages were handed over; the least of these where it is not known.
    /// - Returns: The feed; `nil` where there are no partitions.
    func add(_ partitions: PartitionTable<UInt64>, handedOver: UInt64? = nil) -> NATSPartitionFeed? {
        guard !partitions.isEmpty else { return nil }
        nextMerge = .now + Self.mergeInterval
        let feed = NATSPartitionFeed(
            partitions,
            handedOver: handedOver ?? partitions.keys.compactMap { partitions[$0] }.min() ?? 0,
            messageLimit: client.info.payloadLimit
        )
        feeds.append(feed)
        return feed
    }

    /// Makes one feed of several that have come equally far, for each costs the server something.
    func mergeFeeds() {
        guard feeds.count > 1 else { return }
        let old = feeds.filter(isAsked)
        guard let merged = mergedFeed else {
            guard old.count > 1, old.count > 8 || nextMerge <= .now && isCaughtUp else { return }
            var all = PartitionTable<UInt64>()
            for feed in old {
                for partition in feed.partitions.keys {
                    all[partition] = max(all[partition] ?? 0, feed.partitions[partition] ?? 0)
                }
            }
            // What has come of some and not of others comes again.
            mergedFeed = add(all, handedOver: old.map(\.handedOver).min())
            return
        }
        // The others go on until it is there.
        guard merged.consumer != nil else { return }
        mergedFeed = nil
        merged.jump = old.compactMap(\.jump).min()
        for feed in old {
            for partition in feed.partitions.keys {
                merged.note(feed.partitions[partition] ?? 0, of: partition)
                feedOfPartition[partition] = merged
            }
            end(feed)
        }
    }

    /// How long the consumer of a member that was killed stays: servers have no more than 1,000 for a stream.
    private static let idleTime = Duration.seconds(10)

    /// Whether a feed's consumer is asked for messages.
    func isAsked(_ feed: NATSPartitionFeed) -> Bool { feed !== preparedFeed && feed !== mergedFeed }

    func end(_ feed: NATSPartitionFeed) {
        stopMaking(feed)
        feeds.removeAll { $0 === feed }
        endConsumer(of: feed)
    }

    /// Does not wait any more for a consumer that is being made, and may be there.
    func stopMaking(_ feed: NATSPartitionFeed) {
        guard let making = feed.making.take() else { return }
        client.forget(making.request)
        unused.append(making.name)
    }

    /// Ends the consumer of a feed.
    private func endConsumer(of feed: NATSPartitionFeed) {
        guard feedOfSubscription.removeValue(forKey: feed.subscription) != nil else { return }
        try? client.connection.say { words throws(NATSError) in words.unsubscribe(feed.subscription) }
        guard let consumer = feed.consumer else { return }
        unused.append(consumer.name)
        deleteUnused()
    }

    /// Forgets the consumer of a feed, as with the connection that it was made by.
    func forgetConsumer(of feed: NATSPartitionFeed) {
        stopMaking(feed)
        if let consumer = feed.consumer { unused.append(consumer.name) }
        feed.forget()
    }

    /// Deletes consumers that are not used any more, and goes on.
    ///
    /// What is left goes away by itself, after a while without requests in which its server does not end.
    func deleteUnused() {
        guard client.connection.isUp, !unused.isEmpty || !deletions.isEmpty else { return }
        deletions.removeAll { deletion in
            // That there is none is an answer too, and so is that nobody answers.
            do throws(NATSError) { guard try client.answer(to: deletion.request) != nil else { return false } } catch {}
            client.forget(deletion.request)
            return true
        }
        for name in unused {
            let subject = "$JS.API.CONSUMER.DELETE.\(places.inputStream).\(name)"
            if let request = try? client.begin(subject, []) { deletions.append((name, request)) }
        }
        unused.removeAll()
        while deletions.count > Self.mostDeletions { client.forget(deletions.removeFirst().request) }
    }

    private static let mostDeletions = 64

    /// With a connection go the answers to what was asked.
    func repeatDeletions() {
        for deletion in deletions {
            client.forget(deletion.request)
            unused.append(deletion.name)
        }
        deletions.removeAll()
    }

    /// Gives up a consumer: another one is made with the next call.
    func giveUp(_ feed: NATSPartitionFeed) {
        endConsumer(of: feed)
        feed.forget()
    }

    /// The input stream as it is now.
    func inputStream() throws(NATSError) -> JetStreamStream {
        // Before the question: what comes while the answer is waited for may be newer than that.
        let known = feeds.map(\.next).max() ?? 0
        do throws(NATSError) {
            let stream = try client.stream(places.inputStream)
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
        guard since + doubt <= .now else { return NATSError(.disconnected, error.reason) }
        return NATSError(.unsendable, error.reason)
    }

    /// Fails where messages were removed between two that came: before a commit, whose place would be behind them.
    func checkJumps() throws(NATSError) {
        // Commits take the place of others all the time where these are part of the input.
        guard !places.isWhole, let jump = feeds.compactMap(\.jump).min() else { return }
        // What jumps while the answer is waited for is looked at the next time.
        let jumps = feeds.map { feed in (feed: feed, jump: feed.jump.take()) }
        let stream: JetStreamStream
        do throws(NATSError) { stream = try inputStream() } catch {
            for (feed, jump) in jumps { feed.jump = jump ?? feed.jump }
            throw error
        }
        if stream.first > jump {
            let words =
                "the stream '\(stream.name)' begins with message \(stream.first), and messages up to \(jump - 1) were read: "
                + "what was removed between them may be of partitions of this member"
            guard skipsRemoved else {
                throw NATSError(.unsendable, "\(words); with --state-mismatch drop the group goes on behind that")
            }
            notice("\(words); it is skipped")
        }
    }

    func setUp() throws(NATSError) {
        deleteUnused()
        for feed in feeds where feed.making != nil {
            do throws(NATSError) { try finishMaking(feed) } catch { try giveUpSpare(feed, error) }
        }
        guard feeds.contains(where: { $0.consumer == nil && $0.making == nil }) else { return }
        let stream = try inputStream()
        guard stream.creation == places.inputCreation else {
            throw NATSError(
                .unsendable,
                "the stream '\(stream.name)' is another one than at the start: it was made at \(stream.creation)"
            )
        }
        for feed in feeds where feed.consumer == nil && feed.making == nil {
            do throws(NATSError) { try beginMaking(feed, stream) } catch { try giveUpSpare(feed, error) }
        }
        try client.connection.flush()
    }

    /// Goes on without a feed that no partition of this member depends on.
    ///
    /// - Throws: The error, where one does.
    private func giveUpSpare(_ feed: NATSPartitionFeed, _ error: NATSError) throws(NATSError) {
        guard !isAsked(feed), error.kind != .interrupted else { throw error }
        if feed === mergedFeed { mergedFeed = nil } else { preparedFeed = nil }
        end(feed)
        nextMerge = .now + Self.mergeInterval
        nextPreparation = nextMerge
    }

    /// Begins to make the consumer of a feed, which takes servers a while: the others go on meanwhile.
    private func beginMaking(_ feed: NATSPartitionFeed, _ stream: JetStreamStream) throws(NATSError) {
        // What is another member's so far may be further than its last commit.
        if feed !== preparedFeed { try checkRetention(feed, stream) }
        var wanted = JetStreamConsumerSettings("weir-\(client.inbox.dropFirst(7))-\(UInt64.random(in: .min ... .max))")
        wanted.subjects = feed.partitions.keys.flatMap(places.inputs)
        wanted.acknowledgement = .none
        wanted.idleTime = Self.idleTime
        let first = max(feed.next, max(1, stream.first))
        wanted.start = .sequence(first)
        let request = try client.beginConsumer(wanted, of: stream.name)
        let limit = Moment.now + client.settings.timeout.inNanoseconds / 5
        feed.wait(for: .init(request: request, name: wanted.name, limit: limit), first: first)
    }

    private func finishMaking(_ feed: NATSPartitionFeed) throws(NATSError) {
        guard let making = feed.making else { return }
        let found: JetStreamConsumer?
        do throws(NATSError) { found = try client.consumer(madeBy: making.request) } catch {
            stopMaking(feed)
            throw error
        }
        guard let consumer = found else {
            guard making.limit <= .now else { return }
            // Servers may give it to one of them that was lost a moment ago, and do not answer then; another name gets another
            // one.
            stopMaking(feed)
            feed.silences = (feed.silences + 1) % 4
            guard feed.silences > 0 else { throw NATSError(.late, "no server makes a consumer '\(making.name)'") }
            return
        }
        feed.making = nil
        client.forget(making.request)
        feed.silences = 0
        subscriptionNumber += 1
        let subscription = subscriptionNumber
        try client.connection.say { words throws(NATSError) in
            words.subscribe("\(client.inbox).feed.\(subscription).*", as: subscription)
        }
        feedOfSubscription[subscription] = feed
        feed.begin(with: consumer, subscription)
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

    /// Fails where the stream has removed what was not read yet.
    private func checkRetention(_ feed: NATSPartitionFeed, _ stream: JetStreamStream) throws(NATSError) {
        guard !places.isWhole else { return }
        let late = feed.partitions.keys.filter { partition in
            let last = feed.partitions[partition] ?? 0
            // What has no commit begins with what there is.
            return (last > 0 || kept[partition] != nil) && max(last, feed.next - 1) + 1 < stream.first
        }
        guard let partition = late.first else { return }
        let words =
            "the stream '\(stream.name)' begins with message \(stream.first), and partition \(partition) was read up to "
            + "\(max(feed.partitions[partition] ?? 0, feed.next - 1)): what was removed between them may be of it"
        guard skipsRemoved else {
            throw NATSError(.unsendable, "\(words); with --state-mismatch drop the group goes on behind that")
        }
        notice("\(words); it is skipped\(late.count == 1 ? "" : ", as with \(late.count - 1) other partitions")")
    }
}
