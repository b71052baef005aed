internal import WeirCore
package import WeirGroups
internal import WeirRecords
internal import WeirSockets

// Commits: atomic batches, as many partitions in each as it has room for.
extension NATSPartitionLog {
    /// What is to be published for a commit.
    private struct Plan {
        let commit: PartitionCommit
        var messages: [JetStreamMessage]

        /// Where its state will be, once the number of the first piece is known; `nil` where it stays as it was.
        var kept: NATSKeptState?

        /// How long the outputs are that were left out.
        let lost: [Int]
    }

    /// How many messages a server takes in a batch.
    private static let batchLimit = 1000

    /// How many of them are outputs, at most.
    private static let outputLimit = 800

    /// How many bytes a batch of several commits has, at most; a larger commit has one of its own.
    private static let byteLimit = 8 << 20

    /// How much of a message's limit its payload may take; the rest is for headers.
    var payloadLimit: Int { max(1024, client.info.payloadLimit - 1024) }

    package func commit(_ commits: [PartitionCommit]) -> [Result<UInt64, GroupError>] {
        var results: [Result<UInt64, GroupError>] = []
        var rest = commits[...]
        do throws(NATSError) {
            try client.connect()
            try checkJumps()
        } catch {
            return commits.map { _ in .failure(GroupError(error)) }
        }
        // One that has no room in a batch, and is the first of the next one.
        var waiting: Plan?
        while !rest.isEmpty {
            var plans: [Plan] = []
            var (messageCount, byteCount) = (0, 0)
            var failure: GroupError?
            while let commit = rest.first {
                let plan: Plan
                do throws(GroupError) { plan = if let waiting { waiting } else { try self.plan(commit) } } catch {
                    failure = error
                    break
                }
                waiting = nil
                let bytes = plan.messages.reduce(0) { $0 + $1.payload.count }
                guard
                    plans.isEmpty
                        || messageCount + plan.messages.count <= Self.batchLimit && byteCount + bytes <= Self.byteLimit
                else {
                    waiting = plan
                    break
                }
                plans.append(plan)
                (messageCount, byteCount) = (messageCount + plan.messages.count, byteCount + bytes)
                rest.removeFirst()
            }
            results += store(plans)
            if let failure {
                results.append(.failure(failure))
                rest.removeFirst()
            }
        }
        // A state that was read and does not change is not kept twice for long.
        if let partition = kept.first(where: { $0.value.hasState })?.key { kept[partition]?.outlineState() }
        return results
    }

    private func store(_ plans: [Plan]) -> [Result<UInt64, GroupError>] {
        guard !plans.isEmpty else { return [] }
        batchCount += 1
        let receipt: JetStreamReceipt
        do throws(NATSError) {
            receipt = try client.store(
                batch: plans.flatMap(\.messages),
                id: "\(client.inbox.dropFirst(7))-\(batchCount)"
            )
        } catch {
            // One that is refused refuses all: which one it was shows when each is tried by itself.
            if error.isWrongSequence, plans.count > 1 { return plans.flatMap { store([$0]) } }
            // Another program may have removed the pieces that changes are to follow.
            if error.isWrongSequence, plans[0].kept?.changes.isEmpty == false {
                kept[plans[0].commit.partition] = nil
                do throws(GroupError) { return store([try plan(plans[0].commit)]) } catch { return [.failure(error)] }
            }
            let reason = error.kind == .noResponders ? silence() : GroupError(failure ?? error)
            return plans.map { _ in .failure(reason) }
        }
        var results: [Result<UInt64, GroupError>] = []
        var last = receipt.sequence
        for plan in plans.reversed() {
            results.append(.success(last))
            // Not before: what is refused is found again.
            for byteCount in plan.lost { noteLost(byteCount, of: plan.commit.partition) }
            if var kept = plan.kept {
                kept.note(last)
                self.kept[plan.commit.partition] = kept
            } else {
                kept[plan.commit.partition]?.revision = last
            }
            last -= UInt64(plan.messages.count)
        }
        return results.reversed()
    }

    private func noteLost(_ byteCount: Int, of partition: Int) {
        lostOutputCount += 1
        notice(
            "partition \(partition) has an output of \(byteCount) bytes, and servers take \(payloadLimit): it is lost; raise "
                + "'max_payload' of the servers"
        )
    }

    /// Why nobody takes a commit.
    private func silence() -> GroupError {
        do throws(NATSError) {
            _ = try client.stream(places.stream)
            return GroupError(
                .unreachable,
                "the stream '\(places.stream)' does not answer; it may have no leader just now"
            )
        } catch {
            guard error.isMissing else { return GroupError(error) }
            let missing = NATSError(
                error.kind,
                "the stream '\(places.stream)' was deleted, and with it what the partitions know; another name of the group "
                    + "begins anew"
            )
            return GroupError(doubting(missing, true))
        }
    }

    private func plan(_ commit: PartitionCommit) throws(GroupError) -> Plan {
        var head = NATSCommitHead(
            position: commit.position,
            input: places.inputCreation,
            pieceCount: 0,
            byteCount: 0,
            mark: commit.mark
        )
        // Changes of another state than that of the commit before would lead to none.
        let last = kept[commit.partition].flatMap { $0.revision == commit.revision ? $0 : nil }
        var next: NATSKeptState?
        var pieces: [JetStreamMessage] = []
        if let state = commit.state {
            let written =
                last?.changed(to: state, isHandover: commit.isHandover, payloadLimit)
                ?? NATSKeptState.whole(state, payloadLimit)
            next = written.kept
            pieces = written.pieces.map { JetStreamMessage(places.state(commit.partition), $0) }
            // The first piece of a whole state takes the place of all that are there; that of changes follows them.
            pieces[0].expectation =
                written.kept.changes.isEmpty
                ? JetStreamExpectation(replacesSubject: true) : JetStreamExpectation(lastSubjectSequence: last?.last)
        }
        var (messages, lost) = outputs(of: commit, beside: pieces.count)
        messages += pieces
        guard let now = next ?? last else {
            throw GroupError(.refused, "partition \(commit.partition) has no state that could stay as it was")
        }
        // Where a whole state comes with this commit, its pieces stand right before the head.
        head.firstPiece = now.first > 0 ? now.first : nil
        (head.pieceCount, head.byteCount, head.changes) = (now.pieceCount, now.byteCount, now.changes)
        let expectation = JetStreamExpectation(lastSubjectSequence: commit.revision, replacesSubject: true)
        messages.append(JetStreamMessage(places.head(commit.partition), head.encoded[...], expecting: expectation))
        guard messages.count <= Self.batchLimit else {
            throw GroupError(
                .refused,
                "a commit of partition \(commit.partition) takes \(messages.count) messages, with \(commit.state?.count ?? 0)"
                    + " bytes of state, and a server takes \(Self.batchLimit) at once: use more partitions, or raise "
                    + "'max_payload' of the servers"
            )
        }
        return Plan(commit: commit, messages: messages, kept: next, lost: lost)
    }

    /// The outputs of a commit as messages of whole lines, and how long those are that are left out.
    ///
    /// The last one tells how far time is, for those who read the outputs of all partitions.
    private func outputs(of commit: PartitionCommit, beside pieceCount: Int) -> ([JetStreamMessage], lost: [Int]) {
        guard !commit.outputs.isEmpty else { return ([], []) }
        let newline = UInt8(ascii: "\n")
        let lineCount = commit.outputs.reduce(0) { $0 + ($1 == newline ? 1 : 0) }
        // As many lines in each as were asked for, or as it takes to fit.
        let room = max(1, min(Self.outputLimit, Self.batchLimit - pieceCount - 1))
        let lines = max(linesPerMessage, (lineCount - 1) / room + 1)
        let subject = places.output(commit.partition)
        var messages: [JetStreamMessage] = []
        var (start, end, count) = (0, 0, 0)
        var lost: [Int] = []
        func close() {
            guard end > start else { return }
            defer { (start, count) = (end, 0) }
            guard end - start - 1 <= payloadLimit else { return lost.append(end - start - 1) }
            // The end of the last line is that of the message.
            messages.append(JetStreamMessage(subject, commit.outputs[start..<end - 1]))
        }
        for index in commit.outputs.indices where commit.outputs[index] == newline {
            if index + 1 - start > payloadLimit { close() }
            (end, count) = (index + 1, count + 1)
            if count == lines { close() }
        }
        close()
        if let mark = commit.mark, !messages.isEmpty {
            messages[messages.count - 1].fields = [NATSHeaders.Field(Self.markField, "\(mark.time)")]
        }
        return (messages, lost)
    }

    // MARK: Going on

    package func lastCommits(of partitions: Set<Int>) throws(GroupError) -> [Int: PartitionPlace] {
        defer { for partition in partitions { preparedStates[partition] = nil } }
        for partition in partitions { kept[partition] = nil }
        var places: [Int: PartitionPlace] = [:]
        do throws(NATSError) {
            let heads = try heads(of: partitions)
            // Most states are one piece, and all of these are read at once.
            let short = heads.filter { $0.value.head.pieceCount == 1 && $0.value.head.byteCount <= Self.shortState }
            let found = try lastMessages(short.keys.sorted(), self.places.state)
            try checkThatHeadsAreThere(of: partitions.subtracting(heads.keys))
            for (partition, (head, revision)) in heads.sorted(by: { $0.key < $1.key }) {
                guard head.input == self.places.inputCreation else {
                    throw NATSError(
                        .unsendable,
                        "the group has read the stream '\(self.places.inputStream)' that was made at \(head.input), and this one "
                            + "was made at \(self.places.inputCreation); give the group another name"
                    )
                }
                guard let pieces = head.pieces(before: revision), let first = pieces.first?.lowerBound else {
                    throw NATSError(
                        .garbage,
                        "what stands in '\(self.places.head(partition))' of the stream '\(self.places.stream)' names pieces that "
                            + "cannot be: another program has written there"
                    )
                }
                let state: [UInt8]
                if let last = found[partition], last.sequence == first {
                    state = last.payload
                } else {
                    do throws(NATSError) { state = try self.state(of: partition, head, pieces) } catch {
                        guard error == Self.moved else { throw error }
                        try noteMissingPieces(of: partition, revision, head.position)
                        // What is known of it is lost, and what comes is not.
                        places[partition] = PartitionPlace(revision: revision, position: head.position, state: nil)
                        continue
                    }
                }
                missingSince[partition] = nil
                kept[partition] = NATSKeptState(head, pieces, revision: revision, state)
                places[partition] = PartitionPlace(revision: revision, position: head.position, state: state)
            }
        } catch {
            throw GroupError(error)
        }
        return places
    }

    /// Fails where the head of a partition is gone, and pieces of its state are there: it would begin anew, and its outputs
    /// would come twice.
    private func checkThatHeadsAreThere(of partitions: Set<Int>) throws(NATSError) {
        guard !partitions.isEmpty else { return }
        for partition in try lastMessages(partitions.sorted(), places.state).keys.sorted() {
            try noteLoss(
                of: partition,
                0,
                "the last commit of partition \(partition) is missing in '\(places.head(partition))' of the stream "
                    + "'\(places.stream)', and pieces of its state are there: another program has removed it",
                "begins anew, with the first message"
            )
        }
    }

    /// Notes that pieces of a commit are not to be found.
    ///
    /// - Throws: ``NATSError``, unless that stays so and the member is to go on all the same.
    private func noteMissingPieces(of partition: Int, _ revision: UInt64, _ position: UInt64) throws(NATSError) {
        try noteLoss(
            of: partition,
            revision,
            "pieces of what is known of partition \(partition) are missing in '\(places.state(partition))' of the stream "
                + "'\(places.stream)': another program has removed them, or written there",
            "knows nothing and goes on behind message \(position)"
        )
    }

    /// Notes that something of a commit is not to be found: a server may lag behind, and a later commit may have replaced it.
    ///
    /// - Throws: ``NATSError``, unless that stays so and the member is to go on all the same.
    private func noteLoss(
        of partition: Int,
        _ revision: UInt64,
        _ words: String,
        _ consequence: String
    ) throws(NATSError) {
        if missingSince[partition]?.revision != revision { missingSince[partition] = (revision, .now) }
        guard let since = missingSince[partition]?.time, since + doubt <= .now else { throw Self.moved }
        guard skipsRemoved else {
            throw NATSError(.unsendable, "\(words); with --state-mismatch drop the partition \(consequence)")
        }
        notice("\(words); the partition \(consequence)")
        missingSince[partition] = nil
    }

    /// How many bytes a state may have that is read with others: they have to fit into one answer.
    static let shortState = 16 << 10

    /// The heads of the last commits of partitions that have one.
    func heads(of partitions: Set<Int>) throws(NATSError) -> [Int: (head: NATSCommitHead, revision: UInt64)] {
        var heads: [Int: (head: NATSCommitHead, revision: UInt64)] = [:]
        for (partition, message) in try lastMessages(partitions.sorted(), places.head) {
            guard let head = NATSCommitHead(message.payload) else {
                throw NATSError(
                    .garbage,
                    "message \(message.sequence) of the stream '\(places.stream)', in '\(places.head(partition))', is no commit: "
                        + "another program has written it; remove it: nats stream rmm \(places.stream) \(message.sequence)"
                )
            }
            heads[partition] = (head, message.sequence)
        }
        return heads
    }

    /// The last message of each partition, by its subject.
    private func lastMessages(
        _ partitions: [Int],
        _ subject: (Int) -> String
    ) throws(NATSError) -> [Int: (sequence: UInt64, payload: [UInt8])] {
        var last: [Int: (sequence: UInt64, payload: [UInt8])] = [:]
        // Servers tell 1,024 at once.
        for start in stride(from: 0, to: partitions.count, by: 256) {
            let subjects = partitions[start..<min(start + 256, partitions.count)].map(subject)
            for message in try client.lastMessages(of: places.stream, like: subjects) {
                if let number = message.number { last[number] = (message.sequence, message.payload) }
            }
        }
        return last
    }
}
